package mcpclient

import (
	"context"
	"iter"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/annotation"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// ListTools returns the tools of the server. It requests further pages as the iteration proceeds (server/utilities/pagination). If an error comes
// with a tool that has a name, only that tool is invalid and the iteration continues; any other error ends it. Over HTTP, tools with headers that
// cannot be sent are left out (basic/transports/streamable-http, Schema Extension).
func (c *Client) ListTools(ctx context.Context) iter.Seq2[Tool, error] {
	return func(yield func(Tool, error) bool) {
		for element, err := range c.list(ctx, "tools/list", "tools") {
			if err != nil {
				yield(Tool{}, err)
				return
			}
			t := Tool{}
			t.Name, _ = element.In("name").Text()
			err := decodeElement("tools/list", element, &t)
			if !yield(t, err) {
				return
			}
		}
	}
}

// learned stores which arguments a tool mirrors into headers. It reports false if the annotations are invalid and the transport has headers.
func (c *Client) learned(entry wire.Peek) bool {
	tool, _ := entry.In("name").Text()
	headers, err := annotation.HeadersOf(tool, entry.In("inputSchema"))
	if err != nil && c.mirrors.Load() && c.Era() == mcp.Stateless {
		c.log.Warn("a tool was left out of the list: its headers cannot be sent", "tool", tool, "error", err)
		return false
	}
	if err == nil {
		c.tables.learn(tool, headers, c.opts.MaxListBytes)
	}
	return true
}

// ListResources returns the resources of the server. Pages and errors are those of [Client.ListTools].
func (c *Client) ListResources(ctx context.Context) iter.Seq2[Resource, error] {
	return elements[Resource](ctx, c, "resources/list", "resources")
}

// ListTemplates returns the resource templates of the server. Pages and errors are those of [Client.ListTools].
func (c *Client) ListTemplates(ctx context.Context) iter.Seq2[ResourceTemplate, error] {
	return elements[ResourceTemplate](ctx, c, "resources/templates/list", "resourceTemplates")
}

// ListPrompts returns the prompts of the server. Pages and errors are those of [Client.ListTools].
func (c *Client) ListPrompts(ctx context.Context) iter.Seq2[Prompt, error] {
	return elements[Prompt](ctx, c, "prompts/list", "prompts")
}

// elements decodes the elements of a list.
func elements[T any, P interface {
	*T
	wire.Decoder
}](ctx context.Context, c *Client, method, member string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for element, err := range c.list(ctx, method, member) {
			var v T
			if err != nil {
				yield(v, err)
				return
			}
			err = decodeElement(method, element, P(&v))
			if !yield(v, err) {
				return
			}
		}
	}
}

// decodeElement decodes an element of a list and checks its rules.
func decodeElement(method string, element wire.Peek, v wire.Decoder) error {
	name, _ := element.In("name").Text()
	check := func(*violation.List) {}
	if checker, ok := v.(violation.Checker); ok {
		check = checker.CheckRules
	}
	return resultOf(&outgoing{method: method, target: name}, element.JSON(), v.DecodeJSON, check)
}

// list returns the elements of a list, page by page (server/utilities/pagination), without tools whose headers cannot be sent. An empty cursor is one as
// others, but for sessions, whose servers end lists with it. A cursor that is repeated ends it with an error, and so does the page after Options.MaxPages: the
// iteration would never end. So does the page with which the list exceeds Options.MaxListBytes.
func (c *Client) list(ctx context.Context, method, member string) iter.Seq2[wire.Peek, error] {
	return func(yield func(wire.Peek, error) bool) {
		q := &outgoing{method: method}
		seen, size := make(map[string]bool), 0
		for range c.opts.MaxPages {
			out, err := c.do(ctx, q)
			if err != nil {
				yield(wire.Peek{}, err)
				return
			}
			if size += len(out.text); size > c.opts.MaxListBytes {
				yield(wire.Peek{}, &runtime.ResponseError{Method: method, What: "the list has more than " + strconv.Itoa(c.opts.MaxListBytes) + " bytes"})
				return
			}
			array := wire.PeekAt(out.text).In(member)
			if array.Kind() != wire.Array {
				yield(wire.Peek{}, &runtime.ResponseError{Method: method, What: member + " is not an array"})
				return
			}
			for element := range array.Elements() {
				if member == "tools" && !c.learned(element) {
					continue
				}
				if !yield(element, nil) {
					return
				}
			}
			if !out.hasCursor || out.cursor == "" && c.Era() == mcp.Handshake {
				return
			}
			if seen[out.cursor] {
				yield(wire.Peek{}, &runtime.ResponseError{Method: method, What: "the cursor " + strconv.Quote(peerlog.Clip(out.cursor)) + " was repeated"})
				return
			}
			seen[out.cursor] = true
			q = &outgoing{method: method, members: wire.AppendString([]byte(`,"cursor":`), out.cursor)}
		}
		yield(wire.Peek{}, &runtime.ResponseError{Method: method, What: "the list has more than " + strconv.Itoa(c.opts.MaxPages) + " pages"})
	}
}
