package mcp

import (
	"context"
	"errors"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
)

// Handle serves a stateless message outside of sessions, see [runtime.Handler].
func (s *Server) Handle(ctx context.Context, c *runtime.Call) {
	if strings.HasPrefix(c.Method(), notifications) {
		s.ignore(c)
		return
	}
	s.serve(ctx, c, nil)
}

// serve serves a request. The argument h is the handler of the session; it is nil outside of
// sessions.
func (s *Server) serve(ctx context.Context, c *runtime.Call, h *session) {
	q := s.newRequest(ctx, c)
	defer q.release()
	if h != nil {
		q.ended = h.ended
	}
	if !q.read() {
		return
	}
	if c.IsNotification() {
		s.peerLog.Debug("a request without an id was dropped", "method", q.method)
		c.Drop()
		return
	}
	err := s.admit(q, h)
	if err == nil && s.lists.profiles != nil && q.route.is(toolsCall) {
		if p := q.profile(); p != nil && p.Plain != nil && q.arguments != nil {
			q.arguments = p.Plain(q.name, q.arguments)
		}
	}
	if err == nil && q.handshake == nil && !q.route.is(tasksUpdate) {
		err = q.takeRound()
	}
	if err == nil && s.info.Permit != nil && q.route.is(toolsCall) {
		s.info.Permit(ctx, c, q.name) // before middleware, which may keep results: the first answer counts
	}
	switch {
	case err != nil:
	case q.route == nil && s.methods == nil:
		c.MethodNotFound(s.served[1<<q.Era()])
		return
	default:
		err = s.handler(q.enter(), q)
	}
	s.finish(q, err)
}

// read reads the params. It reports false if the call was rejected.
func (q *Request) read() bool {
	c := q.call
	if q.route = routeOf(q.method); q.route == nil {
		q.meta.peek(c.PeekParams().In("_meta"))
		return true
	}
	for c.OptionalParams("") {
		q.params.scan(c.Reader(), q.route.has, &q.server.metas)
	}
	return !c.Answered()
}

// run calls the method. The middleware has been called before.
func (s *Server) run(ctx context.Context, q *Request) error {
	if q.call.Answered() { // the caller lacks scopes
		return nil
	}
	if q.route != nil {
		return q.route.serve(ctx, q)
	}
	s.methods.Handle(ctx, q.call)
	if q.handshake == nil {
		q.call.EditResult(func(b, result []byte) []byte { return q.complete(b, result) })
	}
	return nil
}

// finish answers with err, if it is not nil.
func (s *Server) finish(q *Request, err error) {
	if isCancelled(q.context) {
		q.call.Drop()
		return
	}
	if err == nil {
		return
	}
	if _, asks := errors.AsType[*InputRequired](err); asks {
		err = q.ask()
	}
	err = q.inEra(err)
	switch {
	case err == nil:
	case q.route.is(toolsCall):
		q.failTool(err)
	default:
		q.call.Fail(err)
	}
}

// notifications is the prefix of the names of all notifications.
const notifications = "notifications/"

// ignore drops a notification, and answers MethodNotFound to a request with the name of one.
func (s *Server) ignore(c *runtime.Call) { c.MethodNotFound(s.served[onlyStateless]) }

// Handle implements [runtime.Handler]. The middleware was called for the request that created the
// task. What it has left for the task, see [tasking.Wrapper], is called here.
func (d *taskHandler) Handle(ctx context.Context, c *runtime.Call) {
	q := d.newRequest(ctx, c)
	defer q.release()
	q.handshake, q.task = d.handshake, d.task
	if !q.read() {
		return
	}
	if d.answers != nil {
		q.rounds = &rounds{answers: d.answers}
	}
	serve := Handler(callTool)
	if wrap, ok := ctx.Value(tasking.Wrapper{}).(Middleware); ok {
		serve = wrap(serve)
	}
	d.finish(q, serve(q.enter(), q))
}
