package mcpcluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/replicas"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// Find implements [replicas.Place].
func (c *place) Find(ctx context.Context, w http.ResponseWriter, r replicas.Request) (replicas.Session, *replicas.Refusal) {
	const attempts = 8 // of replicas that want to continue the session at the same time
	id, principal := r.ID, r.Principal
	if len(id) > maxSessionID {
		return nil, &replicas.NoSession
	}
	if err := c.bp.Ready(); err != nil {
		c.h.PeerLog.Warn("the backplane is not ready", "error", err)
		return nil, replicas.Unavailable(replicas.NotNow)
	}
	for range attempts {
		if p := c.here(id); p != nil && p.session.Principal() == principal {
			home, err := c.keepsHome(ctx, p)
			if home && p.session.Use() {
				c.touch(p)
				return p.session, nil
			}
			if err != nil && !p.session.Closed() {
				c.h.PeerLog.Warn("it cannot be found out whether a session is still served here", "error", err)
				return nil, replicas.Unavailable(replicas.NotNow)
			}
		}
		if home := c.homes.of(id, principal); home != "" && !isForwarded(ctx) {
			if out := c.pass(ctx, w, r, home); out.answered || out.refused != nil {
				return nil, out.refused
			}
		}
		known, revision, refused := c.load(ctx, id, principal)
		if refused != nil {
			return nil, refused
		}
		if known.home != c.name {
			if isForwarded(ctx) {
				return nil, nil // the replica that asked looks for the home again
			}
			c.homes.learn(id, known.home, principal)
			if out := c.pass(ctx, w, r, known.home); out.answered || out.refused != nil {
				return nil, out.refused
			}
		}
		if known.later {
			return nil, replicas.Unavailable(replicas.Later)
		}
		if refused := c.continueHere(ctx, r, known, revision); refused != nil {
			return nil, refused
		}
	}
	return nil, replicas.Unavailable(replicas.Moving)
}

// pass passes a request on to the home of its session. If the home was lost, the session is continued here, also for the next request of the
// session, which need not find that out.
func (c *place) pass(ctx context.Context, w http.ResponseWriter, r replicas.Request, home string) forwardResult {
	out := c.forward(ctx, w, r, home)
	if !out.lost && (out.answered || out.refused != nil) {
		return out
	}
	c.homes.forget(r.ID)
	if out.lost {
		ctx := context.WithoutCancel(ctx)
		if known, revision, refused := c.load(ctx, r.ID, r.Principal); refused == nil && known.home == home && !known.later {
			c.continueHere(ctx, r, known, revision)
		}
	}
	return out
}

// maxSessionID is the size in bytes of an id that may be one of a session.
const maxSessionID = 64

// isHome reports whether this replica is still the home of a session that is here. Only if it may have missed the change, the record is looked at; the error
// is that of [Backplane.Load].
func (c *place) isHome(ctx context.Context, p *part) (bool, error) {
	reasons := p.stale.Load()
	if reasons == 0 {
		return true, nil
	}
	text, revision, err := c.bp.Load(ctx, p.key)
	if err != nil {
		return false, err
	}
	known, err := decodeRecord(text)
	if err != nil || known.home != c.name {
		p.depart()
		return false, nil
	}
	p.saving.Lock()
	defer p.saving.Unlock()
	p.revision.Store(max(revision, p.revision.Load())) // it may have been saved meanwhile
	p.stale.CompareAndSwap(reasons, 0)
	return true, nil
}

// keepsHome is isHome, but saves a record anew that is gone: it has expired because it could not be saved, or the backplane has lost it.
func (c *place) keepsHome(ctx context.Context, p *part) (bool, error) {
	reasons := p.stale.Load()
	if reasons == 0 {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, backplaneTimeout)
	defer cancel()
	home, err := c.isHome(ctx, p)
	if !errors.Is(err, ErrNoRecord) {
		return home, err
	}
	err = c.save(ctx, p, true)
	p.saving.Lock()
	defer p.saving.Unlock()
	switch {
	case p.gone:
		return false, nil
	case err == nil:
		p.stale.CompareAndSwap(reasons, 0)
	}
	return err == nil, err
}

// touch saves the record of a session that has not been saved for long.
func (c *place) touch(p *part) {
	last := p.saved.Load()
	now := time.Now().UnixNano()
	if time.Duration(now-last) > c.h.SessionIdle/4 && p.saved.CompareAndSwap(last, now) {
		c.saveInBackground(p)
	}
}

// load returns the record of a session of the principal, or a refusal: the sessions of others are not known. The context gone ends with the client.
func (c *place) load(gone context.Context, id, principal string) (*record, uint64, *replicas.Refusal) {
	ctx, cancel := context.WithTimeout(gone, backplaneTimeout)
	defer cancel()
	text, revision, err := c.bp.Load(ctx, recordKey(principal, id))
	if errors.Is(err, ErrNoRecord) {
		denied := &broadcast{Session: id, Denied: true, Client: principal}
		c.reach(denied, c.here(id))
		_ = c.tell(denied) // otherwise calls that wait for the client have their limits
		return nil, 0, &replicas.NoSession
	}
	if err != nil {
		if gone.Err() == nil { // otherwise the client has gone
			c.h.PeerLog.Warn("the record of a session could not be loaded", "error", err)
		}
		return nil, 0, replicas.Unavailable(replicas.NotNow)
	}
	known, err := decodeRecord(text)
	switch {
	case err != nil:
		c.h.Log.Error("the record of a session could not be read", "error", err)
		return nil, 0, &replicas.NoSession
	case known.principal != principal:
		return nil, 0, &replicas.NoSession
	case known.server != "" && known.server != c.h.Server:
		c.h.PeerLog.Warn("a session of another server was asked for: servers that share a backplane need names of their own in it", "server", known.server)
		return nil, 0, &replicas.NoSession
	}
	return known, revision, nil
}

// forwardResult is what became of a request that was passed on. Without any of these it was not served, and the session has to be continued here.
type forwardResult struct {
	answered bool // the client has its answer, or is gone
	lost     bool // the home was lost
	refused  *replicas.Refusal
}

// forward passes a request on to the home of its session.
func (c *place) forward(ctx context.Context, w http.ResponseWriter, r replicas.Request, home string) forwardResult {
	f := &forwarder{w: w, timeout: c.h.WriteTimeout}
	defer f.end()
	err := c.bp.Ask(ctx, home, encodeRequest(r.HTTP, r.Body), f.part)
	large, tooLarge := errors.AsType[*frame.TooLargeError](err)
	switch {
	case err == nil || ctx.Err() != nil:
		return forwardResult{answered: true}
	case tooLarge:
		return forwardResult{refused: replicas.TooLarge(&frame.TooLargeError{Size: int64(len(r.Body)), Max: large.Max})}
	case !f.begun && (errors.Is(err, ErrNoReplica) || errors.Is(err, errNotServed)):
		return forwardResult{}
	case errors.Is(err, ErrLost) || errors.Is(err, ErrNoReplica):
		c.h.PeerLog.Warn("a replica was lost while it served a request", "replica", home)
		return c.endLost(f, r)
	case f.begun: // the client could not be written to, or reads too slowly
		c.h.PeerLog.Warn("the answer of another replica did not reach the client as a whole", "error", err)
		return forwardResult{answered: true}
	}
	c.h.PeerLog.Warn("a request could not be passed on to another replica", "error", err)
	return forwardResult{refused: replicas.Unavailable(replicas.NotNow)}
}

// endLost ends a request whose home was lost while it served the request: a request of the client fails with an error, since it may have been
// executed. A client that only wants to read is served here.
func (c *place) endLost(f *forwarder, r replicas.Request) forwardResult {
	answer := lostAnswers(r.Body)
	switch {
	case f.within && f.stream: // readers drop the event, and resume after the one before it
	case f.begun && f.stream && answer != nil:
		f.write(append(append([]byte("data: "), answer...), "\n\n"...))
	case f.begun:
	case answer != nil:
		web.WriteJSON(f.w, f.timeout, http.StatusOK, answer)
	case r.HTTP.Method == http.MethodGet, r.HTTP.Method == http.MethodDelete:
		return forwardResult{lost: true}
	default:
		return forwardResult{lost: true, refused: replicas.Unavailable(replicas.Moving)}
	}
	return forwardResult{answered: true, lost: true}
}

// lostAnswers returns the answer to a request whose replica is gone, or to a batch with requests; nil for any other message.
func lostAnswers(msg []byte) []byte {
	var all []json.RawMessage
	if json.Unmarshal(msg, &all) == nil { // a batch
		var answers [][]byte
		for _, one := range all {
			if answer := lostAnswers(one); answer != nil {
				answers = append(answers, answer)
			}
		}
		if answers == nil {
			return nil
		}
		return append(append([]byte{'['}, bytes.Join(answers, []byte{','})...), ']')
	}
	if p := protocol.Peek(msg); p.Method == "" || !p.HasID {
		return nil
	}
	return lostAnswer(wire.PeekAt(msg).In("id").JSON())
}

// lostAnswer returns the error for a request whose replica is gone.
func lostAnswer(id []byte) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	return append(b, `,"error":{"code":-32603,"message":"The server that handled the request is gone; the request may have been executed"}}`...)
}

// continueHere makes this replica the home of a session whose home is gone. Requests of the session that come at the same time wait.
func (c *place) continueHere(ctx context.Context, r replicas.Request, known *record, revision uint64) *replicas.Refusal {
	c.mu.Lock()
	if other := c.continuing[r.ID]; other != nil {
		c.mu.Unlock()
		select {
		case <-other:
			return nil // the caller looks again
		case <-ctx.Done():
			return replicas.Unavailable(replicas.Moving)
		}
	}
	own := make(chan struct{})
	c.continuing[r.ID] = own
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.continuing, r.ID)
		c.mu.Unlock()
		close(own)
	}()
	if c.here(r.ID) != nil {
		return nil // continued in between
	}
	return c.restore(ctx, r, known, revision)
}

// restore makes a session of its record, and this replica its home. A conflict is not a refusal: the caller looks again.
func (c *place) restore(ctx context.Context, r replicas.Request, known *record, revision uint64) *replicas.Refusal {
	s, refused := c.h.Sessions.Open(ctx, r)
	if refused != nil {
		return refused
	}
	defer s.Unuse()
	p := partOf(s)
	p.restored, p.others = true, known.others
	p.revision.Store(revision)
	s.CountFrom(firstID())
	if err := s.State().Restore(ctx, known.state); err != nil {
		c.h.Log.Error("a session could not be continued", "error", err)
		p.abandon()
		return &replicas.NoSession
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), backplaneTimeout)
	defer cancel()
	if err := c.save(ctx, p, true); err != nil {
		p.abandon()
		if errors.Is(err, ErrConflict) {
			return nil
		}
		return replicas.Unavailable(replicas.NotNow)
	}
	if !c.h.Sessions.Add(s) {
		p.abandon()
		return replicas.Unavailable(replicas.Closing)
	}
	c.tell(&broadcast{Session: r.ID, Home: c.name, Revision: p.revision.Load()})
	return nil
}

// abandon closes a session and leaves its record to other replicas.
func (p *part) abandon() {
	p.saving.Lock()
	p.gone = true
	p.saving.Unlock()
	p.session.Close()
}
