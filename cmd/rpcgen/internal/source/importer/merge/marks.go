package merge

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// Marks say what the nodes of a tree are, in the order of the text that it was written as.
type Marks[T any] []mark[T]

type mark[T any] struct {
	line, col int // col is counted in bytes
	is        T
}

// MarkedBy walks a tree and its text together. A node is what mark makes of what the node around it is.
func MarkedBy[T any](root *yaml.Node, text []byte, is func(n *yaml.Node, around T) T) Marks[T] {
	var written yaml.Node
	if err := yaml.Unmarshal(text, &written); err != nil || len(written.Content) == 0 {
		return nil
	}
	var all Marks[T]
	columns := syntax.Columns{Lines: strings.Split(string(text), "\n")}
	var walk func(n, w *yaml.Node, around T)
	walk = func(n, w *yaml.Node, around T) {
		m := mark[T]{w.Line, columns.Offset(w.Line, w.Column) + 1, is(n, around)}
		if len(all) > 0 { // the library may place what is empty further down
			last := all[len(all)-1]
			if last.line > m.line || last.line == m.line && last.col > m.col {
				m.line, m.col = last.line, last.col
			}
		}
		all = append(all, m)
		for k := range min(len(n.Content), len(w.Content)) {
			walk(n.Content[k], w.Content[k], m.is)
		}
	}
	walk(root, written.Content[0], *new(T))
	return all
}

// Before is what the last node is that begins at a position or before it.
func (all Marks[T]) Before(at diag.Pos) (is T) {
	if next := all.after(at); next > 0 {
		is = all[next-1].is
	}
	return is
}

// after is the index of the first node that begins after a position.
func (all Marks[T]) after(at diag.Pos) int {
	next, _ := slices.BinarySearchFunc(all, at, func(m mark[T], at diag.Pos) int {
		if m.line > at.Line || m.line == at.Line && m.col > at.Col {
			return 1
		}
		return -1
	})
	return next
}
