package mcpclient

import "github.com/rpcgen-go/rpcgen/runtime/mcp"

// PromptRequest is one request for a prompt by a generated client.
type PromptRequest struct{ argued }

// NewPromptRequest begins a request for a prompt. Close ends it.
func (c *Client) NewPromptRequest(prompt string) *PromptRequest {
	q := new(PromptRequest)
	q.client = c
	q.ask = ask{method: "prompts/get", target: prompt, members: namedMembers(prompt)}
	return q
}

// Whole decodes the prompt.
func (q *PromptRequest) Whole(v *mcp.GetPromptResult) { q.whole(v) }
