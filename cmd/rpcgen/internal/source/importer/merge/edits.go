package merge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// otherSpellings are the keys of schemas that say in JSON Schema's way what an import says in a shorter one.
var otherSpellings = []string{"properties", "required", "items", "anyOf", "oneOf", "allOf", "$ref"}

// formed reports whether only a person has given a schema another form, so that it cannot be merged key by key.
func (k *keeper) formed(l level) bool {
	if l.place.Key("union") == nil || l.base == nil || l.base.Kind != yaml.MappingNode || sameForm(l.file, l.fresh) || k.pinnedWithin(l.fresh) {
		return false
	}
	return alike(withoutPersonal(l.base, l.place), withoutPersonal(l.fresh, l.place))
}

// sameForm reports whether the file spells a schema as the import does.
func sameForm(file, fresh *yaml.Node) bool {
	form := formOf(fresh)
	if formOf(file) != form || !alike(tree.Get(file, "type"), tree.Get(fresh, "type")) {
		return false
	}
	return !slices.ContainsFunc(formKeys[form], func(key string) bool {
		return tree.Get(fresh, key) != nil && tree.Get(file, key) == nil && !slices.Contains(distinctions, key)
	})
}

// distinctions are the keys of unions that say how their branches are told apart.
var distinctions = []string{"by", "in", "absent"}

// removed reports whether a person removed words that the source had, or a member or a type, and does not want them. A type that is needed comes back.
func (k *keeper) removed(l level, key string, fresh *yaml.Node) bool {
	inner := k.entry(l, key, nil, fresh)
	handled := l.place == grammar.Tool() && key == "http" // by a method in Go
	cut := k.report.API != nil && (handled || l.place.Marked && strings.HasSuffix(key, "?") || l.place.Name == "view" || l.section == "types" &&
		k.forced[inner.at] == "")
	if inner.base == nil || !cut && !personal(l.place, key) || k.pinned(fresh) {
		return false
	}
	k.differs(inner)
	return true
}

// goes reports whether an entry of the file goes when the import does not have it.
func (k *keeper) goes(l, inner level, key string) bool {
	said, rule := inner.base != nil && alike(inner.base, inner.file), l.place.Key("union") != nil && slices.Contains(otherSpellings, key)
	switch {
	case l.place == grammar.Document():
		return said
	case k.forced[inner.at] != "":
		k.drop(inner)
		return true
	case k.needed[inner.at]:
		k.differs(inner)
		return false
	case k.report.API != nil && l.place == grammar.Tool() && key == "errors":
		return false // an import writes them for new tools alone
	}
	if !k.unsaid(l, inner, key, said, rule) {
		k.keep(inner.file, inner.at)
		return false
	}
	if !said && (rule || inner.base != nil && (l.place.Each != nil || l.place.Key("union") != nil)) {
		k.drop(inner)
		if is := tree.Get(l.fresh, "type"); is != nil && l.place.Key("union") != nil && !alike(is, tree.Get(l.base, "type")) {
			k.report.Dropped[len(k.report.Dropped)-1].Reason = "the source has " + k.excerpt(is) + " there now"
		}
	}
	return true
}

// unsaid reports whether an entry goes that the import does not have: the source had it, and no person has changed its words.
func (k *keeper) unsaid(l, inner level, key string, said, rule bool) bool {
	switch {
	case l.place.Each == nil && personal(l.place, key) && inner.base != nil:
		return said
	case l.place.Key("union") != nil && slices.Contains(unionKeys, key) && tree.Get(l.fresh, "union") == nil && tree.Get(l.fresh, "enum") == nil, rule:
		return true
	}
	return inner.base != nil && (l.place.Each == nil || !keeps(inner.file))
}

// keeps reports whether a person has said that a declaration stays.
func keeps(n *yaml.Node) bool {
	keep := tree.Get(n, keepKey)
	return keep != nil && keep.Value == "true"
}

// unionKeys are the keys that stay as long as there is a union or an enum.
var unionKeys = []string{"by", "in", "absent", "open"}

// personal reports whether a person may say a key in another way than the source: words, names for Go, defaults. Which values there are is the source's.
func personal(place *grammar.Place, key string) bool {
	return isPersonal(place, key) || place.Each == nil && (place.Name == "enumValue" ||
		slices.Contains([]string{"description", "title", "deprecated", "default", "examples", "go", "instructions"}, key))
}

// isPersonal reports whether a key says something that sources say nothing of, or only in words.
func isPersonal(place *grammar.Place, key string) bool {
	switch {
	case place == grammar.Document():
		return slices.Contains([]string{"package", "title", "description"}, key)
	case place.Key("union") != nil:
		owned := slices.Contains([]string{"type", "format"}, key) || slices.Contains(source.RuleKeywords, key) || key == "schema" || key == "x-schema"
		for _, keys := range formKeys {
			owned = owned || slices.Contains(keys, key)
		}
		return !owned || slices.Contains(distinctions, key)
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

// pinned reports whether an overlay brought a node.
func (s *spelling) pinned(n *yaml.Node) bool {
	return s.over.owner(s.original(n)) != nil || s.over.owner(n) != nil
}

// pinnedWithin reports whether an overlay brought a part of a tree.
func (s *spelling) pinnedWithin(n *yaml.Node) bool {
	return len(s.over) > 0 && (s.pinned(n) || slices.ContainsFunc(n.Content, s.pinnedWithin))
}

// words are what both a person and the source may write, as a whole: those of the source where it wrote what is there.
func (k *keeper) words(l level) *yaml.Node {
	switch {
	case alike(l.file, l.fresh):
		return l.file
	case k.forced[l.at] != "":
		k.drop(l)
		return k.replace(l.file, l.fresh)
	case l.base != nil && alike(l.base, l.file):
		return k.replace(l.file, l.fresh)
	}
	return k.stays(l)
}

// stays keeps what a person wrote.
func (k *keeper) stays(l level) *yaml.Node {
	k.keep(l.file, l.at)
	k.differs(l)
	return l.file
}

// keep notes what a person wrote and the merge has kept.
func (k *keeper) keep(n *yaml.Node, at string) { k.kept[n] = append(k.kept[n], at) }

// differs reports that the file keeps what the source says in another way by now.
func (k *keeper) differs(l level) {
	if l.fresh == nil || !alike(l.base, l.fresh) && !tree.IsEmpty(k.original(l.fresh)) {
		k.report.Kept = append(k.report.Kept, report.Difference{At: l.at, Yours: k.excerpt(l.file), Source: k.excerpt(l.fresh)})
	}
}

// drop reports that what a person wrote is gone, since it does not fit what the source says.
func (k *keeper) drop(l level) {
	reason := "the source has changed it as well"
	switch {
	case l.fresh == nil:
		reason = "the source does not have it any more"
	case l.base == nil:
		reason = "the source says it as well now"
	}
	k.report.Dropped = append(k.report.Dropped, report.Removal{At: l.at, Yours: k.excerpt(l.file), Reason: cmp.Or(k.forced[l.at], reason)})
}

// below writes a JSON Pointer to a member.
func below(pointer, key string) string { return pointer + "/" + ir.EscapePointer(key) }

// mostShown is how many characters of a value a report shows.
const mostShown = 60

// excerpt is a value as it was written, on one line, for the report; empty if there is none.
func (k *keeper) excerpt(n *yaml.Node) string {
	n = k.original(n)
	if n == nil {
		return ""
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!str" {
		return n.Value
	}
	if n.Kind == yaml.ScalarNode {
		return text.Clip(strconv.Quote(n.Value), mostShown)
	}
	n = tree.Clone(n)
	setFlow(n)
	return text.Clip(strings.TrimSpace(string(tree.Encode(n))), mostShown)
}

// setFlow writes a tree on one line, without comments.
func setFlow(n *yaml.Node) {
	n.Style, n.HeadComment, n.LineComment, n.FootComment = yaml.FlowStyle, "", "", ""
	for _, child := range n.Content {
		setFlow(child)
	}
}
