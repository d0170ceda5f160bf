package merge

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// spelling knows how the nodes of canonical trees were written.
type spelling struct {
	over    Overlays
	written map[*yaml.Node]*yaml.Node // by what canonical made of it
	merged  map[*yaml.Node]*yaml.Node // what stood there before, by what a merge has made
}

// canonical is the one form of a tree in which equal meanings are spelled equally: a type is {type: X}, {list: X} or {map: X}, fields are fields, and the
// values of an enum are a mapping. A tree that has this form is returned as it is; others are not changed.
func (s *spelling) canonical(n *yaml.Node, place *grammar.Place) *yaml.Node {
	if n == nil || place == grammar.Data() {
		return n
	}
	c := s.lift(n, place)
	if place.Key("union") != nil && c.Kind == yaml.MappingNode {
		c = asFields(s.unfold(c))
	}
	content := slices.Clone(c.Content)
	for i := range content {
		switch {
		case c.Kind == yaml.SequenceNode && place.Items != nil:
			content[i] = s.canonical(content[i], place.Items)
		case c.Kind == yaml.MappingNode && i%2 == 1:
			content[i] = s.canonical(content[i], place.Value(content[i-1].Value))
		}
	}
	if !slices.Equal(content, c.Content) {
		copied := *c
		copied.Content, c = content, &copied
	}
	if c != n {
		s.written[c] = n
	}
	return c
}

// original is a node as it was written.
func (s *spelling) original(n *yaml.Node) *yaml.Node {
	if was := s.written[n]; was != nil {
		return was
	}
	return n
}

// lift is a value in the form of a mapping, with its comments, if it has one.
func (s *spelling) lift(n *yaml.Node, place *grammar.Place) *yaml.Node {
	m := lift(n, place)
	if m == nil || m == n {
		return n
	}
	m.HeadComment, m.LineComment, m.FootComment = n.HeadComment, n.LineComment, n.FootComment
	if n.Kind == yaml.ScalarNode && len(m.Content) > 0 {
		bare := *n
		bare.HeadComment, bare.LineComment, bare.FootComment = "", "", ""
		m.Content[1] = s.pinnedAs(n, &bare)
	}
	return m
}

// pinnedAs says that what stands for a node is of the overlay that the node is of.
func (s *spelling) pinnedAs(n, other *yaml.Node) *yaml.Node {
	if o := s.over.owner(n); o != nil {
		o.pinned[other] = true
	}
	return other
}

// unfold writes type: list<X> and type: map<X> as list: X and map: X.
func (s *spelling) unfold(n *yaml.Node) *yaml.Node {
	at := tree.IndexOf(n, "type")
	if at < 0 || n.Content[at+1].Kind != yaml.ScalarNode || tree.Get(n, "list") != nil || tree.Get(n, "map") != nil {
		return n
	}
	e, fault := syntax.ParseExpr(&syntax.Node{Text: n.Content[at+1].Value})
	if fault != nil || e.Kind != syntax.ListExpr && e.Kind != syntax.MapExpr {
		return n
	}
	u, key := *n, *n.Content[at]
	if key.Value = "list"; e.Kind == syntax.MapExpr {
		key.Value = "map"
	}
	u.Content = slices.Clone(n.Content)
	elem := tree.Text(e.Args[0].String())
	elem.LineComment = n.Content[at+1].LineComment
	u.Content[at], u.Content[at+1] = &key, s.pinnedAs(n.Content[at+1], elem)
	return &u
}

// asFields writes properties, which an import does not write, as fields.
func asFields(n *yaml.Node) *yaml.Node {
	at := tree.IndexOf(n, "properties")
	if at < 0 || tree.Get(n, "fields") != nil {
		return n
	}
	required, f, fields := convert.SetOf(tree.Words(tree.Get(n, "required"))), *n, *n.Content[at+1]
	f.Content, fields.Content = slices.Clone(n.Content), slices.Clone(fields.Content)
	f.Content[at], f.Content[at+1] = tree.Text("fields"), &fields
	for i := 0; i+1 < len(fields.Content); i += 2 {
		key := *fields.Content[i]
		if !required[key.Value] {
			key.Value += "?"
		}
		fields.Content[i] = &key
	}
	tree.Remove(&f, "required")
	return &f
}

// spell is a merged tree as files are written: what the merge left alone stands as it was written, and the rest in the form that stood there, if it fits.
func (k *keeper) spell(n *yaml.Node, place *grammar.Place) *yaml.Node {
	if was := k.written[n]; was != nil {
		k.keepAs(n, was)
		return was
	}
	was := k.merged[n]
	if was == nil {
		return n
	}
	for i := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode && place.Items != nil:
			n.Content[i] = k.spell(n.Content[i], place.Items)
		case n.Kind == yaml.MappingNode && i%2 == 1:
			n.Content[i] = k.spell(n.Content[i], place.Value(n.Content[i-1].Value))
		}
	}
	was = k.original(was)
	for _, word := range []string{"list", "map"} {
		if at := tree.IndexOf(n, word); at >= 0 && n.Content[at+1].Kind == yaml.ScalarNode && tree.Get(was, word) == nil && place.Key("union") != nil {
			n.Content[at], n.Content[at+1] = tree.Text("type"), tree.Text(word+"<"+n.Content[at+1].Value+">")
		}
	}
	shorten(n, place)
	switch {
	case n.Kind != yaml.MappingNode:
	case len(n.Content) == 0 && place.Empty:
		turnInto(n, tree.Plain(""))
	case place.Name == "enumValue" && was.Kind == yaml.ScalarNode && len(n.Content) == 2 && n.Content[0].Value == "description":
		turnInto(n, n.Content[1])
	case place.Name == "enum" && was.Kind == yaml.SequenceNode && onlyKeys(n):
		list := *was
		list.Content = nil
		tree.Each(n, func(key, _ *yaml.Node) { list.Content = append(list.Content, key) })
		turnInto(n, &list)
	}
	return n
}

// keepAs notes of a node as it was written what the merge has kept of its canonical form.
func (k *keeper) keepAs(n, was *yaml.Node) {
	switch {
	case n == was:
	case n.Kind != was.Kind || len(n.Content) != len(was.Content):
		k.kept[was] = append(k.kept[was], k.keptWithin(n)...)
	default:
		k.kept[was] = append(k.kept[was], k.kept[n]...)
		for i, child := range n.Content {
			k.keepAs(child, was.Content[i])
		}
	}
}

// onlyKeys reports whether a mapping says nothing of its keys.
func onlyKeys(n *yaml.Node) bool {
	all := true
	tree.Each(n, func(_, value *yaml.Node) { all = all && tree.IsEmpty(value) })
	return all
}

// Shorten writes schemas that say their type and nothing else as type expressions, as files are written: list<X> instead of {list: X}. It reports
// whether there were any.
func Shorten(n *yaml.Node, place *grammar.Place) (some bool) {
	if place == nil || place == grammar.Data() {
		return false
	}
	tree.Each(n, func(key, value *yaml.Node) { some = Shorten(value, place.Value(key.Value)) || some })
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			some = Shorten(item, place.Items) || some
		}
	}
	return shorten(n, place) || some
}

func shorten(n *yaml.Node, place *grammar.Place) bool {
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 || !place.Takes(grammar.Expression) || place.Key("type") == nil {
		return false
	}
	only := n.Content[1]
	word, known := map[string]string{"type": "", "list": "list", "map": "map"}[n.Content[0].Value]
	if !known || only.Kind != yaml.ScalarNode || only.Value == "" {
		return false
	}
	expression := only.Value
	if word != "" {
		expression = word + "<" + expression + ">"
	}
	turnInto(n, tree.Text(expression))
	return true
}

// turnInto gives a node the value of another one, in its place and with its comments.
func turnInto(n, other *yaml.Node) {
	n.Kind, n.Tag, n.Value, n.Style, n.Content = other.Kind, other.Tag, other.Value, other.Style, other.Content
}

// alike reports whether two trees say the same, whatever their styles, the order of keys, and the space around texts, which files are written without.
func alike(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) || a.ShortTag() != b.ShortTag() || strings.TrimSpace(a.Value) != strings.TrimSpace(b.Value) {
		return false
	}
	var at map[string]int // where the keys of b stand; nil while they stand as in a
	for i := range a.Content {
		j := i
		if a.Kind == yaml.MappingNode {
			if i%2 == 0 {
				continue
			}
			if key := a.Content[i-1].Value; at != nil || b.Content[i-1].Value != key {
				if at == nil {
					at = keysIn(b, grammar.Data()).at
				}
				key, there := at[key]
				if !there {
					return false
				}
				j = key + 1
			}
		}
		if !alike(a.Content[i], b.Content[j]) {
			return false
		}
	}
	return true
}
