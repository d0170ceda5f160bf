package mcpclient

import (
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// ToolRequest is one call of a tool by a generated client.
type ToolRequest struct{ argued }

// NewToolRequest begins a call of a tool. Close ends it.
func (c *Client) NewToolRequest(tool string) *ToolRequest {
	q := new(ToolRequest)
	q.client = c
	q.ask = ask{method: "tools/call", target: tool, members: namedMembers(tool)}
	return q
}

// failed reports whether there is no result: an error that the tool answered has gone through declared, which may turn it into another; nil leaves
// it a [*ToolFailure].
func (q *ToolRequest) failed(declared func(*ToolFailure) error) bool {
	if q.err != nil || !q.out.isError {
		return q.err != nil
	}
	e := q.out.failure(q.ask.target)
	q.err = e
	if declared != nil && e.Name != "" {
		q.err = declared(e)
	}
	return true
}

// Structured is the condition of the loop that decodes the structured result. Its body runs once, and a second time when something is wrong, to
// collect every violation. It does not run when there is an error: one that the tool answered has gone through declared. A server that
// answers by text alone is taken by its word when that is JSON.
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

// NoResult is Structured for tools without a result: whatever there is, is left.
func (q *ToolRequest) NoResult(declared func(*ToolFailure) error) { q.failed(declared) }

// Whole decodes the whole result, for tools that answer by content.
func (q *ToolRequest) Whole(v *mcp.CallToolResult, declared func(*ToolFailure) error) {
	if !q.failed(declared) {
		q.whole(v)
	}
}
