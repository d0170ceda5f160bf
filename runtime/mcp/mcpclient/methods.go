package mcpclient

import (
	"context"
	"errors"

	types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// CallTool calls a tool with arguments, which are a JSON object, or null for none (server/tools,
// Calling Tools). If the tool fails, the result has IsError set. Questions of the server are
// answered by the handlers of [Options].
func (c *Client) CallTool(ctx context.Context, name string, arguments runtime.Raw) (result mcp.CallToolResult, err error) {
	q := &outgoing{method: "tools/call", target: name, members: wire.AppendString([]byte(`,"name":`), name)}
	if !arguments.IsNull() {
		q.arguments = []byte(arguments.String())
		q.members = append(append(q.members, `,"arguments":`...), q.arguments...)
	}
	return result, c.whole(ctx, q, &result)
}

// ReadResource reads a resource (server/resources, Reading Resources).
func (c *Client) ReadResource(ctx context.Context, uri string) (result mcp.ReadResourceResult, err error) {
	return result, c.whole(ctx, resourceRequest("resources/read", uri), &result)
}

// resourceRequest is a request about a resource.
func resourceRequest(method, uri string) *outgoing {
	return &outgoing{method: method, target: uri, members: wire.AppendString([]byte(`,"uri":`), uri)}
}

// GetPrompt returns a prompt for the arguments (server/prompts, Getting a Prompt).
func (c *Client) GetPrompt(ctx context.Context, name string, arguments map[string]string) (result mcp.GetPromptResult, err error) {
	members := wire.AppendString([]byte(`,"name":`), name)
	if arguments != nil {
		members = wire.AppendMap(append(members, `,"arguments":`...), arguments, wire.AppendString)
	}
	return result, c.whole(ctx, &outgoing{method: "prompts/get", target: name, members: members}, &result)
}

// Completion holds the values that a server proposes for an argument.
type Completion struct {
	Values  []string
	Total   int64 // number of values that exist; 0 if unknown
	HasMore bool  // there are more than Values holds
}

// CompletePrompt completes an argument of a prompt (server/utilities/completion). The argument
// settled holds the values of other arguments that are known.
func (c *Client) CompletePrompt(ctx context.Context, prompt, argument, value string, settled map[string]string) (Completion, error) {
	return c.complete(ctx, `{"name":`, prompt, `,"type":"ref/prompt"}`, argument, value, settled)
}

// CompleteTemplate completes a variable of a resource template, see [Client.CompletePrompt].
func (c *Client) CompleteTemplate(ctx context.Context, template, variable, value string, settled map[string]string) (Completion, error) {
	return c.complete(ctx, `{"type":"ref/resource","uri":`, template, "}", variable, value, settled)
}

// complete completes an argument of what is called target. The texts before and after target make a reference of it.
func (c *Client) complete(ctx context.Context, before, target, after, name, value string, settled map[string]string) (Completion, error) {
	b := append(wire.AppendString([]byte(`,"ref":`+before), target), after...)
	b = wire.AppendString(append(b, `,"argument":{"name":`...), name)
	b = append(wire.AppendString(append(b, `,"value":`...), value), '}')
	if settled != nil {
		b = append(wire.AppendMap(append(b, `,"context":{"arguments":`...), settled, wire.AppendString), '}')
	}
	var result types.CompleteResult
	err := c.whole(ctx, &outgoing{method: "completion/complete", members: b}, &result)
	found := result.Completion
	total, _ := found.Total.Get()
	more, _ := found.HasMore.Get()
	return Completion{found.Values, total, more}, err
}

// whole makes a request and decodes the complete result.
func (c *Client) whole(ctx context.Context, q *outgoing, v wire.Decoder) error {
	out, err := c.do(ctx, q)
	if err != nil {
		return err
	}
	return out.decode(q, v)
}

// decode decodes the complete result and checks its rules.
func (o *outcome) decode(q *outgoing, v wire.Decoder) error {
	resource, cached := v.(*mcp.ReadResourceResult)
	check := func(vs *violation.List) {
		if cached && resource.TTLMs.Or(0) < 0 {
			resource.TTLMs = runtime.Some[int64](0) // negative values count as 0 (server/utilities/caching)
		}
		if c, ok := v.(violation.Checker); ok {
			c.CheckRules(vs)
		}
	}
	_, tool := v.(*mcp.CallToolResult)
	return resultOf(q, o.whole(cached, tool), v.DecodeJSON, check)
}

// Ping checks that the server responds. A stateless server has no ping; it gets a server/discover
// request.
func (c *Client) Ping(ctx context.Context) error {
	method := "ping"
	if c.Era() == mcp.Stateless {
		method = "server/discover"
	}
	_, err := c.do(ctx, &outgoing{method: method})
	return err
}

// SetLevel sets the least severe level of log messages that the server sends
// (server/utilities/logging). In the handshake era it sends a request; in the stateless era every
// later request carries the level, and an empty name means no messages.
func (c *Client) SetLevel(ctx context.Context, name string) error {
	l := protocol.LevelOf(name)
	if l == protocol.NoLevel && (name != "" || c.Era() == mcp.Handshake) {
		return errors.New("mcp: there is no log level " + protocol.Quote(name) + ", but " + violation.OneOf(protocol.Levels[:]))
	}
	c.level.Store(int32(l))
	if c.Era() == mcp.Stateless {
		return nil
	}
	_, err := c.do(ctx, &outgoing{method: "logging/setLevel", members: wire.AppendString([]byte(`,"level":`), name)})
	return err
}

// RootsChanged notifies a server of the handshake era that the roots have changed. A stateless
// server asks for the roots whenever it needs them.
func (c *Client) RootsChanged(ctx context.Context) error {
	if c.Era() == mcp.Stateless {
		return nil
	}
	return c.notify(ctx, "notifications/roots/list_changed", nil)
}
