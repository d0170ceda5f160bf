package mcpclient

import (
	"context"
	"errors"
	"iter"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// Call makes a request of any method, and returns the complete result as the server sent it. It is
// for programs that pass messages on, and for methods that are not part of MCP. The params are an
// object, or null for none; the client writes their _meta, see [WithMeta]. Questions of the server
// are answered by the handlers of [Options].
func Call(ctx context.Context, c *Client, method string, params runtime.Raw) (runtime.Raw, error) {
	if !params.IsNull() && params.Kind() != wire.Object {
		return runtime.Raw{}, errors.New("mcp: the params of " + method + " are not an object")
	}
	q := &outgoing{method: method, members: make([]byte, 0, len(params.String()))}
	for name, value := range wire.PeekAt([]byte(params.String())).Members() {
		text := value.JSON()
		switch name {
		case "_meta":
			continue
		case "name", "uri":
			q.target, _ = value.Text()
		case "arguments":
			q.arguments = text
		}
		q.members = append(append(wire.AppendString(append(q.members, ','), name), ':'), text...)
	}
	out, err := c.do(ctx, q)
	if err != nil {
		return runtime.Raw{}, err
	}
	return wire.ParseRaw(out.text)
}

// Entries returns the entries of a list as the server sent them. The member is that of the result:
// tools, prompts, resources or resourceTemplates. Pages and errors are those of [Client.ListTools].
func Entries(ctx context.Context, c *Client, member string) iter.Seq2[runtime.Raw, error] {
	methods := map[string]string{"tools": "tools/list", "prompts": "prompts/list", "resources": "resources/list", "resourceTemplates": "resources/templates/list"}
	return func(yield func(runtime.Raw, error) bool) {
		method, ok := methods[member]
		if !ok {
			yield(runtime.Raw{}, errors.New("mcp: there is no list of "+protocol.Quote(member)))
			return
		}
		for element, err := range c.list(ctx, method, member) {
			if err != nil {
				yield(runtime.Raw{}, err)
				return
			}
			entry, err := wire.ParseRaw(element.JSON())
			if !yield(entry, err) {
				return
			}
		}
	}
}
