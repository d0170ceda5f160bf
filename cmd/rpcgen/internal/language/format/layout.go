package format

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// What stands on one line, apart from fitting there: so many mappings within each other, and so many members whose names the author
// chose, so that a line of a diff is a fact.
const (
	mostNested  = 2
	mostMembers = 4
)

// flow writes a value on one line, if that is how it should stand.
func flow(n *node) (string, bool) { return flowWithin(n, mostNested) }

func flowWithin(n *node, nesting int) (string, bool) {
	switch {
	case n.kind == yaml.ScalarNode:
		// a text with lines of its own keeps them
		return inline(n, true), n.text != "" || n.quoted
	case n.kind == yaml.MappingNode && (nesting == 0 && len(n.entries) > 0 || n.place.Each != nil && n.place != grammar.Data() && len(n.entries) > mostMembers):
		return "", false
	}
	parts := make([]string, 0, len(n.entries))
	for _, e := range n.entries {
		part, ok := flowEntry(e, n, nesting)
		if !ok {
			return "", false
		}
		parts = append(parts, part)
	}
	if n.kind == yaml.MappingNode {
		return "{" + strings.Join(parts, ", ") + "}", true
	}
	return "[" + strings.Join(parts, ", ") + "]", true
}

func flowEntry(e *entry, in *node, nesting int) (string, bool) {
	if len(e.head)+len(e.foot) > 0 || e.line != "" || e.section || tall(e.value) {
		return "", false
	}
	if in.kind == yaml.SequenceNode {
		return flowWithin(e.value, nesting)
	}
	value, ok := flowWithin(e.value, nesting-1)
	return inline(e.key, true) + ": " + value, ok && !strings.HasSuffix(e.name, "?")
}

// tall reports whether a text has lines that should be seen.
func tall(n *node) bool {
	if n.kind != yaml.ScalarNode || !strings.Contains(n.text, "\n") {
		return false
	}
	header, _ := ownLines(n, width, width)
	return header != ""
}

// tallDeclaration reports whether a declaration stands on lines of its own however short it is: it says what it is, or it has parts as well as other facts.
func tallDeclaration(e *entry) bool {
	return e.decl && slices.ContainsFunc(e.value.entries, func(part *entry) bool {
		return part.name == "description" || part.name == "title" ||
			len(e.value.entries) > 1 && part.value.kind == yaml.MappingNode && len(part.value.entries) > 0
	})
}
