package ir

import (
	"slices"
	"strings"
)

// ContentKind is a kind of content block: the tag that tells it apart in MCP (ContentBlock).
type ContentKind string

// The kinds of content blocks.
const (
	TextContent     ContentKind = "text"
	ImageContent    ContentKind = "image"
	AudioContent    ContentKind = "audio"
	LinkContent     ContentKind = "resource_link"
	ResourceContent ContentKind = "resource"
)

// ContentKinds lists the kinds, in the order of the protocol.
var ContentKinds = []ContentKind{TextContent, ImageContent, AudioContent, LinkContent, ResourceContent}

// Since returns the first revision of MCP that has the kind.
func (k ContentKind) Since() string {
	switch k {
	case AudioContent:
		return "2025-03-26"
	case LinkContent:
		return "2025-06-18"
	}
	return "2024-11-05"
}

// Content says which content blocks the handler of a tool gives.
type Content struct {
	Kinds []ContentKind // what a block may be, in the author's order; empty for anything
	Many  bool          // any number of blocks, none included; otherwise exactly one, unless it may be anything
}

// Any reports whether the blocks may be anything: the handler of a tool without an output gives a whole CallToolResult.
func (c *Content) Any() bool { return c != nil && len(c.Kinds) == 0 }

// One returns the only kind that there may be. It reports false if there may be several.
func (c *Content) One() (ContentKind, bool) {
	if c == nil || len(c.Kinds) != 1 {
		return "", false
	}
	return c.Kinds[0], true
}

// Equal reports whether two tools give the same blocks, whatever the order of their kinds is.
func (c *Content) Equal(o *Content) bool {
	if c == nil || o == nil {
		return c == o
	}
	return c.Many == o.Many && len(c.Kinds) == len(o.Kinds) && !slices.ContainsFunc(c.Kinds, func(k ContentKind) bool { return !slices.Contains(o.Kinds, k) })
}

// String gives the words used in a schema; nothing if there are no blocks.
func (c *Content) String() string {
	switch kind, ok := c.One(); {
	case c == nil:
		return ""
	case c.Any():
		return "any"
	case !ok:
		return "[" + c.join() + "]"
	case c.Many:
		return "list<" + string(kind) + ">"
	default:
		return string(kind)
	}
}

func (c *Content) join() string {
	all := Each(c.Kinds, func(k ContentKind) string { return string(k) })
	return strings.Join(all, ", ")
}
