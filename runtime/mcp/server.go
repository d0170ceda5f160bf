package mcp

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Server serves [Declarations]. As a [runtime.Handler] it serves stateless requests, for transports
// that pass messages to a [runtime.Dispatcher]. Sessions serve both eras with the handler that Open
// returns. It is safe for concurrent use by any number of sessions.
type Server struct {
	declarations Declarations
	methods      runtime.Handler // methods that are not part of MCP; nil if there are none
	info         *Info
	opts         Options
	log          *slog.Logger
	peerLog      *peerlog.Logger // logs what clients cause
	handler      Handler         // with the middleware around it

	revisions  []string // that are served, newest first
	modern     []string // those of them that are stateless
	handshakes []string // those of them with a handshake, oldest first

	implementation string          // serverInfo
	served         map[eras]string // names of methods, newline-separated
	tail           string          // end of stateless results
	hints          string          // cache members of results that may be cached
	lists          lists
	apps           apps
	headers        map[string][]mcpgen.ToolHeader // by tool
	metas          metaCache
	subscribers    subscribers
	relays         relays
	overdue        overdue
	names          atomic.Pointer[nameList] // the last one; nil before the first
	tasks          map[string]bool          // the tools that run as tasks; true means that they run as nothing else. Nil if there are none
}

// NewServer returns a server of d. It panics if d is inconsistent, which generated code never is.
func NewServer(d Declarations, o Options) *Server {
	o = o.withDefaults()
	info := d.Info()
	s := &Server{declarations: d, methods: d.Methods(), info: info, opts: o, log: o.Logger, peerLog: peerlog.For(o.Logger)}
	served := info.Revisions
	if len(served) == 0 {
		served = Revisions()
	}
	s.handshakes, s.modern = ofEra(served, Handshake), ofEra(served, Stateless)
	if len(s.handshakes)+len(s.modern) < len(served) {
		panic("mcp: unknown revisions: " + strings.Join(served, ", "))
	}
	s.revisions = slices.Clone(served)
	slices.Reverse(s.revisions)
	s.implementation = implementation(info)
	s.apps = appsOf(info)
	s.tail, s.hints = s.resultTail(), s.cacheHints(info.Scope)
	s.headers = make(map[string][]mcpgen.ToolHeader)
	for _, h := range info.Headers {
		s.headers[h.Tool] = append(s.headers[h.Tool], h)
	}
	if o.Tasks != nil && len(info.Tasks) > 0 {
		s.tasks = info.Tasks
	}
	s.served = map[eras]string{onlyStateless: methodNames(s, onlyStateless), onlyHandshake: methodNames(s, onlyHandshake), bothEras: methodNames(s, bothEras)}
	s.lists = newLists(s)
	s.subscribers.init(newWatches(s))
	before := []Middleware{logged(s.log)}
	if o.Dynamic != nil || s.apps.tools != nil {
		before = append(before, s.visibility)
	}
	s.handler = chain(s.run, append(before, o.Middleware...))
	if o.Dynamic != nil {
		o.Dynamic.Attach(s)
	}
	return s
}

// Info returns the constant properties of the server.
func (s *Server) Info() Info { return *s.info }

// Logger returns the logger of the server's options.
func (s *Server) Logger() *slog.Logger { return s.log }

// Revisions returns the revisions that the server serves, newest first.
func (s *Server) Revisions() []string { return slices.Clone(s.revisions) }

// Handle serves a stateless message outside of sessions, see [runtime.Handler].
func (s *Server) Handle(ctx context.Context, c *runtime.Call) {
	if strings.HasPrefix(c.Method(), notifications) {
		s.ignore(c)
		return
	}
	s.serve(ctx, c, nil)
}

// Protocol implements [runtime.Handler].
func (s *Server) Protocol() runtime.Protocol {
	return runtime.Protocol{Name: s.info.Name, Revision: s.revisions[0], OmitID: true, Batch: s.opts.Batches}
}

// Condition implements [runtime.Handler]. Some default codes of package runtime are reserved in
// MCP; they are replaced here.
func (s *Server) Condition(c runtime.Condition) error {
	switch c.Kind {
	case when.MethodNotFound:
		if s.methods != nil && c.Available != nil {
			return s.methodNotFound(c)
		}
	case when.Timeout:
		return s.declared(c, &fault{CodeTimeout, 504, "Request timed out", nil})
	case when.Overloaded:
		return s.declared(c, &fault{CodeOverloaded, 503, said("Overloaded", c.Reason), nil})
	case when.RateLimited:
		return s.declared(c, &fault{CodeRateLimited, 429, said("Rate limited", c.Reason), c.LimitData()})
	}
	err := s.declared(c, nil)
	if err == nil {
		return nil
	}
	return withStatus(err, conditionStatus(c.Kind))
}

// methodNotFound returns the error for a method that neither MCP nor the server's own methods have.
func (s *Server) methodNotFound(c runtime.Condition) error {
	all := append(c.Available(), strings.Split(s.served[bothEras], "\n")...)
	c.Available = func() []string { return all }
	c.Suggestion = rule.Closest(c.Method, all)
	return s.declared(c, unknown(404, runtime.CodeMethodNotFound, "Method not found", "", "", c.Suggestion))
}

// conditionStatus returns the HTTP status of a condition whose default error is that of package
// runtime, or 0 if it has none.
func conditionStatus(kind when.Kind) int {
	switch kind {
	case when.MethodNotFound:
		return 404
	case when.BatchTooLarge, when.BudgetExceeded, when.AlreadyInitialized, when.NotInitialized, when.ShutDown, when.UnsupportedVersion:
		return 400
	}
	return 0
}

// said appends the reason to a message, if one is known.
func said(message, reason string) string {
	if reason == "" {
		return message
	}
	return message + ": " + reason
}

// declared returns the error that the schema declares for c, or other if it declares none. A declared
// error without an HTTP status has that of other.
func (s *Server) declared(c runtime.Condition, other error) error {
	err := s.declarations.Condition(c)
	if err == nil {
		return other
	}
	if usual, ok := other.(*fault); ok {
		return withStatus(err, usual.status)
	}
	return err
}

// withStatus returns an error with the HTTP status, which is err if it has one or the status is 0.
func withStatus(err error, status int) error {
	coder, ok := errors.AsType[runtime.Coder](err)
	if !ok || status == 0 || coder.RPCError().HTTPStatus != 0 {
		return err
	}
	return &statusError{coder, status}
}

// statusError is an error with an HTTP status.
type statusError struct {
	runtime.Coder
	status int
}

// RPCError implements [runtime.Coder].
func (e *statusError) RPCError() runtime.ErrorObject {
	o := e.Coder.RPCError()
	o.HTTPStatus = e.status
	return o
}

// Unwrap returns the error that the schema declares.
func (e *statusError) Unwrap() error { return e.Coder }

// Hooks implements [runtime.Handler].
func (s *Server) Hooks() runtime.Hooks {
	var h runtime.Hooks
	if own := s.declarations.Methods(); own != nil {
		h = own.Hooks()
	}
	h.Open, h.MapError, h.Limiter = s.Open, s.mapError, s.info.Limiter
	return h
}

// mapError prevents handlers from answering with reserved codes (basic, Error Codes), and gives
// unknown methods their HTTP status.
func (s *Server) mapError(o runtime.ErrorObject) runtime.ErrorObject {
	if o.Code == runtime.CodeMethodNotFound && o.HTTPStatus == 0 {
		o.HTTPStatus = 404
	}
	if !s.forbidden(o) {
		return o
	}
	s.log.Error("a handler answered with a reserved code", "code", o.Code, "message", peerlog.Text(o.Message))
	return runtime.ErrorObject{Code: runtime.CodeInternalError, Message: "Internal error"}
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
	if err == nil && q.handshake == nil && q.route != &tasksUpdate {
		err = q.takeRound()
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

// admit determines the era of the request and makes the checks of that era. If the era or the
// server does not have the method, the route is nil afterwards.
func (s *Server) admit(q *Request, h *session) error {
	modern := q.version != "" && len(s.modern) > 0 && protocol.EraOf(q.version) != Handshake
	if h != nil && !modern && len(s.handshakes) > 0 {
		return h.admit(q)
	}
	if err := s.admitStateless(q); err != nil {
		return err
	}
	if q.route != nil && !(q.route.eras.has(Stateless) && q.route.served(s)) {
		q.route = nil
	}
	return q.route.complete(q)
}

// run calls the method. The middleware has been called before.
func (s *Server) run(ctx context.Context, q *Request) error {
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
	if cancelled(q.context) {
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
	case q.route == &toolsCall:
		q.failTool(err)
	default:
		q.call.Fail(err)
	}
}

// notifications is the prefix of the names of all notifications.
const notifications = "notifications/"

// ignore drops a notification, and answers MethodNotFound to a request with the name of one.
func (s *Server) ignore(c *runtime.Call) { c.MethodNotFound(s.served[onlyStateless]) }
