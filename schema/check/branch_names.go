package check

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// longestTitle is how many bytes of a title still make a name.
const longestTitle = 40

// nameBranches names the branches that were not given under tags, so that no two names are alike. Each takes the first name of
// its own that no branch before it has, so a branch that is added at the end renames nothing.
func nameBranches(u *ir.Union) {
	taken := map[string]bool{}
	for _, b := range u.Branches {
		if b.Name != "" {
			taken[nameKey(b.Name)] = true
		}
	}
	for i, b := range u.Branches {
		if b.Name != "" {
			continue
		}
		names := branchNames(u, b)
		for at := i + 1; b.Name == ""; at++ {
			for _, name := range names {
				if key := nameKey(name); key != "" && !taken[key] {
					b.Name, taken[key] = name, true
					break
				}
			}
			names = []string{kindWord(b.Type) + strconv.Itoa(at)}
		}
	}
}

// nameKey is what two names have in common that Go identifiers cannot tell apart.
func nameKey(name string) string {
	return strings.ToLower(strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, name))
}

// branchNames lists what a branch may be called, the best first: what its author titled it, the tag that only it has, its kind, a
// required property that the branches before it lack.
func branchNames(u *ir.Union, b *ir.Branch) []string {
	if _, declared := b.Type.(*ir.Ref); declared {
		return []string{kindWord(b.Type), ir.Describe(b.Type)}
	}
	var names []string
	if len(b.Title) <= longestTitle {
		names = append(names, b.Title)
	}
	s, _ := b.Type.(*ir.Struct)
	if s != nil {
		names = append(names, ownTags(u, b, s)...)
	}
	tuple, _ := b.Type.(*ir.Tuple)
	if tuple != nil {
		names = append(names, ownConstants(u, b, tuple)...)
	}
	names = append(names, kindWord(b.Type))
	if list, ok := b.Type.(*ir.List); ok {
		names = append(names, kindWord(list.Elem)+"_list")
	}
	if tuple != nil {
		names = append(names, kindWord(tuple.Items[0].Type)+"_tuple")
	}
	if s != nil {
		required := ir.Where(s.Fields, func(f *ir.Field) bool { return !f.Optional })
		names = append(names, ir.Each(required, func(f *ir.Field) string { return f.Name })...)
	}
	return names
}

// ownTags are the texts that a branch fixes a required property to, and no other branch does.
func ownTags(u *ir.Union, b *ir.Branch, s *ir.Struct) []string {
	own := func(f *ir.Field) bool { return fixedText(f) != "" && !sharedTag(u, b, f.Name, fixedText(f)) }
	return ir.Each(ir.Where(s.Fields, own), fixedText)
}

// ownConstants are the texts that a branch fixes an element to, and no other branch does at that place.
func ownConstants(u *ir.Union, b *ir.Branch, t *ir.Tuple) []string {
	var own []string
	for i, f := range t.Items {
		text := fixedText(f)
		if text != "" && !slices.ContainsFunc(u.Branches, func(other *ir.Branch) bool {
			o, ok := ir.Underlying(other.Type).(*ir.Tuple)
			return ok && other != b && i < len(o.Items) && fixedText(o.Items[i]) == text
		}) {
			own = append(own, text)
		}
	}
	return own
}

func sharedTag(u *ir.Union, b *ir.Branch, property, tag string) bool {
	return slices.ContainsFunc(u.Branches, func(other *ir.Branch) bool {
		s, ok := ir.Underlying(other.Type).(*ir.Struct)
		return ok && other != b && slices.ContainsFunc(s.Fields, func(f *ir.Field) bool { return f.Name == property && fixedText(f) == tag })
	})
}

// fixedText is the only text that a required field may have; empty when there is none.
func fixedText(f *ir.Field) string {
	if l, ok := ir.Underlying(f.Type).(*ir.Literal); ok && !f.Optional && l.Value.Kind == ir.Text {
		return l.Value.Text
	}
	return ""
}
