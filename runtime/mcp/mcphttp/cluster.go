package mcphttp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// cluster makes a handler a replica of a server. A session is served by its home, which is the replica that it was opened at, or the one
// that has continued it. The others pass requests on to it.
type cluster struct {
	h     *Handler
	bp    Backplane
	name  string       // of this replica
	homes homes        // of sessions of others
	apply func([]byte) // notifies clients of a change of another replica
	end   func()       // undoes join
	stop  chan struct{}
	ended sync.WaitGroup // goroutines of the cluster

	mu         sync.Mutex
	closed     bool                             // no more goroutines are started
	continuing map[string]*continuing           // sessions that are being continued here, by id
	departed   map[string]map[*session]struct{} // sessions with calls in flight that another replica has continued, by id
}

// continuing is the attempt to continue a session. Requests of the session wait for it.
type continuing struct{ done chan struct{} }

// newCluster joins the backplane of the options.
func newCluster(h *Handler) (*cluster, error) {
	c := &cluster{
		h: h, bp: h.o.Backplane, name: rand.Text(), stop: make(chan struct{}),
		continuing: make(map[string]*continuing), departed: make(map[string]map[*session]struct{}),
	}
	apply, stopRelay := h.srv.Relay(func(change []byte) { c.tell(&told{Change: change}) })
	c.apply = apply
	leave, err := c.bp.Join(Replica{Name: c.name, Answer: c.answer, Heard: c.heard, Missed: c.missed})
	if err != nil {
		stopRelay()
		return nil, fmt.Errorf("mcphttp: the backplane cannot be joined: %w", err)
	}
	c.end = func() {
		stopRelay()
		leave()
	}
	c.ended.Go(c.refresh)
	return c, nil
}

// close leaves the backplane. Other replicas continue the sessions.
func (c *cluster) close() {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	var all []*session
	for _, former := range c.departed {
		all = slices.AppendSeq(all, maps.Keys(former))
	}
	c.mu.Unlock()
	if again {
		return
	}
	for _, s := range all {
		s.close()
	}
	close(c.stop)
	c.end()
	c.ended.Wait()
}

// background runs f in a goroutine, with a context that limits its time. After close it does nothing.
func (c *cluster) background(f func(ctx context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.ended.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), backplaneTimeout)
		defer cancel()
		f(ctx)
	})
}

// answer serves a request of another replica.
func (c *cluster) answer(ctx context.Context, request []byte, send func([]byte, bool) error) {
	w := &forwardedWriter{send: send, header: make(http.Header)}
	defer func() {
		if p := recover(); p != nil {
			c.h.log.Error("a request of another replica failed", "panic", peerlog.Value(p))
		}
		w.finish() // if the replica has gone, so has the client
	}()
	r, err := decodeRequest(ctx, request)
	if err != nil {
		c.h.log.Error("a request of another replica could not be read", "error", err)
		return
	}
	if !c.h.enter() {
		return // the replica that asked continues the session
	}
	defer c.h.leave()
	if ctx, ok := c.h.authenticate(w, r); ok {
		c.h.route(ctx, w, r)
	}
}

// told is a message to all replicas, as JSON.
type told struct {
	From     string          `json:"from"`
	Change   json.RawMessage `json:"change,omitempty"`   // that clients are notified of
	Session  string          `json:"session,omitempty"`  // that the rest is about
	Home     string          `json:"home,omitempty"`     // which has continued the session
	Revision uint64          `json:"revision,omitempty"` // of its record then
	Response []byte          `json:"response,omitempty"` // of the client, to a request of a former home
	Over     bool            `json:"over,omitempty"`     // the session has ended: calls at a former home end, too
	Cancel   []byte          `json:"cancel,omitempty"`   // id of a request that the client has cancelled, which a former home may serve
}

func (c *cluster) tell(t *told) {
	t.From = c.name
	text, err := json.Marshal(t)
	if err != nil {
		c.h.log.Error("a message to other replicas could not be written", "error", err)
		return
	}
	c.bp.Tell(text)
}

// heard takes a message of another replica.
func (c *cluster) heard(message []byte) {
	var t told
	if err := json.Unmarshal(message, &t); err != nil || t.From == c.name {
		return // of a later version, or its own
	}
	switch {
	case t.Change != nil:
		c.apply(t.Change)
	case t.Home != "":
		c.homes.forget(t.Session)
		if s := c.h.sessions.get(t.Session); s != nil && s.roams.revision.Load() < t.Revision {
			s.depart()
		}
	case t.Over:
		for _, s := range c.formerly(t.Session) {
			s.close()
		}
	case t.Response != nil:
		c.each(t.Session, func(s *session) { s.deliverHere(t.Response) })
	case t.Cancel != nil:
		if id, ok := wire.ParseID(t.Cancel); ok {
			c.each(t.Session, func(s *session) { s.cancelHere(id, errCancelled) })
		}
	}
}

var errCancelled = errors.New("the client has cancelled the request")

// each calls f for the sessions with an id that are served here, and those that were.
func (c *cluster) each(id string, f func(*session)) {
	all := c.formerly(id)
	if s := c.h.sessions.get(id); s != nil {
		all = append(all, s)
	}
	for _, s := range all {
		f(s)
	}
}

// formerly returns the sessions with an id that another replica has continued.
func (c *cluster) formerly(id string) (all []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.departed[id] {
		all = append(all, s)
	}
	return all
}

// missed is called when messages may have been missed: other replicas may have continued sessions that are here, which is found out when
// they are used, and clients may have missed changes.
func (c *cluster) missed() {
	c.homes.clear()
	for _, s := range c.h.sessions.list() {
		s.roams.stale.Store(true)
	}
	c.apply(nil)
}

// refresh keeps the records of sessions that are in use from expiring.
func (c *cluster) refresh() {
	tick := time.NewTicker(max(time.Second, c.h.o.SessionIdle/4))
	defer tick.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-tick.C:
		}
		for _, s := range c.h.sessions.list() {
			if s.inUse() {
				c.saveInBackground(s)
			}
		}
	}
}

// saveInBackground saves a session without waiting. A failure is repeated by refresh.
func (c *cluster) saveInBackground(s *session) {
	c.background(func(ctx context.Context) {
		if err := c.save(ctx, s, true); err != nil {
			c.h.peerLog.Warn("the record of a session could not be saved", "error", err)
		}
	})
}

// backplaneTimeout limits the time of one use of the backplane.
const backplaneTimeout = 5 * time.Second

// lifetime is how long a record is kept after it was saved: longer than its session may be idle, and saved at intervals of a quarter of that.
func (c *cluster) lifetime() time.Duration { return c.h.o.SessionIdle + c.h.o.SessionIdle/2 }

// save stores the record of a session if it has changed, or in any case if again is set.
func (c *cluster) save(ctx context.Context, s *session, again bool) error {
	p := s.roams
	if !again && p.version.Load() == p.state.StateVersion() {
		return nil
	}
	p.saving.Lock()
	defer p.saving.Unlock()
	version := p.state.StateVersion()
	if p.gone || !again && p.version.Load() == version {
		return nil
	}
	own := &record{home: c.name, principal: s.principal, state: p.state.State(), others: p.others}
	revision, err := c.bp.Save(ctx, s.id, own.encode(), p.revision.Load(), c.lifetime())
	switch {
	case errors.Is(err, ErrConflict):
		p.gone = true
		s.depart()
		return err
	case err != nil:
		p.stale.Store(true) // the record may have been stored
		p.saved.Store(0)    // the next request has it saved
		return err
	}
	p.revision.Store(revision)
	p.version.Store(version)
	p.saved.Store(time.Now().UnixNano())
	return nil
}

// remove deletes the record of a session that has ended, unless another replica has continued it.
func (c *cluster) remove(ctx context.Context, s *session) error {
	p := s.roams
	p.saving.Lock()
	defer p.saving.Unlock()
	if p.gone {
		return nil
	}
	if p.revision.Load() > 0 {
		if err := c.bp.Delete(ctx, s.id); err != nil {
			return err
		}
	}
	p.gone = true
	s.tellFormer(&told{Over: true})
	return nil
}

// removeInBackground is remove without waiting. A record that is left expires.
func (c *cluster) removeInBackground(s *session) {
	if c.h.closing.Load() {
		return // other replicas continue the session
	}
	c.background(func(ctx context.Context) {
		if err := c.remove(ctx, s); err != nil {
			c.h.peerLog.Warn("the record of a session could not be deleted", "error", err)
		}
	})
}
