package weather

import (
	"context"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Server holds the methods of a server. A method that is nil answers -32601.
type Server struct {
	Current func(ctx context.Context, p CurrentParams) (Report, error)
	Slow    func(ctx context.Context, p CurrentParams) (Report, error) // within 5 seconds
	Watch   func(ctx context.Context, p CurrentParams) error           // a notification
	Ping    func(ctx context.Context) error

	Way        runtime.Protocol
	Conditions bool // the schema declares errors for overloaded and timeout
}

// The methods.
const (
	MethodCurrent = "weather/current"
	MethodSlow    = "weather/slow"
	MethodWatch   = "weather/watch"
	MethodPing    = "weather/ping"
)

const methodNames = "weather/current\nweather/slow\nweather/watch\nweather/ping"

// NewHandler returns the router to server.
func NewHandler(server *Server) runtime.Handler { return handler{server} }

type handler struct{ server *Server }

func (h handler) Protocol() runtime.Protocol { return h.server.Way }

func (h handler) Hooks() runtime.Hooks { return runtime.Hooks{ParamsSchema: h.paramsSchema} }

func (h handler) Condition(cond runtime.Condition) error {
	if !h.server.Conditions {
		return nil
	}
	switch cond.Kind {
	case when.Overloaded:
		return &OverloadedError{Limit: cond.Limit}
	case when.Timeout:
		return &TimeoutError{Method: cond.Method, Timeout: cond.Timeout.String()}
	}
	return nil
}

func (h handler) Handle(ctx context.Context, c *runtime.Call) {
	switch c.Method() {
	case MethodCurrent:
		h.current(ctx, c)
	case MethodSlow:
		h.slow(ctx, c)
	case MethodWatch:
		h.watch(ctx, c)
	case MethodPing:
		h.ping(ctx, c)
	default:
		c.MethodNotFound(methodNames)
	}
}

func (h handler) paramsSchema(method string) string {
	if method != MethodCurrent {
		return ""
	}
	return `{"type": "object", "required": ["city"]}`
}

func (h handler) current(ctx context.Context, c *runtime.Call) {
	var p CurrentParams
	for c.Params(currentParamsKeys) {
		p.DecodeJSON(c.Reader())
		p.Check(c.Violations())
	}
	if c.Answered() {
		return
	}
	if h.server.Current == nil {
		c.Fail(runtime.ErrUnimplemented)
		return
	}
	result, err := h.server.Current(ctx, p)
	if err != nil {
		c.Fail(err)
		return
	}
	result.Check(c.Violations())
	c.Return(result.AppendJSON(c.Result()))
}

func (h handler) slow(ctx context.Context, c *runtime.Call) {
	var p CurrentParams
	for c.Params(currentParamsKeys) {
		p.DecodeJSON(c.Reader())
		p.Check(c.Violations())
	}
	if c.Answered() {
		return
	}
	ctx, cancel := c.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if h.server.Slow == nil {
		c.Fail(runtime.ErrUnimplemented)
		return
	}
	result, err := h.server.Slow(ctx, p)
	if err != nil {
		c.Fail(err)
		return
	}
	result.Check(c.Violations())
	c.Return(result.AppendJSON(c.Result()))
}

func (h handler) watch(ctx context.Context, c *runtime.Call) {
	var p CurrentParams
	for c.Params(currentParamsKeys) {
		p.DecodeJSON(c.Reader())
		p.Check(c.Violations())
	}
	if c.Answered() {
		return
	}
	if h.server.Watch == nil {
		c.Fail(runtime.ErrUnimplemented)
		return
	}
	if err := h.server.Watch(ctx, p); err != nil {
		c.Fail(err)
		return
	}
	c.ReturnEmpty()
}

func (h handler) ping(ctx context.Context, c *runtime.Call) {
	if !c.NoParams() {
		return
	}
	if h.server.Ping == nil {
		c.Fail(runtime.ErrUnimplemented)
		return
	}
	if err := h.server.Ping(ctx); err != nil {
		c.Fail(err)
		return
	}
	c.ReturnEmpty()
}
