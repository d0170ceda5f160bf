package merge

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// otherSpellings are the keys of schemas that say in JSON Schema's way what an import says in a shorter one.
var otherSpellings = []string{"properties", "required", "items", "anyOf", "oneOf", "allOf", "$ref"}

// removed reports whether a person has removed words that the source had, or a member or a type of what may be cut, and so does not want them. A type
// that something refers to is forced to come back.
func (k *keeper) removed(l level, key string, fresh *yaml.Node) bool {
	inner := l.entry(key, nil, fresh)
	cut := k.report.API != nil && (l.place.Marked && strings.HasSuffix(key, "?") || l.place.Name == "view" || l.section == "types" && k.forced[inner.at] == "")
	if !inner.last.known || inner.last.node == nil || !cut && !personal(l.place, key) || k.pinned(fresh) {
		return false
	}
	k.differs(inner)
	return true
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
	case k.needed[inner.at]:
		k.differs(inner)
		return false
	case k.report.API != nil && l.place == grammar.Tool() && key == "errors":
		return false // an import writes them for new tools alone
	}
	gone := !k.wordsOnly && k.unsaid(l, key, value)
	if inner.last.known {
		gone = k.unsaidNow(l, inner, key)
	}
	declared, rule := l.place.Each != nil && inner.last.node != nil, l.place.Key("union") != nil && (inner.last.node != nil || slices.Contains(otherSpellings, key))
	if gone && inner.last.known && (declared || rule) && !inner.last.said(value) {
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

func (k *keeper) pinned(n *yaml.Node) bool { return k.over.owner(n) != nil }

// pinnedWithin reports whether an overlay brought a part of a tree.
func (k *keeper) pinnedWithin(n *yaml.Node) bool {
	return len(k.over) > 0 && (k.pinned(n) || slices.ContainsFunc(n.Content, k.pinnedWithin))
}
