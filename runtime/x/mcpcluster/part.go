package mcpcluster

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/replicas"
)

// part is the part that the replicas have in a session.
type part struct {
	session  replicas.Session
	place    *place
	key      string        // of the record
	epoch    string        // of the ids of events: those of other epochs are of a former home
	restored bool          // the session was continued here
	stale    atomic.Uint64 // counts why another replica may have continued the session; 0 if none has
	saved    atomic.Int64  // when the record was saved, in nanoseconds since 1970
	version  atomic.Uint64 // of the state that was saved
	revision atomic.Uint64 // of the record; 0 if there is none

	saving sync.Mutex                 // held while the record is saved; guards the following fields
	gone   bool                       // the record is not this session's any more
	others map[string]json.RawMessage // members of the record that another version has added
}

// Enter implements [replicas.Place].
func (c *place) Enter(s replicas.Session) replicas.Part {
	return &part{session: s, place: c, key: recordKey(s.Principal(), s.ID()), epoch: rand.Text()[:10]}
}

// partOf returns the part that Enter has given to a session.
func partOf(s replicas.Session) *part { return s.Part().(*part) }

// firstID returns the number that the own ids of a session begin at that is continued: a response must not be taken for one to a request of
// a former home. Ids stay below 2^53, up to which numbers of JavaScript are exact.
func firstID() int64 {
	var random [8]byte
	rand.Read(random[:]) // never fails
	const most = 1 << 22
	return int64(1+binary.LittleEndian.Uint64(random[:])%(most-1)) << 31
}

// maxRequestID is the size in bytes of a request's id that is part of the ids of events.
const maxRequestID = 256

// Suffix implements [replicas.Part]: the epoch, and the id of the client's request, so that any replica can answer the request if this one is
// gone.
func (p *part) Suffix(request string) string {
	if len(request) > maxRequestID {
		request = ""
	}
	return "-" + p.epoch + "-" + base64.RawURLEncoding.EncodeToString([]byte(request))
}

// Local implements [replicas.Part]. An event of the separate stream of a former home becomes "": what its client has missed is repeated.
func (p *part) Local(event string) (id string, lost []byte, ok bool) {
	parts := strings.Split(event, "-")
	if len(parts) != 4 {
		return event, nil, true
	}
	if parts[2] == p.epoch {
		return parts[0] + "-" + parts[1], nil, true
	}
	request, err := base64.RawURLEncoding.Strict().DecodeString(parts[3])
	switch {
	case parts[0] == "0":
		return "", nil, true
	case err != nil || len(request) == 0 || len(request) > maxRequestID || wire.Check(request, 1) != nil:
		return "", nil, false
	}
	return "", lostAnswer(request), true
}

// depart ends the session here because another replica has continued it. The calls in flight continue, and answer their own clients.
func (p *part) depart() {
	p.place.noteDeparted(p)
	p.session.Move()
	if p.session.Closed() { // there was no call in flight
		p.place.forgetDeparted(p)
	}
}

// noteDeparted notes a session that another replica has continued.
func (c *place) noteDeparted(p *part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := p.session.ID()
	if c.departed[id] == nil {
		c.departed[id] = make(map[*part]struct{})
	}
	c.departed[id][p] = struct{}{}
}

// forgetDeparted undoes noteDeparted.
func (c *place) forgetDeparted(p *part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := p.session.ID()
	delete(c.departed[id], p)
	if len(c.departed[id]) == 0 {
		delete(c.departed, id)
	}
}

// Over implements [replicas.Part].
func (p *part) Over(moved bool) {
	p.place.forgetDeparted(p)
	if !moved {
		p.place.removeInBackground(p)
	}
}

// Version implements [replicas.Part].
func (p *part) Version() uint64 { return p.session.State().StateVersion() }

// Keep implements [replicas.Part]. A change that an earlier message has made, and that could not be saved, is not this one's: its request was
// answered 503, and [place.touch] saves it.
func (p *part) Keep(since uint64) error {
	if p.Version() == since {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), backplaneTimeout)
	defer cancel()
	return p.place.save(ctx, p, false)
}

// Remove implements [replicas.Part].
func (p *part) Remove(ctx context.Context) error { return p.place.remove(ctx, p) }

// Deliver implements [replicas.Part].
func (p *part) Deliver(response []byte) error {
	err := p.tellFormer(&broadcast{Response: response})
	if large, ok := errors.AsType[*frame.TooLargeError](err); ok {
		failed := append([]byte(`{"jsonrpc":"2.0","id":`), wire.PeekAt(response).In("id").JSON()...)
		_ = p.tellFormer(&broadcast{Response: append(failed, `,"error":{"code":-32603,"message":"The response is larger than a message between replicas"}}`...)})
		return &frame.TooLargeError{Size: int64(len(response)), Max: large.Max/4*3 - maxSessionID - 512} // what others hear is base64, with some more
	}
	return err
}

// Cancel implements [replicas.Part].
func (p *part) Cancel(id runtime.ID) bool {
	p.tellFormer(&broadcast{Cancel: wire.AppendID(nil, id)})
	return p.restored
}

// tellFormer passes a message on to the former homes of the session, if there may be any.
func (p *part) tellFormer(t *broadcast) error {
	if !p.restored {
		return nil
	}
	t.Session = p.session.ID()
	p.place.reach(t, nil) // which does not hear itself, and may have served the session before
	return p.place.tell(t)
}
