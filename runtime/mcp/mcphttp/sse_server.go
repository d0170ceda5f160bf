package mcphttp

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"crypto/rand"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// This file serves the transport HTTP+SSE of 2024-11-05 (basic/transports): a GET is the session, on whose stream everything comes that the
// server says. Its first event names the URL to which the client posts its messages.

// sessionParam is the parameter of that URL.
const sessionParam = "sessionId"

// sseSessions are the sessions of HTTP+SSE, by their ids.
type sseSessions struct{ all sync.Map }

// sseSession is a session whose messages go through a pipe: the server is at its other end.
type sseSession struct {
	end       *pipe.Conn
	principal string
}

func (t *sseSessions) add(s *sseSession) (id string) {
	id = rand.Text()
	t.all.Store(id, s)
	return id
}

func (t *sseSessions) remove(id string) { t.all.Delete(id) }

// find returns a session of the principal, or nil.
func (t *sseSessions) find(id, principal string) *sseSession {
	s, _ := t.all.Load(id)
	if s, ok := s.(*sseSession); ok && s.principal == principal {
		return s
	}
	return nil
}

// close ends all sessions with everything in flight.
func (t *sseSessions) close() {
	for _, s := range t.all.Range {
		s.(*sseSession).end.Close()
	}
}

// postsSSE reports whether a POST is for a session of HTTP+SSE.
func (h *Handler) postsSSE(r *http.Request) bool {
	return h.o.SSE && r.Header.Get(headerSession) == "" && r.URL.RawQuery != "" && r.URL.Query().Has(sessionParam)
}

// serveSSE serves a session of HTTP+SSE as long as its stream is open.
func (h *Handler) serveSSE(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if !web.Accepts(r.Header, typeStream) {
		h.refuse(w, refusal{status: http.StatusNotAcceptable, text: "the Accept header has to list " + typeStream})
		return
	}
	client := h.callerOf(ctx, r).Clone()
	ctx = client.In(ctx)
	place, cond, ok := h.streams.Take(client)
	if !ok {
		h.refuse(w, *conditionRefusal(cond))
		return
	}
	defer place.Leave()
	near, far := pipe.New(h.o.MaxBody)
	id := h.sse.add(&sseSession{far, mcp.PrincipalFrom(ctx)})
	defer h.sse.remove(id)
	defer h.memory.Leave(client)
	session := runtime.NewSession(memory.With(context.WithoutCancel(ctx), h.memory.Enter(client)), near, h.srv, h.o.Runtime)
	frames := make(chan []byte)
	over := make(chan struct{})
	go func() {
		defer close(frames)
		for {
			frame, err := far.ReadFrame()
			if err != nil {
				return
			}
			select {
			case frames <- frame:
			case <-over:
				return
			}
		}
	}()
	out := web.NewEvents(w, &h.events, client)
	if out.Event("endpoint", []byte(r.URL.Path+"?"+sessionParam+"="+url.QueryEscape(id))) == nil {
		h.carry(ctx, out, session, frames)
	}
	out.End()
	close(over)
	session.Close()
	session.Wait()
}

// carry writes what the server says, until the stream or the session ends. When the handler shuts down, the calls in flight are answered.
func (h *Handler) carry(ctx context.Context, out *web.Events, session *runtime.Session, frames <-chan []byte) {
	quiet := time.NewTimer(h.o.KeepAlive)
	defer quiet.Stop()
	draining := h.sessions.draining.Done()
	for {
		var err error
		select {
		case frame, ok := <-frames:
			if !ok {
				return
			}
			err = out.Event("message", frame)
		case <-quiet.C:
			err = out.Comment()
		case <-draining:
			draining = nil
			go session.Shutdown(ctx)
			continue
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
		quiet.Reset(h.o.KeepAlive)
	}
}

// postSSE passes a message to a session of HTTP+SSE, whose stream has the answer.
func (h *Handler) postSSE(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	msg, place, ok := h.read(ctx, w, r)
	if !ok {
		return
	}
	defer place.Leave()
	s := h.sse.find(r.URL.Query().Get(sessionParam), mcp.PrincipalFrom(ctx))
	if s == nil {
		h.refuse(w, noSessionSSE)
		return
	}
	// A session that takes nothing more, for as long as its client may take to read, ends.
	ctx, cancel := context.WithTimeout(ctx, h.o.WriteTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { s.end.Close() })
	defer stop()
	if err := s.end.WriteFrame(msg); err != nil {
		h.refuse(w, noSessionSSE)
		return
	}
	writeAnswer(w, h.o.WriteTimeout, http.StatusAccepted, nil)
}
