package mcpclient

import (
	"context"
	"errors"

	types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// CallTool calls a tool with arguments, a JSON object; null is none (server/tools, Calling Tools). A tool that failed is a result with IsError.
// What the server asks meanwhile, the handlers of [Options] answer.
func (c *Client) CallTool(ctx context.Context, name string, arguments runtime.Raw) (result mcp.CallToolResult, err error) {
	q := &ask{method: "tools/call", target: name, members: wire.AppendString([]byte(`,"name":`), name)}
	if !arguments.IsNull() {
		q.arguments = []byte(arguments.String())
		q.members = append(append(q.members, `,"arguments":`...), q.arguments...)
	}
	return result, c.whole(ctx, q, &result)
}

// ReadResource reads a resource (server/resources, Reading Resources).
func (c *Client) ReadResource(ctx context.Context, uri string) (result mcp.ReadResourceResult, err error) {
	return result, c.whole(ctx, resourceAsk(uri), &result)
}

func resourceAsk(uri string) *ask {
	return &ask{method: "resources/read", target: uri, members: wire.AppendString([]byte(`,"uri":`), uri)}
}

// GetPrompt makes a prompt with arguments (server/prompts, Getting a Prompt).
func (c *Client) GetPrompt(ctx context.Context, name string, arguments map[string]string) (result mcp.GetPromptResult, err error) {
	members := wire.AppendString([]byte(`,"name":`), name)
	if arguments != nil {
		members = wire.AppendMap(append(members, `,"arguments":`...), arguments, wire.AppendString)
	}
	return result, c.whole(ctx, &ask{method: "prompts/get", target: name, members: members}, &result)
}

// Completion is what a server proposes for an argument.
type Completion struct {
	Values  []string
	Total   int64 // how many there are; zero: it is not known
	HasMore bool  // beyond the values
}

// CompletePrompt completes an argument of a prompt; settled are the other arguments as far as they are known (server/utilities/completion).
func (c *Client) CompletePrompt(ctx context.Context, prompt, argument, value string, settled map[string]string) (Completion, error) {
	return c.complete(ctx, &types.PromptReference{Name: prompt}, argument, value, settled)
}

// CompleteTemplate completes a variable of a template of resources, like CompletePrompt.
func (c *Client) CompleteTemplate(ctx context.Context, template, variable, value string, settled map[string]string) (Completion, error) {
	return c.complete(ctx, &types.ResourceTemplateReference{URI: template}, variable, value, settled)
}

func (c *Client) complete(ctx context.Context, ref types.CompleteRequestParamsRef, name, value string, settled map[string]string) (Completion, error) {
	b := types.AppendCompleteRequestParamsRef([]byte(`,"ref":`), ref)
	b = wire.AppendString(append(b, `,"argument":{"name":`...), name)
	b = append(wire.AppendString(append(b, `,"value":`...), value), '}')
	if settled != nil {
		b = append(wire.AppendMap(append(b, `,"context":{"arguments":`...), settled, wire.AppendString), '}')
	}
	var result types.CompleteResult
	err := c.whole(ctx, &ask{method: "completion/complete", members: b}, &result)
	found := result.Completion
	total, _ := found.Total.Get()
	more, _ := found.HasMore.Get()
	return Completion{found.Values, total, more}, err
}

// whole makes a request and decodes the whole result.
func (c *Client) whole(ctx context.Context, q *ask, v wire.Decoder) error {
	out, err := c.do(ctx, q)
	if err != nil {
		return err
	}
	return out.decode(q, v)
}

// decode decodes the whole result, and checks its rules.
func (o *outcome) decode(q *ask, v wire.Decoder) error {
	resource, cached := v.(*mcp.ReadResourceResult)
	check := func(vs *rule.Violations) {
		if cached && resource.TTLMs.Or(0) < 0 {
			resource.TTLMs = runtime.Some[int64](0) // what is negative is none (server/utilities/caching)
		}
		if c, ok := v.(rule.Checker); ok {
			c.CheckRules(vs)
		}
	}
	return resultOf(q, o.whole(cached), v.DecodeJSON, check)
}

// Ping asks whether the server is there. A stateless one is asked to discover itself, as it knows no ping.
func (c *Client) Ping(ctx context.Context) error {
	method := "ping"
	if c.Era() == mcp.Stateless {
		method = "server/discover"
	}
	_, err := c.do(ctx, &ask{method: method})
	return err
}

// SetLevel sets from which level on the server logs to the client (server/utilities/logging): by a request in the handshake era, and with every
// later request in the stateless one. There, empty means nothing is logged.
func (c *Client) SetLevel(ctx context.Context, name string) error {
	l := protocol.LevelOf(name)
	if l == protocol.NoLevel && (name != "" || c.Era() == mcp.Handshake) {
		return errors.New("mcp: there is no log level " + protocol.Quote(name) + ", but " + rule.OneOf(protocol.Levels[:]))
	}
	c.level.Store(int32(l))
	if c.Era() == mcp.Stateless {
		return nil
	}
	_, err := c.do(ctx, &ask{method: "logging/setLevel", members: wire.AppendString([]byte(`,"level":`), name)})
	return err
}

// RootsChanged tells a server of the handshake era that the roots have changed; a stateless one asks whenever it needs them.
func (c *Client) RootsChanged(ctx context.Context) error {
	if c.Era() == mcp.Stateless {
		return nil
	}
	return c.notify(ctx, "notifications/roots/list_changed", nil)
}
