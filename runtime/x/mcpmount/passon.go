package mcpmount

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// PassOn is a middleware for servers that take over others handler by handler, see [mcp.Options]:
//
//	server := rpc.NewServer(handlers, mcp.Options{Dynamic: old, Middleware: []mcp.Middleware{old.PassOn}})
//
// If a handler of a tool, resource or prompt returns [runtime.ErrUnimplemented], as those of a generated
// UnimplementedServer do, the request is passed on to the server that its name belongs to by its prefix, and the
// answer of that server is the answer. A resource is read from the server that lists its URI, or else from the first
// one that has it. The arguments have passed the checks of the schema before. What runs as a task runs as a task
// of that server, if its tool can. Arguments of prompts and variables of templates have the completions of that
// server, or those of the schema if it has none.
func (s *Upstreams) PassOn(next mcp.Handler) mcp.Handler {
	s.passing = true
	return func(ctx context.Context, q *mcp.Request) error {
		if q.TakesTask() {
			return next(context.WithValue(ctx, tasking.Wrapper{}, mcp.Middleware(s.passOn)), q)
		}
		return s.passOn(next)(ctx, q)
	}
}

// passOn is PassOn for what is answered, which a task is not when it begins.
func (s *Upstreams) passOn(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, q *mcp.Request) error {
		err := next(ctx, q)
		if !errors.Is(err, runtime.ErrUnimplemented) {
			return err
		}
		var result wire.Appender
		switch q.Method() {
		case "tools/call":
			result, err = s.passTool(ctx, q, err)
		case "prompts/get":
			result, err = s.passPrompt(ctx, q, err)
		case "resources/read":
			result, err = s.passResource(ctx, q, err)
		}
		if err != nil {
			return err
		}
		text, err := wire.Marshal(result)
		if err != nil {
			return err
		}
		return q.Respond(text)
	}
}

// Complete implements [mcp.Dynamic].
func (s *Upstreams) Complete(ctx context.Context, c *mcp.CompleteCall) bool {
	if s.Set.Complete(ctx, c) {
		return true
	}
	if !s.passing {
		return false
	}
	is, prompt, template := c.Completing(), c.Prompt(), c.Template()
	u := s.prefixed(prompt)
	for _, other := range s.all {
		if template != "" && other.lists(mcpdynamic.Templates, template) != unlisted {
			u = other
		}
	}
	if u == nil || template == "" && u.lists(mcpdynamic.Prompts, prompt[len(u.Prefix):]) == unlisted {
		return false
	}
	values, err := u.complete(ctx, func(ctx context.Context, client *mcpclient.Client) (mcpclient.Completion, error) {
		if template != "" {
			return client.CompleteTemplate(ctx, template, c.Argument(), is.Value, is.Arguments)
		}
		return client.CompletePrompt(ctx, prompt[len(u.Prefix):], c.Argument(), is.Value, is.Arguments)
	})
	if err != nil || len(values) == 0 {
		return false
	}
	c.Return(values)
	return true
}

// passTool calls a tool that has no handler. The error is none if its name belongs to no server.
func (s *Upstreams) passTool(ctx context.Context, q *mcp.Request, none error) (wire.Appender, error) {
	u := s.prefixed(q.Name())
	if u == nil {
		return nil, none
	}
	arguments := wire.RawOf([]byte("{}"))
	if text := q.Arguments(); text != nil {
		arguments = wire.RawOf(text)
	}
	name := q.Name()[len(u.Prefix):]
	return u.callTool(ctx, name, arguments, u.lists(mcpdynamic.Tools, name))
}

// passPrompt is passTool for a prompt.
func (s *Upstreams) passPrompt(ctx context.Context, q *mcp.Request, none error) (wire.Appender, error) {
	u := s.prefixed(q.Name())
	if u == nil {
		return nil, none
	}
	params := wire.AppendString([]byte(`{"name":`), q.Name()[len(u.Prefix):])
	if arguments := q.Arguments(); arguments != nil {
		params = append(append(params, `,"arguments":`...), arguments...)
	}
	return u.call(ctx, "prompts/get", wire.RawOf(append(params, '}')))
}

// passResource is passTool for a resource.
func (s *Upstreams) passResource(ctx context.Context, q *mcp.Request, none error) (result wire.Appender, err error) {
	from := s.all
	for _, u := range s.all {
		if u.lists(mcpdynamic.Resources, q.Name()) != unlisted {
			from = []*upstream{u}
			break
		}
	}
	err = none
	for _, u := range from {
		if result, err = u.read(ctx, q.Name()); !errors.Is(err, mcp.ErrNotFound) {
			return result, err
		}
	}
	if errors.Is(err, mcp.ErrNotFound) {
		err = notFound(q)
	}
	return nil, err
}

// notFound is the error for a resource that does not exist (server/resources, Error Handling).
func notFound(q *mcp.Request) error {
	e := &runtime.Error{Code: runtime.CodeInvalidParams, Message: "Resource not found"}
	if q.Era() == mcp.Handshake {
		const code = -32002
		e.Code = code
	}
	e.Data, e.HasData = wire.RawOf(append(wire.AppendString([]byte(`{"uri":`), q.Name()), '}')), true
	return &passedError{e}
}
