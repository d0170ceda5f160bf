package source

import (
	"fmt"
	"slices"
)

// dialects are the drafts of JSON Schema that documents name, and the keywords that each has in addition to those before it.
var dialects = []struct {
	uri, name string
	keywords  []string
}{
	{"http://json-schema.org/draft-04/schema", "draft-04", nil},
	{"http://json-schema.org/draft-06/schema", "draft-06", []string{"const", "contains", "propertyNames"}},
	{"http://json-schema.org/draft-07/schema", "draft-07", []string{"if"}},
	{"https://json-schema.org/draft/2019-09/schema", "draft 2019-09",
		[]string{"dependentRequired", "dependentSchemas", "minContains", "maxContains", "unevaluatedItems", "unevaluatedProperties"}},
	{"https://json-schema.org/draft/2020-12/schema", "draft 2020-12", []string{"prefixItems"}},
}

// Later is a keyword that a source uses although its dialect does not have it.
type Later struct {
	Pointer string // of the first schema with it
	Reason  string
}

// LaterKeywords lists the keywords that a source uses although its dialect does not have them yet. They count all the same, since their authors mean
// them to.
func LaterKeywords(root Cursor) []Later {
	at := slices.IndexFunc(dialects, func(d struct {
		uri, name string
		keywords  []string
	}) bool {
		return d.uri == dialectOf(root)
	})
	if at < 0 {
		return nil
	}
	var later []string
	for _, d := range dialects[at+1:] {
		later = append(later, d.keywords...)
	}
	first, times := map[string]string{}, map[string]int{}
	var all []Later
	var visit func(s Cursor, depth int)
	visit = func(s Cursor, depth int) {
		for _, k := range later {
			if s.Has(k) {
				if times[k]++; times[k] == 1 {
					first[k] = s.Pointer
				}
			}
		}
		if depth < Deepest {
			eachInner(s, func(inner Cursor, deeper int) { visit(inner, depth+deeper) })
		}
	}
	visit(root, 0)
	for _, k := range later {
		if times[k] > 0 {
			all = append(all, Later{first[k], fmt.Sprintf("%s, here and in %d more, is not of %s: it counts all the same", k, times[k]-1, dialects[at].name)})
		}
	}
	return all
}
