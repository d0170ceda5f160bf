package mcpclient

import (
	"errors"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/canonical"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Content returns the content blocks of a tool, which must be of the kinds given as tags, or may be anything if there are none. It is called after
// NoResult, or after the loop of Structured. After the latter, a first block that repeats the structured content as text is left out.
func (q *ToolRequest) Content(kinds ...string) []mcp.ContentBlock {
	blocks, first := q.blocks()
	if len(kinds) > 0 && !q.ofKinds(blocks, first, kinds...) {
		return nil
	}
	return blocks
}

// BlocksOf returns the content blocks of a tool that are all of the type T, see [ToolRequest.Content].
func BlocksOf[T any, B mcpgen.Block[T]](q *ToolRequest) []T {
	blocks, first := q.blocks()
	if !q.ofKinds(blocks, first, mcpgen.KindOf(B(new(T)))) {
		return nil
	}
	list := make([]T, len(blocks))
	for i, b := range blocks {
		list[i] = *b.(B)
	}
	return list
}

// BlockOf returns the only content block of a tool, which is of the type T, see [ToolRequest.Content].
func BlockOf[T any, B mcpgen.Block[T]](q *ToolRequest) (block T) {
	list := BlocksOf[T, B](q)
	switch {
	case q.err != nil:
	case len(list) == 1:
		return list[0]
	default:
		keyword := "maxItems"
		if len(list) == 0 {
			keyword = "minItems"
		}
		q.violations.Add(violation.Violation{Pointer: "/content", Rule: keyword, Got: strconv.Itoa(len(list)),
			Expected: "one block of the kind " + mcpgen.KindOf(B(&block))})
		q.fail("the tool gave another number of content blocks")
	}
	return block
}

// blocks decodes the content blocks, and returns them with the index of the first one. There are none if there is an error.
func (q *ToolRequest) blocks() (blocks []mcp.ContentBlock, first int) {
	if q.Err() != nil || q.out.content == nil {
		return nil, 0
	}
	var result mcp.CallToolResult
	if q.whole(&result); q.err != nil {
		return nil, 0
	}
	blocks = result.Content
	if len(blocks) > 0 && q.repeats(blocks[0]) {
		return blocks[1:], 1
	}
	return blocks, 0
}

// repeats reports whether a block is the text of the structured content. Servers may write that with other white space, or with its members in another order.
func (q *ToolRequest) repeats(block mcp.ContentBlock) bool {
	text, ok := block.(*mcp.TextContent)
	switch {
	case !ok || q.text == nil:
		return false
	case text.Text == string(q.text):
		return true
	}
	b := []byte(text.Text)
	return wire.Check(b, wire.MaxDepth) == nil && canonical.Value(b) == canonical.Value(q.text)
}

// ofKinds reports whether the blocks are of the kinds, and otherwise stores the error that one is not.
func (q *ToolRequest) ofKinds(blocks []mcp.ContentBlock, first int, kinds ...string) bool {
	if q.err != nil {
		return false
	}
	wrong, is := errors.AsType[*mcpgen.KindError](mcpgen.CheckKinds(blocks, kinds...))
	if !is {
		return true
	}
	at := strconv.Itoa(first + wrong.Index)
	q.violations.Add(violation.Violation{Pointer: "/content/" + at + "/type", Rule: "enum", Expected: wrong.Expected(),
		Got: protocol.Quote(peerlog.Clip(wrong.Kind))})
	q.fail("content block " + at + " is of a kind that the schema does not declare")
	return false
}
