package mcp

import (
	"bytes"
	"context"

	types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// callTool serves tools/call.
func callTool(ctx context.Context, q *Request) error {
	if q.task == nil && hasTasks(q.server) {
		if answered, err := q.callTask(ctx); answered || err != nil {
			return err
		}
	}
	t := &q.tool
	*t = ToolCall{handlerCall: handlerCall{q: q, c: q.call}}
	if dynamic := q.server.opts.Dynamic; dynamic == nil || !dynamic.CallTool(ctx, t) {
		q.server.declarations.CallTool(ctx, t)
	}
	return t.outcome()
}

// Violations returns the list to which violations of the arguments, and later of the result, are
// added.
func (t *ToolCall) Violations() *rule.Violations { return t.c.Violations() }

// Arguments is the condition of the loop that decodes the arguments. The loop body runs once; it
// runs a second time if the arguments are invalid, to collect every violation. After the loop,
// [ToolCall.Answered] reports whether the arguments were rejected: the answer is then a result that
// lists all violations for the model (server/tools, Error Handling). Absent arguments count as {}.
func (t *ToolCall) Arguments() bool {
	return t.arguments(func(broken rule.Error) error { return &argumentsError{broken} })
}

// RejectArguments answers with the violations of the arguments, as [ToolCall.Arguments] does.
func (t *ToolCall) RejectArguments(broken *rule.Error) { t.Fail(&argumentsError{*broken}) }

// StateKeys returns [Options.StateKeys], at least one: they sign what clients carry from one call to
// the next.
func (t *ToolCall) StateKeys() [][]byte { return t.q.server.opts.StateKeys }

const structuredHead = `{"structuredContent":`

// Structured returns the buffer to append the structured result to. Pass the extended buffer to
// [ToolCall.Return].
func (t *ToolCall) Structured() []byte {
	b := append(t.c.Result(), structuredHead...)
	t.start = len(b)
	return b
}

// Return answers with b, which is the buffer of [ToolCall.Structured] with the result appended. The
// result becomes the structured content and, as text, the content. If [ToolCall.Violations] holds
// violations, the answer is -32603 instead. Up to revision 2025-11-25 only objects are sent as
// structured content.
func (t *ToolCall) Return(b []byte) { t.ReturnContent(b, nil) }

// ReturnContent is [ToolCall.Return] with further content blocks, after the text of the result. The
// rules of the blocks are checked as those of the result are.
func (t *ToolCall) ReturnContent(b []byte, blocks []ContentBlock) {
	structured := b[t.start:]
	if t.q.handshake != nil && (len(structured) == 0 || structured[0] != '{') {
		structured = bytes.Clone(structured)
		b = append(b[:t.start-len(structuredHead)], '{')
	} else {
		b = append(b, ',')
	}
	b = append(b, `"content":[{"type":"text","text":`...)
	b = append(wire.AppendQuoted(b, structured), '}')
	if len(blocks) > 0 {
		b = t.appendBlocks(append(b, ','), blocks)
	}
	t.give(append(append(b, ']'), t.q.tail()...))
}

// ReturnBlocks answers with content blocks, for tools without structured content. If one violates
// the rules of the protocol, the answer is -32603 instead.
func (t *ToolCall) ReturnBlocks(blocks []ContentBlock) {
	b := t.appendBlocks(append(t.c.Result(), `{"content":[`...), blocks)
	t.give(append(append(b, ']'), t.q.tail()...))
}

// appendBlocks appends content blocks, comma-separated, unless they violate rules. What cannot be
// written fails the call.
func (t *ToolCall) appendBlocks(b []byte, blocks []ContentBlock) []byte {
	if rule.EachValue(t.c.Violations(), "/content", blocks, types.CheckContentBlock); t.c.Violations().Len() > 0 {
		return b
	}
	for i, block := range blocks {
		if i > 0 {
			b = append(b, ',')
		}
		text, err := wire.Marshal(contentBlock{block})
		if err != nil {
			t.Fail(err)
			break
		}
		b = append(b, text...)
	}
	return b
}

// contentBlock writes a content block.
type contentBlock struct{ ContentBlock }

func (c contentBlock) AppendJSON(b []byte) []byte {
	return types.AppendContentBlock(b, c.ContentBlock)
}

// ReturnEmpty answers with empty content, for tools without a result.
func (t *ToolCall) ReturnEmpty() {
	t.give(append(append(t.c.Result(), `{"content":[]`...), t.q.tail()...))
}

// NotFound answers that there is no such tool (server/tools, Error Handling). The argument holds
// all names, newline-separated.
func (t *ToolCall) NotFound(names string) {
	name := t.Name()
	names = t.q.names(names, listing.Tools)
	t.q.missing = true
	near := closest(name, names)
	t.Fail(t.q.server.declaredError(
		runtime.Condition{Kind: when.ToolNotFound, Method: name, Suggestion: near, Available: t.q.server.available(names)},
		t.q.notFound(runtime.CodeInvalidParams, "Unknown tool: "+peerlog.Clip(name), "", "", near)))
}
