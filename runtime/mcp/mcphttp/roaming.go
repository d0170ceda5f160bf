package mcphttp

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// continued is what the handler of a session gives to continue it in another replica; see package mcp.
type continued interface {
	StateVersion() uint64
	State() []byte
	Restore(ctx context.Context, state []byte) error
}

// roaming is the part of a session that has replicas.
type roaming struct {
	state    continued
	cluster  *cluster
	epoch    string           // of the ids of events: those of other epochs are of a former home
	restored bool             // the session was continued here
	stale    atomic.Bool      // another replica may have continued the session
	saved    atomic.Int64     // when the record was saved, in nanoseconds since 1970
	version  atomic.Uint64    // of the state that was saved
	requests map[int64]string // ids of the client's requests by stream, for event ids; guarded by the session's lock
	departed bool             // another replica has continued the session; guarded by the session's lock

	revision atomic.Uint64 // of the record; 0 if there is none

	saving sync.Mutex                 // held while the record is saved; guards the following fields
	gone   bool                       // the record is not this session's any more
	others map[string]json.RawMessage // members of the record that another version has added
}

// newRoaming returns the part for a session with the given handler.
func newRoaming(c *cluster, handler runtime.Handler) *roaming {
	state, ok := handler.(continued)
	if !ok {
		panic("mcphttp: the sessions of this server cannot be continued by another replica")
	}
	return &roaming{state: state, cluster: c, epoch: rand.Text()[:10], requests: make(map[int64]string)}
}

// firstID returns the number that the own ids of a session begin at that is continued: a response must not be taken for one to a request of
// a former home. Ids stay below 2^53, up to which numbers of JavaScript are exact.
func firstID() int64 {
	var random [8]byte
	rand.Read(random[:]) // never fails
	const most = 1 << 22
	return int64(1+binary.LittleEndian.Uint64(random[:])%(most-1)) << 31
}

// suffix returns what the id of an event of a stream ends with: the epoch, and the id of the client's request that the stream belongs to, so
// that any replica can answer the request if this one is gone. The session's lock must be held.
func (r *roaming) suffix(number int64) string { return "-" + r.epoch + "-" + r.requests[number] }

// maxRequestID is the size in bytes of a request's id that is part of the ids of events.
const maxRequestID = 256

// begins notes the request that a stream belongs to. A batch has several, and none is noted. The session's lock must be held.
func (r *roaming) begins(number int64, c *sessionCall) {
	if len(r.requests) > 2*len(c.store.streams)+16 { // most of them have ended
		maps.DeleteFunc(r.requests, func(number int64, _ string) bool { return c.store.streams[number] == nil })
	}
	if !c.batch && len(c.key) <= maxRequestID {
		r.requests[number] = base64.RawURLEncoding.EncodeToString([]byte(c.key))
	}
}

// foreignError means that an event is of a former home of the session.
type foreignError struct {
	request []byte // id of the client's request
}

func (*foreignError) Error() string { return "mcphttp: the event is of a replica that is gone" }

// local returns an event id without its suffix if it is one of this home. The error is a *foreignError if it is one of a former home. An event of
// the separate stream of a former home becomes "": what its client has missed is repeated.
func (r *roaming) local(id string) (string, error) {
	parts := strings.Split(id, "-")
	if id == "" || len(parts) != 4 {
		return id, nil
	}
	if parts[2] == r.epoch {
		return parts[0] + "-" + parts[1], nil
	}
	request, err := base64.RawURLEncoding.Strict().DecodeString(parts[3])
	switch {
	case parts[0] == "0":
		return "", nil
	case err != nil || len(request) == 0 || len(request) > maxRequestID || wire.Check(request, 1) != nil:
		return "", errLost
	}
	return "", &foreignError{request}
}

// depart ends the session here because another replica has continued it. The calls in flight continue, and answer their own clients.
func (s *session) depart() {
	s.mu.Lock()
	if s.closed || s.roams.departed {
		s.mu.Unlock()
		return
	}
	s.roams.departed = true
	s.store.finish(s.standalone)
	quiet := len(s.calls) == 0
	s.mu.Unlock()
	c := s.roams.cluster
	c.h.sessions.forget(s)
	if quiet {
		s.close()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.departed[s.id] == nil {
		c.departed[s.id] = make(map[*session]struct{})
	}
	c.departed[s.id][s] = struct{}{}
}

// over notes the end of a session that has closed.
func (c *cluster) over(s *session) {
	c.mu.Lock()
	delete(c.departed[s.id], s)
	if len(c.departed[s.id]) == 0 {
		delete(c.departed, s.id)
	}
	c.mu.Unlock()
	s.mu.Lock()
	departed := s.roams.departed
	s.mu.Unlock()
	if !departed {
		c.removeInBackground(s)
	}
}

// stateVersion returns the version of the state of a session with replicas.
func (s *session) stateVersion() uint64 {
	if s.roams == nil {
		return 0
	}
	return s.roams.state.StateVersion()
}

// keep saves the state of a session with replicas if it has changed since it had that version. A change that an earlier message has made, and that
// could not be saved, is not this one's: its request was answered 503, and [cluster.touch] saves it.
func (s *session) keep(since uint64) error {
	if s.stateVersion() == since {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), backplaneTimeout)
	defer cancel()
	err := s.roams.cluster.save(ctx, s, false)
	if errors.Is(err, ErrConflict) && s.inUse() {
		return errMoved
	}
	return err
}

// errMoved means that another replica has continued the session meanwhile.
var errMoved = errors.New("mcphttp: another replica has continued the session")

// inUse reports whether the session is not idle.
func (s *session) inUse() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uses > 0 && !s.closed
}

// tellFormer passes a message on to a former home of the session, if there is one.
func (s *session) tellFormer(t *told) bool {
	if s.roams == nil || !s.roams.restored {
		return false
	}
	t.Session = s.id
	s.roams.cluster.tell(t)
	return true
}
