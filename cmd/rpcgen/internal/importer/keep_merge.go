package importer

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// mapping merges a mapping of the import into the one of the file. The name is that of the section, when it is one.
func (k *keeper) mapping(old, fresh *yaml.Node, place *grammar.Place, section string) {
	m, ranks := newMerging(old, place), ranking{old, place.Names(), map[int]int{}}
	next := 0 // where the next new one goes
	each(fresh, func(key, value *yaml.Node) {
		at := m.find(key.Value)
		switch {
		case at < 0 && k.wordsOnly && (place.Each != nil || !own(place, key.Value)):
		case at < 0:
			e := newEntry{key: clone(key), value: value}
			where := next
			if e.rank = slices.Index(ranks.order, key.Value); place.Each == nil && e.rank >= 0 {
				where = ranks.after(e.rank)
			}
			m.insert(where, e)
			if slices.Contains(sections, section) {
				k.report.Added = append(k.report.Added, key.Value)
			}
		default:
			next = at + 2
			old.Content[at].Value = key.Value // it may have become optional, or required
			k.value(old, at, value, place, section)
		}
	})
	is := keysIn(fresh, place)
	for i := len(old.Content) - 2; i >= 0; i -= 2 {
		key := old.Content[i].Value
		if is.find(key) < 0 && k.goes(old.Content[i+1], key, fresh, place) {
			m.remove(i)
			if slices.Contains(sections, section) {
				k.report.Removed = append(k.report.Removed, key)
			}
		}
	}
	m.finish()
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

// value merges one value of a mapping.
func (k *keeper) value(parent *yaml.Node, at int, fresh *yaml.Node, place *grammar.Place, section string) {
	key, old := parent.Content[at].Value, parent.Content[at+1]
	below := place.Value(key)
	switch {
	case place == grammar.Document() && slices.Contains(sections, key):
		k.mapping(old, fresh, below, key)
		return
	case section != "":
		was := clone(old)
		empty := isEmpty(fresh) && old.Kind == yaml.MappingNode
		if empty {
			fresh = mapping() // the source says nothing of it, and what a person wrote stays
		}
		if section != "types" || !k.alike[key] {
			parent.Content[at+1] = k.merged(old, fresh, below)
		} else {
			parent.Content[at+1] = k.worded(old, fresh, below)
		}
		if n := parent.Content[at+1]; empty && len(n.Content) == 0 {
			parent.Content[at+1] = plain("")
		}
		if !same(was, parent.Content[at+1]) {
			k.report.Changed = append(k.report.Changed, key)
		}
		return
	case own(place, key) && !k.pinned(fresh), isEmpty(fresh):
		return
	}
	parent.Content[at+1] = k.merged(old, fresh, below)
}

// isEmpty reports whether nothing is written, as of an enum value of which nothing is said.
func isEmpty(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "" }

// goes reports whether an entry of the file goes when the import does not have it.
func (k *keeper) goes(value *yaml.Node, key string, fresh *yaml.Node, place *grammar.Place) bool {
	switch {
	case place == grammar.Document():
		return false // the source says nothing of the section
	case k.wordsOnly:
		return false
	case place.Each != nil:
		keep := get(value, keepKey)
		return keep == nil || keep.Value != "true"
	case slices.Contains([]string{"by", "in", "absent", "open"}, key):
		return get(fresh, "union") == nil && get(fresh, "enum") == nil
	}
	return place.Key("description") != nil && !own(place, key)
}

// own reports whether a key says something that sources say nothing of, or only in words.
func own(place *grammar.Place, key string) bool {
	switch {
	case place == grammar.Document():
		return slices.Contains([]string{"package", "title", "description"}, key)
	case place.Key("union") != nil:
		owned := slices.Contains([]string{"type", "format"}, key) || slices.Contains(ruleKeywords, key) || key == "schema" || key == "x-schema"
		for _, keys := range formKeys {
			owned = owned || slices.Contains(keys, key)
		}
		return !owned || slices.Contains([]string{"by", "in", "absent"}, key)
	case place == grammar.Method():
		return !slices.Contains([]string{"from", "params", "params?", "result", "embedded"}, key)
	case place == grammar.Tool():
		return slices.Contains([]string{"asks", "content", "errors", "task", "timeout", "rate", "cache"}, key)
	case place == grammar.ErrorObject():
		return !slices.Contains([]string{"code", "data"}, key)
	}
	return false
}

// liftable reports whether a short form of the import can be merged into the mapping of the file, which has words of its own.
func liftable(old, fresh *yaml.Node, place *grammar.Place) bool {
	return old.Kind == yaml.MappingNode && lift(fresh, place) != nil
}

func (k *keeper) pinned(n *yaml.Node) bool { return k.over.owner(n) != nil }

// merged is the value of the file with what the import says.
func (k *keeper) merged(old, fresh *yaml.Node, place *grammar.Place) *yaml.Node {
	switch {
	case same(old, fresh):
		return old
	case fresh.Kind != yaml.MappingNode && k.pinned(fresh) && !liftable(old, fresh, place):
		return k.replaced(old, fresh)
	case fresh.Kind != yaml.MappingNode && k.wordsOnly && !k.pinned(fresh):
		return old
	}
	isSchema := place.Key("union") != nil
	switch {
	case old.Kind == yaml.MappingNode && fresh.Kind == yaml.MappingNode:
		k.mapping(old, fresh, place, "")
		return old
	case isSchema && (old.Kind == yaml.MappingNode || fresh.Kind == yaml.MappingNode):
		was, is := lift(old, place), lift(fresh, place)
		if was == nil || is == nil {
			return k.replaced(old, fresh)
		}
		k.mapping(was, is, place, "")
		if len(was.Content) == 2 && was.Content[0].Value == "type" {
			return k.replaced(old, was.Content[1])
		}
		was.LineComment, was.HeadComment = old.LineComment, old.HeadComment
		return was
	case place.Name == "enum" && old.Kind == yaml.MappingNode:
		k.mapping(old, lift(fresh, place), place, "")
		return old
	case k.wordsOnly:
		return old
	case old.Kind == yaml.SequenceNode && fresh.Kind == yaml.SequenceNode && allScalars(old) && allScalars(fresh):
		return k.list(old, fresh)
	}
	return k.replaced(old, fresh)
}

// replaced is a new value with the comments of the old one.
func (k *keeper) replaced(old, fresh *yaml.Node) *yaml.Node {
	n := clone(fresh)
	n.HeadComment, n.LineComment, n.FootComment = old.HeadComment, old.LineComment, old.FootComment
	return n
}

func allScalars(n *yaml.Node) bool {
	return !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return c.Kind != yaml.ScalarNode })
}

// list adds new elements and removes those that are gone. The order of the rest is the file's.
func (k *keeper) list(old, fresh *yaml.Node) *yaml.Node {
	is := setOf(words(fresh))
	old.Content = slices.DeleteFunc(old.Content, func(c *yaml.Node) bool { return !is[c.Value] })
	was := setOf(words(old))
	for _, c := range fresh.Content {
		if !was[c.Value] {
			was[c.Value] = true
			old.Content = append(old.Content, clone(c))
		}
	}
	return old
}

// worded adds words to a type that means the same as before, however it is spelled.
func (k *keeper) worded(old, fresh *yaml.Node, place *grammar.Place) *yaml.Node {
	k.wordsOnly = true
	defer func() { k.wordsOnly = false }()
	return k.merged(old, fresh, place)
}

// reorder applies the orders of the overlay to the merged document.
func (k *keeper) reorder(document *yaml.Node, place *grammar.Place) {
	var walk func(target, over *yaml.Node, place *grammar.Place)
	walk = func(target, over *yaml.Node, place *grammar.Place) {
		is := keysIn(target, place)
		each(over, func(key, value *yaml.Node) {
			if at := is.find(key.Value); at >= 0 && value.Kind == yaml.MappingNode {
				walk(target.Content[at+1], value, place.Value(key.Value))
			}
		})
		if order := get(over, orderKey); order != nil {
			if ordered := collection(target, place); ordered != nil {
				moveFirst(ordered, order.Content)
			}
		}
	}
	for _, o := range k.over {
		walk(document, o.root, place)
	}
}
