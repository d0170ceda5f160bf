package merge

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// respelled merges words into fields that the file has under properties, if these mean the same as before.
func (k *keeper) respelled(l level, key string, fresh *yaml.Node) bool {
	properties := tree.Get(l.old, "properties")
	if !k.wordsOnly || key != "fields" || properties == nil || l.place.Key("union") == nil {
		return false
	}
	inner := l.entry(key, properties, fresh)
	tree.Each(fresh, func(key, value *yaml.Node) {
		if at := tree.IndexOf(properties, strings.TrimSuffix(key.Value, "?")); at >= 0 {
			properties.Content[at+1] = k.merged(inner.entry(key.Value, properties.Content[at+1], value))
		}
	})
	return true
}

// asFields writes properties, which an import does not write, as the fields of the import.
func asFields(old, fresh *yaml.Node) {
	at := tree.IndexOf(old, "properties")
	if at < 0 || tree.Get(fresh, "fields") == nil || tree.Get(old, "fields") != nil {
		return
	}
	required := convert.SetOf(tree.Words(tree.Get(old, "required")))
	old.Content[at].Value = "fields"
	tree.Each(old.Content[at+1], func(key, _ *yaml.Node) {
		if !required[key.Value] {
			key.Value += "?"
		}
	})
	tree.Remove(old, "required")
}

// liftable reports whether a short form of the import can be merged into the mapping of the file, which has words of its own.
func liftable(old, fresh *yaml.Node, place *grammar.Place) bool {
	return old.Kind == yaml.MappingNode && lift(fresh, place) != nil
}

// untouched reports whether only a person has changed what cannot be merged key by key.
func (k *keeper) untouched(l level) bool {
	return l.last.said(l.fresh) && !k.pinnedWithin(l.fresh) && !mergeable(l)
}

// mergeable reports whether the file spells a place as the import does, so that it can be merged key by key, or word by word.
func mergeable(l level) bool {
	old, fresh := lift(l.old, l.place), lift(l.fresh, l.place)
	if old == nil || fresh == nil {
		return l.old.Kind == yaml.SequenceNode && l.fresh.Kind == yaml.SequenceNode && allScalars(l.old) && allScalars(l.fresh)
	}
	if l.place.Key("union") == nil {
		return true
	}
	if tree.Get(old, "type") == nil && tree.Get(fresh, "type") != nil || formOf(old) != formOf(fresh) {
		return false
	}
	for _, key := range formKeys[formOf(fresh)] {
		if tree.Get(fresh, key) != nil && tree.Get(old, key) == nil && !slices.Contains([]string{"by", "in", "absent"}, key) {
			return false
		}
	}
	t := tree.Get(old, "type")
	return t == nil || l.old.Kind == yaml.MappingNode || tree.Same(t, tree.Get(fresh, "type"))
}

// unfolded writes list<X> and map<X> as {list: X} and {map: X} where the file or the import has that form, so that they are merged key by key.
func (k *keeper) unfolded(l level) level {
	for word, kind := range map[string]syntax.ExprKind{"list": syntax.ListExpr, "map": syntax.MapExpr} {
		if l.place.Key("union") != nil && (tree.Get(l.old, word) != nil || tree.Get(l.fresh, word) != nil) {
			l.old, l.fresh, l.last.node = k.unfold(l.old, word, kind), k.unfold(l.fresh, word, kind), k.unfold(l.last.node, word, kind)
		}
	}
	return l
}

// unfold is a schema with the type under the word for it, if it is a list or a map of others.
func (k *keeper) unfold(n *yaml.Node, word string, kind syntax.ExprKind) *yaml.Node {
	t := n
	if n != nil && n.Kind == yaml.MappingNode {
		t = tree.Get(n, "type")
	}
	if t == nil || t.Kind != yaml.ScalarNode || tree.Get(n, word) != nil {
		return n
	}
	e, fault := syntax.ParseExpr(&syntax.Node{Text: t.Value})
	if fault != nil || e.Kind != kind {
		return n
	}
	elem, m := tree.Text(e.Args[0].String()), tree.Mapping()
	if o := k.over.owner(t); o != nil {
		o.pinned[elem] = true
	}
	tree.Set(m, word, elem)
	tree.Each(n, func(key, value *yaml.Node) {
		if value != t {
			m.Content = append(m.Content, key, value)
		}
	})
	return k.replaced(n, m)
}

// merged is the value of the file with what the import says.
func (k *keeper) merged(l level) *yaml.Node {
	if alike(l.old, l.fresh) {
		return l.old
	}
	l = k.unfolded(l)
	old, fresh, place := l.old, l.fresh, l.place
	switch {
	case k.forced[l.at] != "":
		k.drop(l)
		return k.replaced(old, fresh)
	case fresh.Kind != yaml.MappingNode && k.pinned(fresh) && !liftable(old, fresh, place):
		return k.replaced(old, fresh)
	case k.untouched(l):
		return k.stays(l)
	case k.wordsOnly && !mergeable(l) && formAsSaid(l):
		return k.reformed(l)
	case k.wordsOnly && paired(l):
		return k.elements(l)
	case fresh.Kind != yaml.MappingNode && k.wordsOnly && !k.pinned(fresh) && !(l.last.known && liftable(old, fresh, place)):
		return old
	}
	isSchema := place.Key("union") != nil
	switch {
	case old.Kind == yaml.MappingNode && fresh.Kind == yaml.MappingNode:
		if isSchema && !k.wordsOnly {
			asFields(old, fresh)
		}
		l.last = l.last.lifted(place)
		k.mapping(l)
		return old
	case isSchema && (old.Kind == yaml.MappingNode || fresh.Kind == yaml.MappingNode):
		return k.schema(l)
	case place.Name == "enumValue" && fresh.Kind == yaml.MappingNode && lift(old, place) != nil:
		l.old, l.last = k.replaced(old, lift(old, place)), l.last.lifted(place)
		k.mapping(l)
		return l.old
	case (place.Name == "enum" || place.Name == "enumValue") && old.Kind == yaml.MappingNode:
		l.fresh, l.last = lift(fresh, place), l.last.lifted(place)
		k.mapping(l)
		return old
	case k.wordsOnly:
		return old
	case old.Kind == yaml.SequenceNode && fresh.Kind == yaml.SequenceNode && allScalars(old) && allScalars(fresh):
		return k.list(l)
	case old.Kind == yaml.SequenceNode && fresh.Kind == yaml.SequenceNode:
		return k.elements(l)
	}
	return k.overruled(l)
}

// formAsSaid reports whether a schema of the file has the form, words apart, that the source gave it last.
func formAsSaid(l level) bool {
	old, last := lift(l.old, l.place), l.last.lifted(l.place).node
	return l.place.Key("union") != nil && old != nil && last != nil && lift(l.fresh, l.place) != nil &&
		asSaid(withoutPersonal(old, l.place), withoutPersonal(last, l.place))
}

// reformed gives a schema of the file the form that the import has for it, and merges its words.
func (k *keeper) reformed(l level) *yaml.Node {
	is := k.replaced(l.old, lift(l.fresh, l.place))
	is.Content = nil
	tree.Each(lift(l.old, l.place), func(key, value *yaml.Node) {
		if personal(l.place, key.Value) {
			is.Content = append(is.Content, key, value)
		}
	})
	tree.Each(lift(l.fresh, l.place), func(key, value *yaml.Node) {
		if !personal(l.place, key.Value) {
			is.Content = append(is.Content, tree.Clone(key), tree.Clone(value))
		}
	})
	l.old, l.fresh, l.last = is, lift(l.fresh, l.place), l.last.lifted(l.place)
	k.mapping(l)
	return l.old
}

// asSaid reports whether the file has what the source said last in the same order and without comments, so that no person has written there.
func asSaid(old, last *yaml.Node) bool {
	if len(old.Content) != len(last.Content) || old.HeadComment+old.LineComment+old.FootComment != "" || old.Kind == yaml.ScalarNode && !alike(old, last) {
		return false
	}
	for i := range old.Content {
		if !asSaid(old.Content[i], last.Content[i]) {
			return false
		}
	}
	return old.Kind == last.Kind
}

// schema merges type expressions with schemas: what is an expression is taken as if it were written {type: ...}.
func (k *keeper) schema(l level) *yaml.Node {
	was, is := lift(l.old, l.place), lift(l.fresh, l.place)
	if was == nil || is == nil {
		return k.overruled(l)
	}
	inner := l
	inner.old, inner.fresh, inner.last = was, is, l.last.lifted(l.place)
	k.mapping(inner)
	if len(was.Content) == 2 && was.Content[0].Value == "type" {
		return k.replaced(l.old, was.Content[1])
	}
	was.LineComment, was.HeadComment = l.old.LineComment, l.old.HeadComment
	return was
}

// overruled is what the import says. What a person changed there as well is reported.
func (k *keeper) overruled(l level) *yaml.Node {
	if l.last.known && l.last.node != nil && !l.last.said(l.old) && !alike(l.old, l.fresh) {
		k.drop(l)
	}
	return k.replaced(l.old, l.fresh)
}

// replaced is a new value with the comments of the old one.
func (k *keeper) replaced(old, fresh *yaml.Node) *yaml.Node {
	n := tree.Clone(fresh)
	n.HeadComment, n.LineComment, n.FootComment = old.HeadComment, old.LineComment, old.FootComment
	return n
}

func allScalars(n *yaml.Node) bool {
	return !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return c.Kind != yaml.ScalarNode })
}

// list adds new elements and removes those that the source no longer has. The order of the rest is the file's.
func (k *keeper) list(l level) *yaml.Node {
	is, said := convert.SetOf(tree.Words(l.fresh)), map[string]bool{}
	if l.last.node != nil && l.last.node.Kind == yaml.SequenceNode {
		said = convert.SetOf(tree.Words(l.last.node))
	}
	l.old.Content = slices.DeleteFunc(l.old.Content, func(c *yaml.Node) bool {
		stays := is[c.Value] || l.last.known && l.last.node != nil && !said[c.Value] && k.forced[below(l.at, c.Value)] == ""
		if stays && !is[c.Value] {
			k.kept[c] = below(l.at, c.Value)
		}
		return !stays
	})
	was := convert.SetOf(tree.Words(l.old))
	for _, c := range l.fresh.Content {
		if !was[c.Value] {
			was[c.Value] = true
			l.old.Content = append(l.old.Content, tree.Clone(c))
		}
	}
	return l.old
}

// elements is the list of the import. An element that the source has not changed is the one of the file, if that has one for each that the
// source said last.
func (k *keeper) elements(l level) *yaml.Node {
	if l.last.node == nil || l.last.node.Kind != yaml.SequenceNode || len(l.last.node.Content) != len(l.old.Content) || k.pinnedWithin(l.fresh) || moved(l) {
		return k.overruled(l)
	}
	used := map[int]bool{}
	list, from, taken := k.replaced(l.old, l.fresh), make([]int, len(l.fresh.Content)), map[int]bool{}
	for j, c := range l.fresh.Content {
		from[j] = slices.IndexFunc(l.last.node.Content, func(said *yaml.Node) bool { return tree.Same(said, c) })
		if taken[from[j]] {
			from[j] = -1
		}
		taken[from[j]] = true
	}
	for j, c := range l.fresh.Content {
		i := from[j]
		if i < 0 && len(l.fresh.Content) == len(l.old.Content) && !taken[j] {
			i = j // it has changed
		}
		if i >= 0 {
			list.Content[j], used[i] = k.merged(l.element(i, c)), true
		}
	}
	for i, c := range l.old.Content {
		if inner := l.element(i, nil); !used[i] && !inner.last.said(c) {
			k.drop(inner)
		}
	}
	return list
}

// element is the level of an element of a list, of which the file has as many as the source had last.
func (l level) element(i int, fresh *yaml.Node) level {
	return level{l.old.Content[i], fresh, memory{true, l.last.node.Content[i]}, l.place.Items, "", below(l.at, strconv.Itoa(i))}
}

// moved reports whether a person has put elements of a list in another order than the source said last: one is more like what the source said at
// another place, whose element has changed as well.
func moved(l level) bool {
	var changed []int
	for i, n := range l.old.Content {
		if !alike(n, l.last.node.Content[i]) {
			changed = append(changed, i)
		}
	}
	return slices.ContainsFunc(changed, func(i int) bool {
		is := common(l.old.Content[i], l.last.node.Content[i], l.place.Items)
		return slices.ContainsFunc(changed, func(j int) bool { return common(l.old.Content[i], l.last.node.Content[j], l.place.Items) > is })
	})
}

// common counts what two values have in common.
func common(a, b *yaml.Node, place *grammar.Place) (n int) {
	if place != nil && a.Kind != b.Kind {
		if x, y := lift(a, place), lift(b, place); x != nil && y != nil {
			a, b = x, y
		}
	}
	switch {
	case a.Kind != b.Kind:
	case a.Kind == yaml.ScalarNode && a.Value == b.Value:
		n = 1
	case a.Kind == yaml.MappingNode:
		in := keysIn(b, grammar.Data())
		tree.Each(a, func(key, value *yaml.Node) {
			if at := in.find(key.Value); at >= 0 {
				n += 1 + common(value, b.Content[at+1], nil)
			}
		})
	case a.Kind == yaml.SequenceNode:
		for i := range min(len(a.Content), len(b.Content)) {
			n += common(a.Content[i], b.Content[i], nil)
		}
	}
	return n
}

// paired reports whether two lists of schemas have the same elements, apart from words, and the source said as many last.
func paired(l level) bool {
	old, fresh, last := l.old, l.fresh, l.last.node
	if old.Kind != yaml.SequenceNode || fresh.Kind != yaml.SequenceNode || last == nil || last.Kind != yaml.SequenceNode || l.place.Items == nil {
		return false
	}
	if n := len(fresh.Content); len(old.Content) != n || len(last.Content) != n || allScalars(old) && allScalars(fresh) {
		return false
	}
	for i := range fresh.Content {
		if !alike(wordless(old.Content[i], l.place.Items), wordless(fresh.Content[i], l.place.Items)) {
			return false
		}
	}
	return true
}

// wordless is a value without what a person may say in another way than the source, at any depth, with its keys in order.
func wordless(n *yaml.Node, place *grammar.Place) *yaml.Node {
	if place == nil {
		return n
	}
	bare := *n
	if lifted := lift(n, place); lifted != nil {
		bare = *lifted
	}
	all := bare.Content
	bare.Content = nil
	switch bare.Kind {
	case yaml.MappingNode:
		values := map[string]*yaml.Node{}
		for i := 0; i+1 < len(all); i += 2 {
			if !personal(place, all[i].Value) {
				values[all[i].Value] = all[i+1]
			}
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			bare.Content = append(bare.Content, tree.Text(key), wordless(values[key], place.Value(key)))
		}
	case yaml.SequenceNode:
		for _, item := range all {
			bare.Content = append(bare.Content, wordless(item, place.Items))
		}
	}
	return &bare
}

// worded adds words to a type that means the same as before, however it is spelled.
func (k *keeper) worded(l level) *yaml.Node {
	k.wordsOnly = true
	defer func() { k.wordsOnly = false }()
	return k.merged(l)
}
