package mcpgen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"
)

// Block is a pointer to a type of content blocks, such as *ImageContent.
type Block[T any] interface {
	*T
	types.ContentBlock
}

// Blocks returns a list of blocks of one kind as content blocks, which point into the list.
func Blocks[T any, B Block[T]](list []T) []types.ContentBlock {
	blocks := make([]types.ContentBlock, len(list))
	for i := range list {
		blocks[i] = B(&list[i])
	}
	return blocks
}

// KindOf returns the tag of a content block (ContentBlock); it is empty for nil, and for a block that
// has none.
func KindOf(block types.ContentBlock) string {
	switch b := block.(type) {
	case *types.TextContent:
		return "text"
	case *types.ImageContent:
		return "image"
	case *types.AudioContent:
		return "audio"
	case *types.ResourceLink:
		return "resource_link"
	case *types.EmbeddedResource:
		return "resource"
	case *types.UnknownContentBlock:
		return b.Tag
	}
	return ""
}

// KindError means that a content block is of a kind that the schema does not declare for its tool.
type KindError struct {
	Index    int      // of the block
	Kind     string   // its tag; empty if it has none
	Declared []string // the tags of the declared kinds
}

// Error implements error.
func (e *KindError) Error() string {
	what := "has no kind"
	if e.Kind != "" {
		what = "is of the kind " + strconv.Quote(e.Kind)
	}
	return fmt.Sprintf("content block %d %s: the schema declares %s", e.Index, what, e.Expected())
}

// Expected returns the declared kinds, for people.
func (e *KindError) Expected() string { return strings.Join(e.Declared, " or ") }

// CheckKinds returns a [*KindError] for the first of the blocks whose kind is none of those
// declared. A block that the protocol does not know is never declared.
func CheckKinds(blocks []types.ContentBlock, declared ...string) error {
	for i, b := range blocks {
		kind := KindOf(b)
		if _, unknown := b.(*types.UnknownContentBlock); unknown || !slices.Contains(declared, kind) {
			return &KindError{Index: i, Kind: kind, Declared: declared}
		}
	}
	return nil
}
