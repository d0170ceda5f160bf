package mcpclient

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// PromptRequest is one request prompts/get of a generated client.
type PromptRequest struct{ requestWithArguments }

// NewPromptRequest begins a request for a prompt; declared is as in [Client.NewToolRequest]. The
// caller must call Close.
func (c *Client) NewPromptRequest(prompt string, declared func(*runtime.Error) error) *PromptRequest {
	q := new(PromptRequest)
	q.client, q.declared = c, declared
	q.request = outgoing{method: "prompts/get", target: prompt, members: namedMembers(prompt)}
	return q
}

// Whole decodes the prompt.
func (q *PromptRequest) Whole(v *mcp.GetPromptResult) { q.whole(v) }
