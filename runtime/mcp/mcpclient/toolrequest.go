package mcpclient

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// ToolRequest is one request tools/call of a generated client.
type ToolRequest struct{ requestWithArguments }

// NewToolRequest begins a call of a tool. An error that the server answers is what declared returns
// for it, which may be the error itself; declared may be nil. The caller must call Close.
func (c *Client) NewToolRequest(tool string, declared func(*runtime.Error) error) *ToolRequest {
	q := new(ToolRequest)
	q.client, q.declared = c, declared
	q.request = outgoing{method: "tools/call", target: tool, members: namedMembers(tool)}
	return q
}

// failed reports whether there is no result. An error of the tool is what declared returns for it,
// or the [*ToolFailure] itself if declared is nil or returns nil.
func (q *ToolRequest) failed(declared func(*ToolFailure) error) bool {
	if q.err != nil || !q.out.isError {
		return q.err != nil
	}
	e := q.out.failure(q.request.target)
	q.err = e
	if declared != nil && e.Name != "" {
		q.err = declared(e)
	}
	return true
}

// Structured is the condition of the loop that decodes the structured result. The loop body runs
// once; it runs a second time if the result is invalid, to collect every violation. It does not run
// if there is an error; declared is called for an error of the tool. If a server sends only text,
// the text is decoded if it is JSON.
func (q *ToolRequest) Structured(declared func(*ToolFailure) error) bool {
	if q.begun {
		return q.decodes()
	}
	if q.failed(declared) {
		return false
	}
	if q.text = q.out.structured; q.text == nil {
		q.text = []byte(q.out.prose())
	}
	if err := wire.Check(q.text, wire.MaxDepth); err != nil {
		q.fail("it holds no structured content")
		return false
	}
	return q.decodes()
}

// NoResult is Structured for tools without an output: it ignores structured content.
func (q *ToolRequest) NoResult(declared func(*ToolFailure) error) { q.failed(declared) }

// Whole decodes the complete result, for tools that return content.
func (q *ToolRequest) Whole(v *mcp.CallToolResult, declared func(*ToolFailure) error) {
	if !q.failed(declared) {
		q.whole(v)
	}
}
