package merge

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
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
		if k.respelled(l, key.Value, value) || k.wordsOnly && (l.place.Each != nil || !own(l.place, key.Value)) || k.removed(l, key.Value, value) {
			return
		}
		e := newEntry{key: tree.Clone(key), value: value}
		where := next
		if e.rank = slices.Index(ranks.order, key.Value); l.place.Each == nil && e.rank >= 0 {
			where = ranks.after(e.rank)
		}
		m.insert(where, e)
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

// otherSpellings are the keys of schemas that say in JSON Schema's way what an import says in a shorter one.
var otherSpellings = []string{"properties", "required", "items", "anyOf", "oneOf", "allOf", "$ref"}

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

// removed reports whether a person has removed words that the source had, or a member of what may be cut, and so does not want them.
func (k *keeper) removed(l level, key string, fresh *yaml.Node) bool {
	inner := l.entry(key, nil, fresh)
	cut := k.report.API != nil && (l.place.Marked && strings.HasSuffix(key, "?") || l.place.Name == "view")
	if !inner.last.known || inner.last.node == nil || !cut && !personal(l.place, key) || k.pinned(fresh) {
		return false
	}
	k.differs(inner)
	return true
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
	reason := k.forced[l.at]
	if reason == "" {
		reason = "the source has changed it as well"
	}
	k.report.Dropped = append(k.report.Dropped, report.Dropped{At: l.at, Yours: shownNode(l.old), Reason: reason})
}

// goes reports whether an entry of the file goes when the import does not have it.
func (k *keeper) goes(l level, key string, value *yaml.Node) bool {
	inner := l.entry(key, value, nil)
	switch {
	case l.place == grammar.Document() && slices.Contains(tree.Sections, key):
		return k.emptySection(inner, key)
	case l.place == grammar.Document():
		return inner.last.said(value)
	case k.forced[inner.at] != "":
		k.drop(inner)
		return true
	}
	gone := !k.wordsOnly && k.unsaid(l, key, value)
	if inner.last.known {
		gone = k.unsaidNow(l, inner, key)
	}
	if gone && l.place.Key("union") != nil && inner.last.node != nil && !inner.last.said(value) {
		k.drop(inner)
	}
	if !gone {
		k.kept[value] = inner.at
		if !inner.last.known && slices.Contains([]string{"default", "deprecated"}, key) {
			k.differs(inner)
		}
	}
	return gone
}

// unsaid reports whether an entry goes that the import does not have, where it is not known what the source said last.
func (k *keeper) unsaid(l level, key string, value *yaml.Node) bool {
	if l.place.Each != nil {
		keep := tree.Get(value, keepKey)
		return keep == nil || keep.Value != "true"
	}
	if slices.Contains(unionKeys, key) {
		return !takesUnionKeys(l.fresh)
	}
	return l.place.Key("description") != nil && !own(l.place, key)
}

// unsaidNow reports whether an entry goes that the import does not have: the source had it, and no person has changed its words.
func (k *keeper) unsaidNow(l, inner level, key string) bool {
	isSchema := l.place.Key("union") != nil
	words := l.place.Each == nil && personal(l.place, key)
	switch {
	case k.wordsOnly, words && inner.last.node != nil:
		return words && inner.last.said(inner.old)
	case isSchema && slices.Contains(unionKeys, key) && !takesUnionKeys(l.fresh), isSchema && slices.Contains(otherSpellings, key):
		return true
	case inner.last.node == nil:
		return false
	}
	return k.unsaid(l, key, inner.old) || l.place.Each == nil
}

// unionKeys are the keys that stay as long as there is a union or an enum.
var unionKeys = []string{"by", "in", "absent", "open"}

func takesUnionKeys(fresh *yaml.Node) bool {
	return tree.Get(fresh, "union") != nil || tree.Get(fresh, "enum") != nil
}

// emptySection removes what the source said of a section that it has nothing for now, and reports whether nothing is left.
func (k *keeper) emptySection(l level, section string) bool {
	if l.last.node == nil || l.old.Kind != yaml.MappingNode {
		return false
	}
	l.fresh, l.section = tree.Mapping(), section
	k.mapping(l)
	return len(l.old.Content) == 0
}

// personal reports whether a key says something that a person may say in another way than the source: words, names for Go, what holds where
// a value is missing. Which values there are is the source's to say.
func personal(place *grammar.Place, key string) bool {
	return own(place, key) || place.Each == nil && (place.Name == "enumValue" || slices.Contains([]string{"description", "title", "deprecated", "default", "examples", "go", "instructions"}, key))
}

// own reports whether a key says something that sources say nothing of, or only in words.
func own(place *grammar.Place, key string) bool {
	switch {
	case place == grammar.Document():
		return slices.Contains([]string{"package", "title", "description"}, key)
	case place.Key("union") != nil:
		owned := slices.Contains([]string{"type", "format"}, key) || slices.Contains(source.RuleKeywords, key) || key == "schema" || key == "x-schema"
		for _, keys := range formKeys {
			owned = owned || slices.Contains(keys, key)
		}
		return !owned || slices.Contains([]string{"by", "in", "absent"}, key)
	case place == grammar.Method():
		return !slices.Contains([]string{"from", "params", "params?", "result", "embedded"}, key)
	case place == grammar.Tool():
		return slices.Contains([]string{"asks", "content", "errors", "task", "timeout", "rate", "cache"}, key)
	case place == grammar.Resource():
		return slices.Contains([]string{"content", "params", "subscribe"}, key)
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

// pinnedWithin reports whether an overlay brought a part of a tree.
func (k *keeper) pinnedWithin(n *yaml.Node) bool {
	return len(k.over) > 0 && (k.pinned(n) || slices.ContainsFunc(n.Content, k.pinnedWithin))
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

// merged is the value of the file with what the import says.
func (k *keeper) merged(l level) *yaml.Node {
	old, fresh, place := l.old, l.fresh, l.place
	switch {
	case alike(old, fresh):
		return old
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
	if l.last.node == nil || l.last.node.Kind != yaml.SequenceNode || len(l.last.node.Content) != len(l.old.Content) || k.pinnedWithin(l.fresh) {
		return k.overruled(l)
	}
	list := k.replaced(l.old, l.fresh)
	for j, c := range l.fresh.Content {
		i := slices.IndexFunc(l.last.node.Content, func(said *yaml.Node) bool { return tree.Same(said, c) })
		if i < 0 && len(l.fresh.Content) == len(l.old.Content) {
			i = j // it has changed
		}
		if i >= 0 {
			inner := level{l.old.Content[i], c, memory{true, l.last.node.Content[i]}, l.place.Items, "", below(l.at, strconv.Itoa(i))}
			list.Content[j] = k.merged(inner)
		}
	}
	return list
}

// paired reports whether two lists of schemas have the same elements, apart from words, and the source said as many last.
func paired(l level) bool {
	old, fresh, last := l.old, l.fresh, l.last.node
	if old.Kind != yaml.SequenceNode || fresh.Kind != yaml.SequenceNode || last == nil || last.Kind != yaml.SequenceNode || l.place.Items == nil {
		return false
	}
	if n := len(fresh.Content); len(old.Content) != n || len(last.Content) != n || allScalars(fresh) {
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
