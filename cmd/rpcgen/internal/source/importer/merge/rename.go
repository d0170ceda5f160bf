package merge

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/templates"
)

// mostRenames bounds how often names are looked at anew: a name that is given may move others.
const mostRenames = 20

// resolveClashes gives what has the Go name of something else another name by `go:`, generates the document, which was compiled from text, and writes
// it. A name that a person chose stays: what else has it gets another one, unless a person chose that as well.
func (k *keeper) resolveClashes(document *yaml.Node, doc *ir.Document, text []byte) ([]byte, *ir.Document, error) {
	whole, given := root(document), map[*yaml.Node]bool{}
	for range mostRenames {
		names, _ := templates.NewNames(doc)
		clashes := names.Clashes()
		if len(clashes) == 0 || !k.rename(whole, text, clashes, given) {
			break
		}
		var err error
		if doc, text, err = k.check(document); err != nil {
			return nil, nil, err
		}
	}
	return format.Node(document), doc, k.generate(doc, whole, text)
}

// rename writes the free names of clashes in a whole that was written as a text, and reports whether it could write one. What got a name is in given.
func (k *keeper) rename(whole *yaml.Node, text []byte, clashes []templates.Clash, given map[*yaml.Node]bool) bool {
	spots, made := spotsOf(whole, text), k.madeOf(whole, text)
	now := map[*yaml.Node]bool{}
	for _, c := range clashes {
		if spots.inside(c.Pos, now) {
			continue // its name follows from one that changes
		}
		is, n := ofSource(c, spots, made)
		barred := n == nil || k.chosen(n, given) // its author has chosen, or is to choose: what it clashes with may be of the source
		if exact := spots.spells(c); barred || exact {
			two, ok := c.Other()
			other, m := ofSource(two, spots, made)
			switch may := ok && m != nil && !now[m] && !k.chosen(m, given); {
			case may && (barred || !spots.spells(two)):
				c, is, n = two, other, m
			case barred:
				continue
			}
		}
		if at, ok := k.imported.Origins[n]; ok {
			is.at = at
		}
		free := c.Free()
		if !given[n] {
			k.report.Renamed = append(k.report.Renamed, report.GoName{Pointer: is.at.Pointer, In: is.decl, Name: c.Name, Go: free})
		}
		tree.Set(n, "go", tree.Text(free))
		given[n], now[n] = true, true
	}
	return len(now) > 0
}

// chosen reports whether a person chose the name of a node for Go.
func (k *keeper) chosen(n *yaml.Node, given map[*yaml.Node]bool) bool {
	name := tree.Get(n, "go")
	return name != nil && !given[n] && !numberedName().MatchString(name.Value)
}

// ofSource returns what has the name of a clash and the node that can be given another name; nil if that is not of the source.
func ofSource(c templates.Clash, spots spots, from Marks[origin]) (origin, *yaml.Node) {
	is := from.Before(c.Pos)
	if is.by != nil || is.at.Pos.File == "" {
		return is, nil
	}
	return is, spots.clashSpot(c)
}

var numberedName = text.Pattern(`[A-Za-z][0-9]+$`)

// spot is a node with the one around it.
type spot struct {
	node   *yaml.Node
	around *spot
}

// spots are the nodes of a whole by the places where they begin in its text, the outermost first.
type spots struct {
	at  map[[2]int][]*spot
	all Marks[*spot]
}

func spotsOf(whole *yaml.Node, text []byte) spots {
	s := spots{at: map[[2]int][]*spot{}}
	s.all = MarkedBy(whole, text, func(n *yaml.Node, around *spot) *spot { return &spot{n, around} })
	for _, m := range s.all {
		place := [2]int{m.line, m.col}
		s.at[place] = append(s.at[place], m.is)
	}
	return s
}

// inside reports whether a place is within one of some nodes.
func (s spots) inside(at diag.Pos, nodes map[*yaml.Node]bool) bool {
	next := s.all.after(at)
	if next == 0 {
		return false
	}
	for is := s.all[next-1].is; is != nil; is = is.around {
		if nodes[is.node] {
			return true
		}
	}
	return false
}

// clashSpot returns the mapping in which `go:` resolves a clash; nil if there is none.
func (s spots) clashSpot(c templates.Clash) *yaml.Node {
	for _, keyed := range []bool{c.Keyed, !c.Keyed} {
		for _, is := range s.at[[2]int{c.Pos.Line, c.Pos.Col}] {
			if value := is.value(); (value != nil) == keyed {
				if keyed {
					return asMapping(value, is.ofEnum())
				}
				if c.Branch && is.node.Kind == yaml.ScalarNode {
					return spread(is.node, 0, true)
				}
				return is.mapping()
			}
		}
	}
	return s.within(c.Pos, c.Branch)
}

// spells reports whether what has the name of a clash is called so in the schema, too.
func (s spots) spells(c templates.Clash) bool {
	return slices.ContainsFunc(s.at[[2]int{c.Pos.Line, c.Pos.Col}], func(is *spot) bool {
		return is.value() != nil && strings.TrimSuffix(is.node.Value, "?") == c.Name
	})
}

// value returns the value of a key; nil when the node is not a key.
func (s *spot) value() *yaml.Node {
	if s.around == nil || s.around.node.Kind != yaml.MappingNode {
		return nil
	}
	content := s.around.node.Content
	for i := 0; i+1 < len(content); i += 2 {
		if content[i] == s.node {
			return content[i+1]
		}
	}
	return nil
}

// ofEnum reports whether a node is a value of an enum.
func (s *spot) ofEnum() bool {
	return s.around != nil && s.around.around != nil && tree.Get(s.around.around.node, "enum") == s.around.node
}

// mapping returns the mapping that speaks of a node which is not a key. A list of an enum becomes the mapping of its values.
func (s *spot) mapping() *yaml.Node {
	switch {
	case s.ofEnum():
		values := s.around.node
		if values.Kind == yaml.SequenceNode {
			values.Kind, values.Tag, values.Style, values.Content = yaml.MappingNode, "", 0, fileKeys(values.Content)
		}
		return asMapping(s.value(), true)
	case s.around != nil && tree.Get(s.around.node, "const") == s.node:
		return s.around.node
	}
	return asMapping(s.node, false)
}

// asMapping makes a node a mapping in its place: a type expression, or what is said of a value of an enum. It returns nil for other nodes.
func asMapping(n *yaml.Node, ofEnum bool) *yaml.Node {
	if n == nil || n.Kind == yaml.MappingNode {
		return n
	}
	if n.Kind != yaml.ScalarNode {
		return nil
	}
	inner := *n
	inner.HeadComment, inner.LineComment, inner.FootComment = "", "", ""
	n.Kind, n.Tag, n.Value, n.Style = yaml.MappingNode, "", "", 0
	switch {
	case tree.IsEmpty(&inner):
	case ofEnum:
		tree.Set(n, "description", &inner)
	default:
		tree.Set(n, "type", &inner)
	}
	return n
}

// within returns the mapping of what stands at a place within a type expression, which is spread for it; nil if there is none.
func (s spots) within(at diag.Pos, branch bool) *yaml.Node {
	next := s.all.after(at)
	if next == 0 {
		return nil
	}
	m := s.all[next-1]
	n, offset := m.is.node, at.Col-m.col
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		offset--
	}
	if n.Kind != yaml.ScalarNode || m.is.value() != nil || at.Line != m.line || offset < 0 || offset >= len(n.Value) {
		return nil
	}
	return spread(n, offset, branch)
}

// spread writes a type expression as mappings, as far as what stands at an offset in it needs one, and returns that one.
func spread(n *yaml.Node, offset int, branch bool) *yaml.Node {
	if parts := strings.Split(n.Value, " | "); len(parts) > 1 && (branch || offset > 0) && !strings.ContainsAny(n.Value, "<>") {
		return spreadUnion(n, parts, offset)
	}
	for _, of := range []string{"list", "map"} {
		rest, ok := strings.CutPrefix(n.Value, of+"<")
		rest, closed := strings.CutSuffix(rest, ">")
		if ok && closed && offset > len(of) {
			elem := tree.Text(rest)
			become(n, of, elem)
			return spread(elem, offset-len(of)-1, branch)
		}
	}
	return asMapping(n, false)
}

// spreadUnion writes a union of named types as a list, and returns the branch at an offset of the expression.
func spreadUnion(n *yaml.Node, parts []string, offset int) *yaml.Node {
	var meant *yaml.Node
	branches, at := tree.Flow(), 0
	for _, p := range parts {
		b := tree.Text(p)
		branches.Content = append(branches.Content, b)
		if at += len(p) + len(" | "); meant == nil && offset < at {
			meant = b
		}
	}
	become(n, "union", branches)
	return asMapping(meant, false)
}

// become makes a node a mapping of one key in its place.
func become(n *yaml.Node, key string, value *yaml.Node) {
	n.Kind, n.Tag, n.Value, n.Style = yaml.MappingNode, "", "", 0
	tree.Set(n, key, value)
}
