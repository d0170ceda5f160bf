package merge

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// level is one place of the merge of three canonical trees. None of them is changed: a merge returns the node of the file where it is left alone.
type level struct {
	base, file, fresh *yaml.Node // what the source said last, the file, and what the source says now; nil where there is nothing
	place             *grammar.Place
	section           string // the name of the section that it is; empty for other places
	at                string // a JSON Pointer into the file
}

// entry is the level of a key of a mapping. Its pointer is that of how the file spells it.
func (k *keeper) entry(l level, key string, file, fresh *yaml.Node) level {
	name, was := key, k.original(l.file)
	if l.place.Marked {
		name = strings.TrimSuffix(key, "?")
	}
	at := below(l.at, name)
	switch {
	case was == nil || was == l.file || l.place.Each != nil || tree.Get(l.file, key) == nil:
	case was.Kind == yaml.ScalarNode:
		at = l.at
	case (key == "list" || key == "map") && tree.Get(was, key) == nil:
		at = below(l.at, "type")
	}
	_, base := entryIn(l.base, key, l.place)
	return level{base, file, fresh, l.place.Value(key), "", at}
}

// entryIn returns a key as a mapping has it, such as that of a field, which may be optional, and its value.
func entryIn(n *yaml.Node, key string, place *grammar.Place) (written string, value *yaml.Node) {
	if at := keysIn(n, place).find(key); at >= 0 {
		return n.Content[at].Value, n.Content[at+1]
	}
	return "", nil
}

// mapping merges a mapping of the import into the one of the file. A schema whose form only a person has changed gets the words of the import alone.
func (k *keeper) mapping(l level) *yaml.Node {
	n, formed := *l.file, k.formed(l) && k.forced[l.at] == ""
	n.Content = slices.Clone(n.Content)
	m, is := newMerging(&n, l.place), keysIn(l.fresh, l.place)
	next := 0 // where the next new one goes
	tree.Each(l.fresh, func(key, value *yaml.Node) {
		at, others := m.find(key.Value), formed && !personal(l.place, key.Value)
		switch {
		case at >= 0:
			if next = at + 2; !others {
				inner := k.entry(l, key.Value, n.Content[at+1], value)
				n.Content[at], n.Content[at+1] = k.key(l, n.Content[at], key.Value, inner.at), k.value(l, inner, key.Value)
			}
		case !others && !k.removed(l, key.Value, value):
			m.before[next] = append(m.before[next], tree.Clone(key), value)
			if l.section != "" {
				k.report.Added = append(k.report.Added, key.Value)
			} else if l.place == grammar.Document() && slices.Contains(tree.Sections, key.Value) {
				k.report.Added = append(k.report.Added, tree.KeysOf(value)...)
			}
		}
	})
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		key := n.Content[i].Value
		if is.find(key) >= 0 || formed && !personal(l.place, key) {
			continue
		}
		inner, gone := k.entry(l, key, n.Content[i+1], nil), false
		if l.place == grammar.Document() && slices.Contains(tree.Sections, key) {
			n.Content[i+1], gone = k.emptySection(inner, key)
		} else {
			gone = k.goes(l, inner, key)
		}
		if gone {
			m.remove(i)
			if l.section != "" {
				k.report.Removed = append(k.report.Removed, key)
			}
		}
	}
	m.finish()
	result := l.file
	if !slices.Equal(n.Content, l.file.Content) {
		result, k.merged[&n] = &n, l.file
	}
	if formed {
		k.keep(result, l.at)
	}
	return result
}

// emptySection removes what the source said of a section that it has nothing for now, and reports whether nothing is left.
func (k *keeper) emptySection(l level, section string) (*yaml.Node, bool) {
	if l.base == nil || l.file.Kind != yaml.MappingNode {
		return l.file, false
	}
	l.fresh, l.section = tree.Mapping(), section
	is := k.mapping(l)
	return is, len(is.Content) == 0
}

// key is a key of the file, which makes a field optional or required as in the import, unless only a person has changed that.
func (k *keeper) key(l level, file *yaml.Node, fresh, at string) *yaml.Node {
	if file.Value == fresh {
		return file
	}
	written, _ := entryIn(l.base, fresh, l.place)
	if written == fresh && k.forced[at+"?"] == "" {
		k.keep(file, at+"?")
		return file
	}
	if written == "" {
		k.report.Dropped = append(k.report.Dropped, report.Removal{At: at, Yours: k.excerpt(file), Reason: "the source says whether it is required now"})
	}
	key := *file
	key.Value = fresh
	return &key
}

// value is a value of a mapping, merged.
func (k *keeper) value(l, inner level, key string) *yaml.Node {
	switch {
	case l.place == grammar.Document() && slices.Contains(tree.Sections, key):
		inner.section = key
		return k.mapping(inner)
	case l.section != "":
		is := k.node(inner)
		if is != inner.file {
			k.report.Changed = append(k.report.Changed, key)
		}
		return is
	case personal(l.place, key) && !k.pinned(inner.fresh):
		return k.words(inner)
	}
	return k.node(inner)
}

// node is the value of the file with what the import says.
func (k *keeper) node(l level) *yaml.Node {
	file, fresh := l.file, l.fresh
	if l.base == nil && l.place.Name == "enum" && !alike(file, fresh) {
		k.differs(l) // the values of both stay
	}
	lists := file.Kind == yaml.SequenceNode && fresh.Kind == yaml.SequenceNode
	switch {
	case alike(file, fresh):
		return file
	case k.forced[l.at] != "" && !k.formed(l):
		k.drop(l)
		return k.replace(file, fresh)
	case k.pinned(fresh) && k.original(fresh).Kind != yaml.MappingNode && k.original(file).Kind != yaml.MappingNode:
		return k.replace(file, fresh)
	case file.Kind == yaml.MappingNode && fresh.Kind == yaml.MappingNode:
		return k.mapping(l)
	case lists && k.allScalars(file) && k.allScalars(fresh):
		return k.list(l)
	case l.base != nil && alike(l.base, fresh) && !k.pinnedWithin(fresh):
		return k.stays(l)
	case lists:
		return k.elements(l)
	}
	return k.overrule(l)
}

// overrule is what the import says. What a person wrote there is reported.
func (k *keeper) overrule(l level) *yaml.Node {
	if !alike(l.base, l.file) {
		k.drop(l)
	}
	return k.replace(l.file, l.fresh)
}

// replace is a new value with the comments of the old one, as it was written.
func (k *keeper) replace(old, fresh *yaml.Node) *yaml.Node {
	n := tree.Clone(k.original(fresh))
	n.HeadComment, n.LineComment, n.FootComment = old.HeadComment, old.LineComment, old.FootComment
	return n
}

// allScalars reports whether a list was written as scalars.
func (k *keeper) allScalars(n *yaml.Node) bool {
	return !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return k.original(c).Kind != yaml.ScalarNode })
}

// list adds new elements and removes those that the source no longer has. The order of the rest is the file's.
func (k *keeper) list(l level) *yaml.Node {
	scalars := func(n *yaml.Node) map[string]bool {
		all := map[string]bool{}
		if n != nil && n.Kind == yaml.SequenceNode {
			for _, c := range n.Content {
				all[k.original(c).Value] = true
			}
		}
		return all
	}
	is, said, n := scalars(l.fresh), scalars(l.base), *l.file
	n.Content = slices.DeleteFunc(slices.Clone(n.Content), func(c *yaml.Node) bool {
		value := k.original(c).Value
		stays := is[value] || !said[value] && k.forced[below(l.at, value)] == ""
		if stays && !is[value] {
			k.keep(c, below(l.at, value))
		}
		return !stays
	})
	was := scalars(l.file)
	for _, c := range l.fresh.Content {
		if value := k.original(c).Value; !was[value] {
			was[value] = true
			n.Content = append(n.Content, tree.Clone(k.original(c)))
		}
	}
	if slices.Equal(n.Content, l.file.Content) {
		return l.file
	}
	k.merged[&n] = l.file
	return &n
}

// elements is the list of the import. An element that the source has not changed is the one of the file, if that has one for each that the source said last.
func (k *keeper) elements(l level) *yaml.Node {
	if l.base == nil || l.base.Kind != yaml.SequenceNode || len(l.base.Content) != len(l.file.Content) || k.pinnedWithin(l.fresh) || isReordered(l) {
		return k.overrule(l)
	}
	used, from, taken := map[int]bool{}, make([]int, len(l.fresh.Content)), map[int]bool{}
	for j, c := range l.fresh.Content {
		from[j] = slices.IndexFunc(l.base.Content, func(said *yaml.Node) bool { return tree.Same(said, c) })
		if taken[from[j]] {
			from[j] = -1
		}
		taken[from[j]] = true
	}
	list := *l.file
	list.Content = slices.Clone(l.fresh.Content)
	for j, c := range l.fresh.Content {
		i := from[j]
		if i < 0 && len(l.fresh.Content) == len(l.file.Content) && !taken[j] {
			i = j // it has changed
		}
		if i >= 0 {
			list.Content[j], used[i] = k.node(l.element(i, c)), true
		}
	}
	for i := range l.file.Content {
		if inner := l.element(i, nil); !used[i] && !alike(inner.base, inner.file) {
			k.drop(inner)
		}
	}
	if slices.Equal(list.Content, l.file.Content) {
		return l.file
	}
	k.merged[&list] = l.file
	return &list
}

// element is the level of an element of a list, of which the file has as many as the source had last.
func (l level) element(i int, fresh *yaml.Node) level {
	return level{l.base.Content[i], l.file.Content[i], fresh, l.place.Items, "", below(l.at, strconv.Itoa(i))}
}

// isReordered reports whether a person has changed the order of a list: an element is more like what the source said last at the place of another that changed.
func isReordered(l level) bool {
	var changed []int
	for i, n := range l.file.Content {
		if !alike(n, l.base.Content[i]) {
			changed = append(changed, i)
		}
	}
	return slices.ContainsFunc(changed, func(i int) bool {
		is := common(l.file.Content[i], l.base.Content[i])
		return slices.ContainsFunc(changed, func(j int) bool { return common(l.file.Content[i], l.base.Content[j]) > is })
	})
}

// common counts what two values have in common.
func common(a, b *yaml.Node) (n int) {
	switch {
	case a.Kind != b.Kind:
	case a.Kind == yaml.ScalarNode && a.Value == b.Value:
		n = 1
	case a.Kind == yaml.MappingNode:
		in := keysIn(b, grammar.Data())
		tree.Each(a, func(key, value *yaml.Node) {
			if at := in.find(key.Value); at >= 0 {
				n += 1 + common(value, b.Content[at+1])
			}
		})
	case a.Kind == yaml.SequenceNode:
		for i := range min(len(a.Content), len(b.Content)) {
			n += common(a.Content[i], b.Content[i])
		}
	}
	return n
}
