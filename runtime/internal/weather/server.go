// Package weather is the small service that the tests of the runtime and of its transports serve and call. Its code is generated from
// weather.rpc.yaml; the server takes a function for each method, so that a test writes only what it is about.
//
//test:by ./runtime/transport/pipe
package weather

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather/rpc"
)

type (
	// Client calls the methods of the server.
	Client = rpc.Client

	// CurrentParams are the params of weather/current, weather/slow and weather/watch.
	CurrentParams = rpc.CurrentParams

	// Report is the result of weather/current and weather/slow.
	Report = rpc.Report

	// CityNotFoundError is declared by the schema.
	CityNotFoundError = rpc.CityNotFoundError

	// OverloadedError is declared for the condition overloaded.
	OverloadedError = rpc.OverloadedError
)

// MethodCurrent is weather/current.
const MethodCurrent = rpc.MethodCurrent

// NewClient returns a client that calls over conn.
func NewClient(conn runtime.Conn) *Client { return rpc.NewClient(conn) }

// Server holds the methods of a server. A method that is nil answers -32601.
type Server struct {
	Current func(ctx context.Context, p CurrentParams) (Report, error)
	Slow    func(ctx context.Context, p CurrentParams) (Report, error) // within 5 seconds
	Watch   func(ctx context.Context, p CurrentParams) error           // a notification
	Ping    func(ctx context.Context) error

	Way        runtime.Protocol
	Conditions bool // the schema declares errors for overloaded and timeout
}

// NewHandler returns the router to server.
func NewHandler(server *Server) runtime.Handler {
	return &handler{rpc.NewHandler(methods{server}), server}
}

// handler is what is generated, with the protocol of a test.
type handler struct {
	runtime.Handler
	server *Server
}

func (h *handler) Protocol() runtime.Protocol { return h.server.Way }

func (h *handler) Hooks() runtime.Hooks {
	hooks := h.Handler.Hooks()
	hooks.ParamsSchema = paramsSchema
	return hooks
}

func (h *handler) Condition(cond runtime.Condition) error {
	if !h.server.Conditions {
		return nil
	}
	return h.Handler.Condition(cond)
}

func paramsSchema(method string) string {
	if method != MethodCurrent {
		return ""
	}
	return `{"type": "object", "required": ["city"]}`
}

// methods calls the functions of a server.
type methods struct{ server *Server }

func (m methods) Current(ctx context.Context, p CurrentParams) (Report, error) {
	if m.server.Current == nil {
		return Report{}, runtime.ErrUnimplemented
	}
	return m.server.Current(ctx, p)
}

func (m methods) Slow(ctx context.Context, p CurrentParams) (Report, error) {
	if m.server.Slow == nil {
		return Report{}, runtime.ErrUnimplemented
	}
	return m.server.Slow(ctx, p)
}

func (m methods) Watch(ctx context.Context, p CurrentParams) error {
	if m.server.Watch == nil {
		return runtime.ErrUnimplemented
	}
	return m.server.Watch(ctx, p)
}

func (m methods) Ping(ctx context.Context) error {
	if m.server.Ping == nil {
		return runtime.ErrUnimplemented
	}
	return m.server.Ping(ctx)
}
