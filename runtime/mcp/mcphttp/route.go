package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// unavailable returns the refusal while sessions cannot be served.
func unavailable(reason string) *refusal {
	cond := runtime.Condition{Kind: when.Overloaded, Reason: reason, RetryAfter: web.Busy}
	return &refusal{status: http.StatusServiceUnavailable, condition: cond}
}

const (
	reasonBackplane = "sessions are not available at present"
	reasonMoving    = "the session is moving to another replica"
)

// sessionOf returns the session of a request if this replica is its home, or becomes it. Otherwise the request was answered, by the home or with a
// refusal, and it returns nil.
func (c *cluster) sessionOf(ctx context.Context, w http.ResponseWriter, r *http.Request, msg []byte) *session {
	s, refused := c.find(ctx, w, r, msg)
	if refused != nil {
		c.h.refuse(w, *refused)
	}
	return s
}

// find is sessionOf that returns a refusal instead of answering with it.
func (c *cluster) find(ctx context.Context, w http.ResponseWriter, r *http.Request, msg []byte) (*session, *refusal) {
	const attempts = 8 // of replicas that want to continue the session at the same time
	id, principal := r.Header.Get(headerSession), mcp.PrincipalFrom(ctx)
	if len(id) > maxSessionID {
		return nil, &noSession
	}
	if err := c.bp.Ready(); err != nil {
		c.h.peerLog.Warn("the backplane is not ready", "error", err)
		return nil, unavailable(reasonBackplane)
	}
	for range attempts {
		if s := c.h.sessions.find(id, principal); s != nil && c.isHome(ctx, s) && s.use() {
			c.touch(s)
			return s, nil
		}
		if home := c.homes.of(id, principal); home != "" && !isForwarded(ctx) {
			if out := c.pass(ctx, w, r, home, msg); out.answered || out.refused != nil {
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
			if out := c.pass(ctx, w, r, known.home, msg); out.answered || out.refused != nil {
				return nil, out.refused
			}
		}
		if known.later {
			return nil, unavailable(errVersion.Error())
		}
		if refused := c.continueHere(ctx, r, id, known, revision); refused != nil {
			return nil, refused
		}
	}
	return nil, unavailable(reasonMoving)
}

// pass passes a request on to the home of its session. If the home was lost, the session is continued here, also for the next request of the
// session, which need not find that out.
func (c *cluster) pass(ctx context.Context, w http.ResponseWriter, r *http.Request, home string, msg []byte) forwarded {
	out := c.forward(ctx, w, r, home, msg)
	if !out.lost && (out.answered || out.refused != nil) {
		return out
	}
	id, principal := r.Header.Get(headerSession), mcp.PrincipalFrom(ctx)
	c.homes.forget(id)
	if out.lost {
		ctx := context.WithoutCancel(ctx)
		if known, revision, refused := c.load(ctx, id, principal); refused == nil && known.home == home && !known.later {
			c.continueHere(ctx, r, id, known, revision)
		}
	}
	return out
}

// maxSessionID is the size in bytes of an id that may be one of a session.
const maxSessionID = 64

// isHome reports whether this replica is still the home of a session that is here. Only if it may have missed the change, the record is looked at.
func (c *cluster) isHome(ctx context.Context, s *session) bool {
	p := s.roams
	if !p.stale.Load() {
		return true
	}
	text, revision, err := c.bp.Load(ctx, s.id)
	if err != nil {
		return false
	}
	known, err := decodeRecord(text)
	if err != nil || known.home != c.name {
		s.depart()
		return false
	}
	p.saving.Lock()
	defer p.saving.Unlock()
	p.revision.Store(revision)
	p.stale.Store(false)
	return true
}

// touch saves the record of a session that has not been saved for long.
func (c *cluster) touch(s *session) {
	last := s.roams.saved.Load()
	now := time.Now().UnixNano()
	if time.Duration(now-last) > c.h.o.SessionIdle/4 && s.roams.saved.CompareAndSwap(last, now) {
		c.saveInBackground(s)
	}
}

// load returns the record of a session of the principal, or a refusal: the sessions of others are not known. The context gone ends with the client.
func (c *cluster) load(gone context.Context, id, principal string) (*record, uint64, *refusal) {
	ctx, cancel := context.WithTimeout(gone, backplaneTimeout)
	defer cancel()
	text, revision, err := c.bp.Load(ctx, id)
	if errors.Is(err, ErrNoRecord) {
		return nil, 0, &noSession
	}
	if err != nil {
		if gone.Err() == nil { // otherwise the client has gone
			c.h.peerLog.Warn("the record of a session could not be loaded", "error", err)
		}
		return nil, 0, unavailable(reasonBackplane)
	}
	known, err := decodeRecord(text)
	switch {
	case err != nil:
		c.h.log.Error("the record of a session could not be read", "error", err)
		return nil, 0, &noSession
	case known.principal != principal:
		return nil, 0, &noSession
	}
	return known, revision, nil
}

// forwarded is what became of a request that was passed on. Without any of these it was not served, and the session has to be continued here.
type forwarded struct {
	answered bool // the client has its answer, or is gone
	lost     bool // the home was lost
	refused  *refusal
}

// forward passes a request on to the home of its session.
func (c *cluster) forward(ctx context.Context, w http.ResponseWriter, r *http.Request, home string, msg []byte) forwarded {
	f := &forwarder{w: w, timeout: c.h.o.WriteTimeout}
	defer f.end()
	err := c.bp.Ask(ctx, home, encodeRequest(r, msg), f.part)
	large, tooLarge := errors.AsType[*frame.TooLargeError](err)
	switch {
	case err == nil || ctx.Err() != nil:
		return forwarded{answered: true}
	case tooLarge:
		cond := runtime.Condition{Kind: when.MessageTooLarge, MaxSize: large.Max, Size: len(msg), Unit: "bytes"}
		return forwarded{refused: &refusal{status: http.StatusRequestEntityTooLarge, condition: cond}}
	case !f.begun && (errors.Is(err, ErrNoReplica) || errors.Is(err, errNotServed)):
		return forwarded{}
	case errors.Is(err, ErrLost) || errors.Is(err, ErrNoReplica):
		c.h.peerLog.Warn("a replica was lost while it served a request", "replica", home)
		return c.lost(f, r, msg)
	case f.begun:
		return forwarded{answered: true} // the client could not be written to
	}
	c.h.peerLog.Warn("a request could not be passed on to another replica", "error", err)
	return forwarded{refused: unavailable(reasonBackplane)}
}

// lost ends a request whose home was lost while it served the request: a request of the client fails with an error, since it may have been
// executed. A client that only wants to read is served here.
func (c *cluster) lost(f *forwarder, r *http.Request, msg []byte) forwarded {
	id := requestID(msg)
	switch {
	case f.begun && f.stream && id != nil:
		out := &eventStream{w: f.w, control: http.NewResponseController(f.w), timeout: f.timeout}
		out.send("", lostAnswer(id))
	case f.begun:
	case id != nil:
		writeAnswer(f.w, f.timeout, http.StatusOK, lostAnswer(id))
	case r.Method == http.MethodGet, r.Method == http.MethodDelete:
		return forwarded{lost: true}
	default:
		return forwarded{lost: true, refused: unavailable(reasonMoving)}
	}
	return forwarded{answered: true, lost: true}
}

// requestID returns the id of a request as JSON, or nil for any other message.
func requestID(msg []byte) []byte {
	if p := protocol.Peek(msg); p.Method == "" || !p.HasID {
		return nil
	}
	return wire.PeekAt(msg).In("id").JSON()
}

// lostAnswer returns the error for a request whose replica is gone.
func lostAnswer(id []byte) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	return append(b, `,"error":{"code":-32603,"message":"The server that handled the request is gone; the request may have been executed"}}`...)
}

// continueHere makes this replica the home of a session whose home is gone. Requests of the session that come at the same time wait.
func (c *cluster) continueHere(ctx context.Context, r *http.Request, id string, known *record, revision uint64) *refusal {
	c.mu.Lock()
	if other := c.continuing[id]; other != nil {
		c.mu.Unlock()
		select {
		case <-other.done:
			return nil // the caller looks again
		case <-ctx.Done():
			return unavailable(reasonMoving)
		}
	}
	own := &continuing{done: make(chan struct{})}
	c.continuing[id] = own
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.continuing, id)
		c.mu.Unlock()
		close(own.done)
	}()
	if s := c.h.sessions.get(id); s != nil {
		return nil // continued in between
	}
	return c.restore(ctx, r, id, known, revision)
}

// restore makes a session of its record, and this replica its home. A conflict is not a refusal: the caller looks again.
func (c *cluster) restore(ctx context.Context, r *http.Request, id string, known *record, revision uint64) *refusal {
	s, refused := c.h.sessions.openAs(id, c.h.callerOf(ctx, r), known.principal)
	if refused != nil {
		return refused
	}
	defer s.unuse()
	p := s.roams
	p.restored, p.others = true, known.others
	p.revision.Store(revision)
	s.lastID.Store(firstID())
	if err := p.state.Restore(ctx, known.state); err != nil {
		c.h.log.Error("a session could not be continued", "error", err)
		p.gone = true
		s.close()
		return &noSession
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), backplaneTimeout)
	defer cancel()
	if err := c.save(ctx, s, true); err != nil {
		s.abandon()
		if errors.Is(err, ErrConflict) {
			return nil
		}
		return unavailable(reasonBackplane)
	}
	if !c.h.sessions.add(s) {
		s.abandon()
		return unavailable("the server is shutting down")
	}
	c.tell(&told{Session: id, Home: c.name, Revision: p.revision.Load()})
	return nil
}

// abandon closes a session and leaves its record to other replicas.
func (s *session) abandon() {
	s.roams.saving.Lock()
	s.roams.gone = true
	s.roams.saving.Unlock()
	s.close()
}
