package mcp

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// getPrompt serves prompts/get.
func getPrompt(ctx context.Context, q *Request) error {
	p := &PromptCall{handlerCall{q: q, c: q.call}}
	if dynamic := q.server.opts.Dynamic; dynamic == nil || !dynamic.GetPrompt(ctx, p) {
		q.server.declarations.GetPrompt(ctx, p)
	}
	return p.outcome()
}

// Violations returns the list to which violations of the arguments are added.
func (p *PromptCall) Violations() *violation.List { return p.c.Violations() }

// Arguments is the condition of the loop that decodes the arguments, see [ToolCall.Arguments].
// Invalid arguments are answered with -32602 (server/prompts, Error Handling).
func (p *PromptCall) Arguments() bool {
	return p.arguments(func(broken violation.Error) error {
		for i := range broken.Violations {
			broken.Violations[i].Pointer = "/arguments" + broken.Violations[i].Pointer
		}
		return runtime.InvalidParams(broken.Violations, broken.Dropped)
	})
}

// NotFound answers that there is no such prompt. The argument holds all names, newline-separated.
func (p *PromptCall) NotFound(names string) {
	name := p.Name()
	names = p.q.names(names, listing.Prompts)
	p.q.missing = true
	near := closest(name, names)
	p.Fail(p.q.server.declaredError(
		runtime.Condition{Kind: when.PromptNotFound, Method: name, Suggestion: near, Available: p.q.server.available(names)},
		p.q.notFound(runtime.CodeInvalidParams, "Unknown prompt: "+peerlog.Clip(name), "", "", near)))
}
