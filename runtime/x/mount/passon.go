package mount

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
// If a handler of a tool, resource or prompt returns [runtime.ErrUnimplemented], as those of a generated UnimplementedServer do, the request is passed on
// to the server that its name belongs to by its prefix, and the answer of that server is the answer. A resource is read from the server that lists its URI,
// or else from the first one that has it. A server is not asked for what [UpstreamOptions] Visible hides from the client: the answer is as if the server
// were not there. The arguments have passed the checks of the schema before. What runs as a task runs as a task of that server, if its tool can. Arguments
// of prompts and variables of templates have the completions of that server, or those of the schema if it has none.
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
	u, name := s.byName(ctx, prompt)
	if template != "" {
		u = s.listing(ctx, mcpdynamic.Templates, template)
	}
	if u == nil || template == "" && u.lists(mcpdynamic.Prompts, name) == unlisted {
		return false
	}
	values, err := u.complete(ctx, func(ctx context.Context, client *mcpclient.Client) (mcpclient.Completion, error) {
		if template != "" {
			return client.CompleteTemplate(ctx, template, c.Argument(), is.Value, is.Arguments)
		}
		return client.CompletePrompt(ctx, name, c.Argument(), is.Value, is.Arguments)
	})
	if err != nil || len(values) == 0 {
		return false
	}
	c.Return(values)
	return true
}

// shows reports whether the client sees an entry of a server, which need not be mounted. The name is that of a tool or a prompt, without the prefix, and
// empty for resources and templates.
func (s *Upstreams) shows(ctx context.Context, u *upstream, name string) bool {
	return s.o.Visible == nil || s.o.Visible(ctx, Origin{u.Name, name})
}

// byName returns the server that the name of a tool or a prompt belongs to, and the name without the prefix. It is nil if there is none, or the client does not
// see the entry.
func (s *Upstreams) byName(ctx context.Context, full string) (u *upstream, name string) {
	if u = s.byPrefix(full); u == nil {
		return nil, ""
	}
	if name = full[len(u.Prefix):]; !s.shows(ctx, u, name) {
		return nil, ""
	}
	return u, name
}

// listing returns the first server that lists a resource or a template which the client sees, or nil.
func (s *Upstreams) listing(ctx context.Context, list mcpdynamic.List, key string) *upstream {
	for _, u := range s.all {
		if u.lists(list, key) != unlisted && s.shows(ctx, u, "") {
			return u
		}
	}
	return nil
}

// passTool calls a tool that has no handler. The error is none if its name belongs to no server.
func (s *Upstreams) passTool(ctx context.Context, q *mcp.Request, none error) (wire.Appender, error) {
	u, name := s.byName(ctx, q.Name())
	if u == nil {
		return nil, none
	}
	arguments := wire.RawOf([]byte("{}"))
	if text := q.Arguments(); text != nil {
		arguments = wire.RawOf(text)
	}
	return u.callTool(ctx, name, arguments, u.lists(mcpdynamic.Tools, name))
}

// passPrompt is passTool for a prompt.
func (s *Upstreams) passPrompt(ctx context.Context, q *mcp.Request, none error) (wire.Appender, error) {
	u, name := s.byName(ctx, q.Name())
	if u == nil {
		return nil, none
	}
	params := wire.AppendString([]byte(`{"name":`), name)
	if arguments := q.Arguments(); arguments != nil {
		params = append(append(params, `,"arguments":`...), arguments...)
	}
	return u.call(ctx, "prompts/get", wire.RawOf(append(params, '}')))
}

// passResource is passTool for a resource.
func (s *Upstreams) passResource(ctx context.Context, q *mcp.Request, none error) (result wire.Appender, err error) {
	from := s.all
	if u := s.listing(ctx, mcpdynamic.Resources, q.Name()); u != nil {
		from = []*upstream{u}
	}
	err = none
	for _, u := range from {
		if !s.shows(ctx, u, "") {
			continue
		}
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
