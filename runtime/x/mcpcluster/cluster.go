package mcpcluster

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
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/replicas"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// Cluster connects the handlers of a server: it is the value of mcphttp.Options.Replicas.
type Cluster struct{ backplane Backplane }

// New returns a cluster over a backplane. Handlers of one process may share it.
func New(b Backplane) *Cluster { return &Cluster{b} }

// Join makes a handler a replica. Package mcphttp calls it.
func (c *Cluster) Join(h replicas.Host) (replicas.Place, error) {
	p := &place{
		h: h, bp: c.backplane, name: rand.Text(), stop: make(chan struct{}),
		continuing: make(map[string]chan struct{}), departed: make(map[string]map[*part]struct{}), unsettled: make(map[*part]struct{}),
	}
	apply, stopRelay := h.Relay(func(change []byte) { p.tell(&broadcast{Change: change}) })
	p.apply = apply
	leave, err := p.bp.Join(Replica{Name: p.name, Answer: p.answer, Heard: p.receive, Missed: p.handleGap})
	if err != nil {
		stopRelay()
		return nil, fmt.Errorf("mcpcluster: the backplane cannot be joined: %w", err)
	}
	p.end = func() {
		stopRelay()
		leave()
	}
	p.ended.Go(p.refresh)
	return p, nil
}

// place is a handler as a replica of a server. A session is served by its home, which is the replica that it was opened at, or the one
// that has continued it. The others pass requests on to it.
type place struct {
	h     replicas.Host
	bp    Backplane
	name  string       // of this replica
	homes homes        // of sessions of others
	apply func([]byte) // notifies clients of a change of another replica
	end   func()       // undoes Join
	stop  chan struct{}
	ended sync.WaitGroup // goroutines of the place

	mu         sync.Mutex
	closed     bool                          // no more goroutines are started
	continuing map[string]chan struct{}      // closed when a session was continued here, by id: its requests wait for that
	departed   map[string]map[*part]struct{} // sessions with calls in flight that another replica has continued, by id
	unsettled  map[*part]struct{}            // sessions with calls that wait, for settle
	settling   bool                          // settle runs
}

// Ready implements [replicas.Place].
func (c *place) Ready() error { return c.bp.Ready() }

// Leave implements [replicas.Place].
func (c *place) Leave() {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	var all []*part
	for _, former := range c.departed {
		all = slices.AppendSeq(all, maps.Keys(former))
	}
	c.mu.Unlock()
	if again {
		return
	}
	for _, p := range all {
		p.session.Close()
	}
	close(c.stop)
	c.end()
	c.ended.Wait()
}

// background runs f in a goroutine, with a context that limits its time. After close it does nothing.
func (c *place) background(f func(ctx context.Context)) {
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
func (c *place) answer(ctx context.Context, request []byte, send func([]byte, bool) error) {
	w := &forwardedWriter{send: send, header: make(http.Header)}
	defer func() {
		if p := recover(); p != nil {
			c.h.Log.Error("a request of another replica failed", "panic", peerlog.Value(p))
		}
		w.finish() // if the replica has gone, so has the client
	}()
	r, err := decodeRequest(ctx, request)
	if err != nil {
		c.h.Log.Error("a request of another replica could not be read", "error", err)
		return
	}
	c.h.Serve(w, r) // if it does not, the replica that asked continues the session
}

// broadcast is a message to all replicas, as JSON.
type broadcast struct {
	From     string          `json:"from"`
	Change   json.RawMessage `json:"change,omitempty"`   // that clients are notified of
	Session  string          `json:"session,omitempty"`  // that the rest is about
	Home     string          `json:"home,omitempty"`     // which has continued the session
	Revision uint64          `json:"revision,omitempty"` // of its record then
	Response []byte          `json:"response,omitempty"` // of the client, to a request of a former home
	Over     bool            `json:"over,omitempty"`     // the session has ended: calls at a former home end, too
	Cancel   []byte          `json:"cancel,omitempty"`   // id of a request that the client has cancelled, which a former home may serve
	Denied   bool            `json:"denied,omitempty"`   // the session has no record: its client was told that it has ended, which then holds everywhere
	Client   string          `json:"client,omitempty"`   // with that: the principal
}

// tell sends a message. If that fails, the others learn that they have missed something.
func (c *place) tell(t *broadcast) error {
	t.From = c.name
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // it was made here
	}
	if err = c.bp.Tell(text); err != nil {
		c.h.PeerLog.Warn("a message to other replicas could not be sent", "error", err)
	}
	return err
}

// receive takes a message of another replica.
func (c *place) receive(message []byte) {
	var t broadcast
	if err := json.Unmarshal(message, &t); err != nil || t.From == c.name {
		return // of a later version, or its own
	}
	switch {
	case t.Change != nil:
		c.apply(t.Change)
	case t.Home != "":
		c.homes.forget(t.Session)
		if p := c.here(t.Session); p != nil && p.revision.Load() < t.Revision {
			p.depart()
		}
	default:
		c.reach(&t, c.here(t.Session))
	}
}

// reach takes what a client has sent of a session that was served here before, or is here: then it is here, and nil otherwise.
func (c *place) reach(t *broadcast, here *part) {
	all := c.formerly(t.Session)
	if here != nil && !t.Over {
		all = append(all, here)
	}
	for _, p := range all {
		switch {
		case t.Denied && t.Client != p.session.Principal():
		case t.Over, t.Denied:
			c.background(func(context.Context) { p.session.Close() }) // what a session ends may take its time
		case t.Response != nil:
			p.session.Deliver(t.Response)
		case t.Cancel != nil:
			if id, ok := wire.ParseID(t.Cancel); ok {
				p.session.Cancel(id, errCancelled)
			}
		}
	}
}

var errCancelled = errors.New("the client has cancelled the request")

// here returns the part of the session with an id that is served here, or nil.
func (c *place) here(id string) *part {
	if s := c.h.Sessions.Get(id); s != nil {
		return partOf(s)
	}
	return nil
}

// formerly returns the parts of the sessions with an id that another replica has continued.
func (c *place) formerly(id string) []*part {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.departed[id]))
}

// handleGap is called when messages may have been missed: other replicas may have continued sessions that are here, which is found out when
// they are used, and clients may have missed changes. They may also have been told responses of clients that calls here wait for, which would wait without
// an end: those of sessions that are not at home here fail.
func (c *place) handleGap() {
	c.homes.clear()
	var waiting []*part
	for _, s := range c.h.Sessions.All() {
		p := partOf(s)
		p.stale.Add(1)
		if s.Waits() {
			waiting = append(waiting, p)
		}
	}
	c.mu.Lock()
	for _, former := range c.departed {
		for p := range former {
			p.session.LoseResponses()
		}
	}
	for _, p := range waiting {
		c.unsettled[p] = struct{}{}
	}
	if !c.closed && !c.settling && len(waiting) > 0 {
		c.settling = true
		c.ended.Go(c.settle)
	}
	c.mu.Unlock()
	c.apply(nil)
}

// settle finds out whether the unsettled sessions are still at home here, and ends the waiting of their calls if not.
func (c *place) settle() {
	for p := c.nextUnsettled(); p != nil; p = c.nextUnsettled() {
		if c.settled(p) {
			continue
		}
		c.mu.Lock()
		c.unsettled[p] = struct{}{}
		c.mu.Unlock()
		select {
		case <-c.stop:
			return
		case <-time.After(time.Second):
		}
	}
}

// nextUnsettled takes one of the unsettled sessions. Without one it returns nil, and settle ends.
func (c *place) nextUnsettled() *part {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range c.unsettled {
		delete(c.unsettled, p)
		return p
	}
	c.settling = false
	return nil
}

// settled is settle for one session. It reports false if that cannot be found out yet.
func (c *place) settled(p *part) bool {
	home, err := c.keepsHome(context.Background(), p)
	if err != nil {
		return p.session.Closed()
	}
	if !home {
		p.session.LoseResponses()
	}
	return true
}

// refresh keeps the records of sessions that are in use from expiring.
func (c *place) refresh() {
	tick := time.NewTicker(max(time.Second, c.h.SessionIdle/4))
	defer tick.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-tick.C:
		}
		for _, s := range c.h.Sessions.All() {
			if s.InUse() {
				c.saveInBackground(partOf(s))
			}
		}
	}
}

// saveInBackground saves a session without waiting. A failure is repeated by refresh.
func (c *place) saveInBackground(p *part) {
	c.background(func(ctx context.Context) {
		if err := c.save(ctx, p, true); err != nil {
			c.h.PeerLog.Warn("the record of a session could not be saved", "error", err)
		}
	})
}

// backplaneTimeout limits the time of one use of the backplane.
const backplaneTimeout = 5 * time.Second

// lifetime is how long a record is kept after it was saved: longer than its session may be idle, and saved at intervals of a quarter of that.
func (c *place) lifetime() time.Duration { return c.h.SessionIdle + c.h.SessionIdle/2 }

// save stores the record of a session if it has changed, or in any case if again is set. A record that is gone, as it has expired or was lost, is stored anew.
func (c *place) save(ctx context.Context, p *part, again bool) error {
	if !again && p.version.Load() == p.Version() {
		return nil
	}
	p.saving.Lock()
	defer p.saving.Unlock()
	version := p.Version()
	if p.gone || !again && p.version.Load() == version {
		return nil
	}
	own := &record{home: c.name, server: c.h.Server, principal: p.session.Principal(), state: p.session.State().State(), others: p.others}
	revision, err := c.bp.Save(ctx, p.key, own.encode(), p.revision.Load(), c.lifetime())
	if errors.Is(err, ErrConflict) && p.version.Load() > 0 { // it was saved here before
		switch _, _, missing := c.bp.Load(ctx, p.key); {
		case errors.Is(missing, ErrNoRecord):
			revision, err = c.bp.Save(ctx, p.key, own.encode(), 0, c.lifetime())
		case missing != nil:
			err = missing
		}
	}
	switch {
	case errors.Is(err, ErrConflict):
		p.gone = true
		p.depart()
		return err
	case err != nil:
		p.stale.Add(1)   // the record may have been stored
		p.saved.Store(0) // the next request has it saved
		return err
	}
	p.revision.Store(revision)
	p.version.Store(version)
	p.saved.Store(time.Now().UnixNano())
	return nil
}

// remove deletes the record of a session that has ended, unless another replica has continued it, which may not have been noticed here.
func (c *place) remove(ctx context.Context, p *part) error {
	home, err := c.isHome(ctx, p)
	kept := !errors.Is(err, ErrNoRecord)
	if kept && !home {
		return err
	}
	p.saving.Lock()
	defer p.saving.Unlock()
	if p.gone {
		return nil
	}
	if revision := p.revision.Load(); kept && revision > 0 {
		err := c.bp.Delete(ctx, p.key, revision)
		if p.gone = errors.Is(err, ErrConflict); p.gone {
			return nil
		}
		if err != nil {
			return err
		}
	}
	p.gone = true
	p.tellFormer(&broadcast{Over: true})
	return nil
}

// removeInBackground is remove without waiting. A record that is left expires.
func (c *place) removeInBackground(p *part) {
	if c.h.Closing() {
		return // other replicas continue the session
	}
	c.background(func(ctx context.Context) {
		if err := c.remove(ctx, p); err != nil {
			c.h.PeerLog.Warn("the record of a session could not be deleted", "error", err)
		}
	})
}
