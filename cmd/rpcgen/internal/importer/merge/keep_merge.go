package merge

import (
	"cmp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// level is one place of the merge of three: the file, the import, and what the source said last.
type level struct {
	old, fresh *yaml.Node
	last       memory
	place      *grammar.Place
	section    string // the name of the section that it is; empty for other places
	at         string // a JSON Pointer into the file
}

// entry is the level of a key of a mapping.
func (l level) entry(key string, old, fresh *yaml.Node) level {
	name := key
	if l.place.Marked {
		name = strings.TrimSuffix(key, "?")
	}
	return level{old, fresh, l.last.value(key, l.place), l.place.Value(key), "", below(l.at, name)}
}

// mapping merges a mapping of the import into the one of the file.
func (k *keeper) mapping(l level) {
	m, ranks := newMerging(l.old, l.place), ranking{l.old, l.place.Names(), map[int]int{}}
	next := 0 // where the next new one goes
	tree.Each(l.fresh, func(key, value *yaml.Node) {
		at := m.find(key.Value)
		if at >= 0 {
			next = at + 2
			inner := l.entry(key.Value, l.old.Content[at+1], value)
			k.key(l, l.old.Content[at], key.Value, inner.at)
			l.old.Content[at+1] = k.value(l, inner, key.Value)
			return
		}
		if k.respelled(l, key.Value, value) || k.wordsOnly && (l.place.Each != nil || !personal(l.place, key.Value)) || k.removed(l, key.Value, value) {
			return
		}
		e := newEntry{key: tree.Clone(key), value: value}
		where := next
		if e.rank = slices.Index(ranks.order, key.Value); l.place.Each == nil && e.rank >= 0 {
			where = ranks.after(e.rank)
		}
		m.before[where] = append(m.before[where], e)
		switch {
		case l.section != "":
			k.report.Added = append(k.report.Added, key.Value)
		case l.place == grammar.Document() && slices.Contains(tree.Sections, key.Value):
			k.report.Added = append(k.report.Added, tree.KeysOf(value)...)
		}
	})
	is := keysIn(l.fresh, l.place)
	for i := len(l.old.Content) - 2; i >= 0; i -= 2 {
		key := l.old.Content[i].Value
		if is.find(key) < 0 && k.goes(l, key, l.old.Content[i+1]) {
			m.remove(i)
			if l.section != "" {
				k.report.Removed = append(k.report.Removed, key)
			}
		}
	}
	m.finish()
}

// key makes a field optional or required as in the import, unless only a person has changed that.
func (k *keeper) key(l level, old *yaml.Node, fresh, at string) {
	if old.Value == fresh {
		return
	}
	if written, _ := l.last.entry(fresh, l.place); written == fresh && k.forced[at+"?"] == "" {
		k.kept[old] = at + "?"
		return
	}
	old.Value = fresh
}

// ranking finds out where keys go that the language gives: before the first that comes later in its order.
type ranking struct {
	node  *yaml.Node
	order []string
	found map[int]int
}

// after is where the first key stands that comes later in the order.
func (r ranking) after(rank int) int {
	at, known := r.found[rank]
	if known {
		return at
	}
	for at < len(r.node.Content) && slices.Index(r.order, r.node.Content[at].Value) <= rank {
		at += 2
	}
	r.found[rank] = at
	return at
}

// value is a value of a mapping, merged.
func (k *keeper) value(l, inner level, key string) *yaml.Node {
	switch {
	case l.place == grammar.Document() && slices.Contains(tree.Sections, key):
		inner.section = key
		k.mapping(inner)
		return inner.old
	case l.section != "":
		return k.declaration(inner, l.section, key)
	case k.pinned(inner.fresh):
	case personal(l.place, key) || inner.place.Name == "enumValue" && inner.old.Kind == yaml.ScalarNode && inner.fresh.Kind == yaml.ScalarNode:
		return k.words(inner, own(l.place, key) || inner.place.Name == "enumValue" && !tree.IsEmpty(inner.old))
	case tree.IsEmpty(inner.fresh) && inner.old.Kind == yaml.MappingNode:
		return k.emptied(inner)
	}
	return k.merged(inner)
}

// declaration merges one entry of a section.
func (k *keeper) declaration(l level, section, name string) *yaml.Node {
	was := tree.Clone(l.old)
	var is *yaml.Node
	switch {
	case tree.IsEmpty(l.fresh) && l.old.Kind == yaml.MappingNode:
		is = k.emptied(l)
	case section == "types" && k.alike[name]:
		is = k.worded(l)
	default:
		is = k.merged(l)
	}
	if !tree.Same(was, is) {
		k.report.Changed = append(k.report.Changed, name)
	}
	return is
}

// emptied merges an import that says nothing of what the file has: what a person wrote stays.
func (k *keeper) emptied(l level) *yaml.Node {
	l.fresh, l.last = tree.Mapping(), l.last.lifted(l.place)
	if k.mapping(l); len(l.old.Content) == 0 {
		return k.replaced(l.old, tree.Plain(""))
	}
	return l.old
}

// words are what both a person and the source may write, as a whole: those of the source where it wrote what is there. Without a memory, the
// words that are the file's own stay.
func (k *keeper) words(l level, own bool) *yaml.Node {
	switch {
	case alike(l.old, l.fresh):
		return l.old
	case k.forced[l.at] != "":
		k.drop(l)
		return k.replaced(l.old, l.fresh)
	case !l.last.known && !own:
		return k.merged(l)
	case l.last.said(l.old):
		return k.replaced(l.old, l.fresh)
	}
	return k.stays(l)
}

// stays keeps what a person wrote.
func (k *keeper) stays(l level) *yaml.Node {
	k.kept[l.old] = l.at
	k.differs(l)
	return l.old
}

// differs reports that the file keeps what the source says in another way by now.
func (k *keeper) differs(l level) {
	if l.fresh == nil || !l.last.said(l.fresh) && !tree.IsEmpty(l.fresh) {
		k.report.Kept = append(k.report.Kept, report.Kept{At: l.at, Yours: shownNode(l.old), Source: shownNode(l.fresh)})
	}
}

// drop reports that what a person wrote is gone, since it does not fit what the source says.
func (k *keeper) drop(l level) {
	reason := cmp.Or(k.forced[l.at], "the source has changed it as well")
	if l.fresh == nil {
		reason = cmp.Or(k.forced[l.at], "the source does not have it any more")
	}
	k.report.Dropped = append(k.report.Dropped, report.Dropped{At: l.at, Yours: shownNode(l.old), Reason: reason})
}

// reorder applies the orders of the overlay to the merged document.
func (k *keeper) reorder(document *yaml.Node, place *grammar.Place) {
	var walk func(target, over *yaml.Node, place *grammar.Place)
	walk = func(target, over *yaml.Node, place *grammar.Place) {
		is := keysIn(target, place)
		tree.Each(over, func(key, value *yaml.Node) {
			if at := is.find(key.Value); at >= 0 && value.Kind == yaml.MappingNode {
				walk(target.Content[at+1], value, place.Value(key.Value))
			}
		})
		if order := tree.Get(over, orderKey); order != nil {
			if ordered := collection(target, place); ordered != nil {
				moveFirst(ordered, order.Content)
			}
		}
	}
	for _, o := range k.over {
		walk(document, o.root, place)
	}
}
