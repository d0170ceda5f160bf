package source

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// dialects are the drafts of JSON Schema that documents name.
var dialects = []struct {
	uri, name string
	draft     int
}{
	{"http://json-schema.org/draft-04/schema", "draft-04", 4},
	{"http://json-schema.org/draft-06/schema", "draft-06", 6},
	{"http://json-schema.org/draft-07/schema", "draft-07", 7},
	{"https://json-schema.org/draft/2019-09/schema", "draft 2019-09", 2019},
}

// draftOf is which of them a source names; -1 if it is none.
func draftOf(root Cursor) int {
	uri := dialectOf(root)
	for at, d := range dialects {
		if d.uri == uri {
			return at
		}
	}
	return -1
}

// Later is a keyword that a source uses although its dialect does not have it.
type Later struct {
	Pointer string // of the first schema with it
	Reason  string
}

// LaterKeywords lists the keywords that a source uses although its dialect does not have them yet. They count all the same, since their authors mean them to.
func LaterKeywords(root Cursor) []Later {
	at := draftOf(root)
	if at < 0 {
		return nil
	}
	later := jsonschema.Names(func(k *jsonschema.Keyword) bool { // then and else say nothing without if
		return k.Checks && k.Since > dialects[at].draft && k.Name != "then" && k.Name != "else"
	})
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
			EachInner(s, func(inner Cursor, deeper int) { visit(inner, depth+deeper) })
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
