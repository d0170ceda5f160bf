package jsonschema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

func parse(t testing.TB, text string) ir.Value {
	t.Helper()
	v, err := ir.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(text, err)
	}
	return v
}

// holding writes a schema in which every keyword that holds schemas holds some that have a mark.
func holding() string {
	var all []string
	for _, k := range jsonschema.Keywords {
		mark := fmt.Sprintf(`{"$comment": %q, "not": {}}`, k.Name)
		held := map[jsonschema.Holds]string{jsonschema.Data: "[" + mark + "]", jsonschema.One: mark, jsonschema.OneOrList: mark, jsonschema.List: "[" + mark + "]", jsonschema.Map: `{"a/b": ` + mark + "}"}[k.Holds]
		if held == "" {
			held = "1"
		}
		all = append(all, fmt.Sprintf("%q: %s", k.Name, held))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// TestWalk: the schemas that keywords hold are visited, each where its pointer leads to, and what only looks like a schema is not.
func TestWalk(t *testing.T) {
	root, seen := parse(t, holding()), map[string]int{}
	jsonschema.Walk(root, func(p *jsonschema.Place) bool {
		if at, ok := jsonschema.Follow(root, "#"+p.Pointer()); !ok || at.String() != p.Value.String() {
			t.Errorf("%s is %s, and leads to %s", p.Pointer(), p.Value, at)
		}
		mark, _ := p.Value.Get("$comment")
		seen[mark.Text]++
		return true
	})
	for _, k := range jsonschema.Keywords {
		if want := map[bool]int{true: 1}[k.Holds > jsonschema.Data]; seen[k.Name] != want {
			t.Errorf("what %s holds is visited %d times, want %d", k.Name, seen[k.Name], want)
		}
	}
	was := root.String()
	marked := jsonschema.Rewrite(root, func(*jsonschema.Keyword, string, ir.Value) ir.Value { return ir.Value{Kind: ir.Boolean, Text: "true"} })
	if got := strings.Count(marked.String(), `"$comment"`); got != 4 || root.String() != was {
		t.Errorf("%d schemas stay in %s, and %s became %s", got, marked, was, root)
	}
}

// TestPlaces: lists of schemas under items, and lists of names under dependencies, are told from schemas.
func TestPlaces(t *testing.T) {
	var got []string
	jsonschema.Walk(parse(t, `{"items": [{}, true], "dependencies": {"a": ["b"], "c": {"properties": {"items": {"items": {}}}}}, "enum": [{"not": {}}], "not": false}`), func(p *jsonschema.Place) bool {
		got = append(got, p.Pointer())
		return p.Name != "items"
	})
	if want := []string{"", "/items/0", "/items/1", "/dependencies/c", "/dependencies/c/properties/items", "/not"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFollow(t *testing.T) {
	root := parse(t, `{"$defs": {"a/b": {"const": 1}, "c~d e%": {"const": 2}, "": {"const": 3}, "ü": [{"const": 4}]}, "const": 0, "anchor": {"const": 5}}`)
	for ref, want := range map[string]string{
		"#": "0", "#/$defs/a~1b": "1", "#/%24defs/c~0d%20e%25": "2", "#/$defs/": "3", "#/$defs/%C3%BC/0": "4", "#/$defs/ü/1": "", "#/$defs/ü/-1": "", "#/nothing": "", "#anchor": "", "other.json": "", "": "",
	} {
		target, ok := jsonschema.Follow(root, ref)
		if got, _ := target.Get("const"); ok != (want != "") || ok && got.Text != want {
			t.Errorf("%q leads to %s, %t, want %q", ref, target, ok, want)
		}
	}
}

// TestMerge: what stands next to a reference comes first, circles end, and a schema that multiplies costs no more than its budget.
func TestMerge(t *testing.T) {
	root := parse(t, `{"$ref": "#/$defs/A", "title": "own", "allOf": [{"$ref": "#/$defs/B"}], "$defs": {
		"A": {"title": "A", "type": "object", "$ref": "#/$defs/A"}, "B": {"allOf": [{"minLength": 1}, {"$ref": "#"}, {"$ref": "#nothing"}, 5]}}}`)
	budget := jsonschema.MostWork
	all := jsonschema.Merge(root, root, &budget)
	for name, want := range map[string]string{"title": `"own"`, "type": `"object"`, "minLength": "1", "maxLength": ""} {
		if v, ok := all.Get(name); ok != (want != "") || ok && v.String() != want {
			t.Errorf("%s is %s, want %s", name, v, want)
		}
	}
	if budget = 3; len(jsonschema.Merge(root, root, &budget)) != 1 || budget > 0 {
		t.Errorf("%d is left", budget)
	}
}

// TestMembers: the keywords that are about some members of objects name them, and those that are about others too name none.
func TestMembers(t *testing.T) {
	var got []string
	for _, m := range parse(t, `{"properties": {"a": {"enum": ["no"]}}, "required": ["b"], "dependentRequired": {"c": ["d"]}, "dependencies": {"e": ["f"], "g": {}},
		"patternProperties": {"no": {}}, "enum": ["no"], "$defs": {"no": {}}}`).Fields {
		jsonschema.KeywordOf(m.Name).Members(m.Value, func(name string, _ ir.Value) { got = append(got, name) })
	}
	if want := []string{"a", "b", "c", "d", "e", "f", "g"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	required, schemas := jsonschema.Dependencies(parse(t, `{"a": ["b"], "c": {"not": {}}, "d": ["e"], "f": true}`))
	for m, want := range map[*ir.Member]string{&required: `{"a": ["b"], "d": ["e"]}`, &schemas: `{"c": {"not": {}}, "f": true}`} {
		if want := parse(t, want); !m.Value.Equal(&want) || jsonschema.KeywordOf(m.Name).Since != 2019 {
			t.Errorf("%s is %s, want %s", m.Name, m.Value, want)
		}
	}
}
