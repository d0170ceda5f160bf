package mcp

import "github.com/rpcgen-go/rpcgen/runtime/wire"

// PromptRequest is one request for a prompt by a generated client.
type PromptRequest struct{ argued }

// NewPromptRequest begins a request for a prompt. Close ends it.
func (c *Client) NewPromptRequest(prompt string) *PromptRequest {
	q := new(PromptRequest)
	q.client = c
	q.ask = ask{method: "prompts/get", target: prompt, members: wire.AppendString([]byte(`,"name":`), prompt)}
	return q
}

// Whole decodes the prompt.
func (q *PromptRequest) Whole(v *GetPromptResult) { q.whole(v) }
