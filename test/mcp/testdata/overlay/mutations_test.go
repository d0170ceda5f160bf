package mcp_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// official compiles the published definitions. Formats are asserted, because generated code does so.
func official(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(definitions)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.RegisterFormat(&jsonschema.Format{Name: "byte", Validate: func(v any) error {
		if s, ok := v.(string); ok {
			_, err := base64.StdEncoding.DecodeString(s)
			return err
		}
		return nil
	}})
	if err := compiler.AddResource("mem:all", doc); err != nil {
		t.Fatal(err)
	}
	all := map[string]*jsonschema.Schema{}
	for kind := range subjects {
		all[kind] = compiler.MustCompile("mem:all#/$defs/" + kind)
	}
	return all
}

// mutant is an example with one change.
type mutant struct {
	at   string // what was changed, as a pointer with * for elements of lists
	how  string
	text []byte

	without []byte // of a member that became null: the text in which it is dropped
}

// mutants change one thing each, everywhere: a member is dropped, a value becomes null, another kind, or an unknown text.
func mutants(t *testing.T, text []byte) []mutant {
	t.Helper()
	var all []mutant
	root := parsed(t, text)
	var walk func(v any, at string, set func(any), drop func() func())
	walk = func(v any, at string, set func(any), drop func() func()) {
		try := func(how string, with any) {
			set(with)
			text, err := json.Marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, mutant{at: at, how: how, text: text})
			set(v)
		}
		null := len(all)
		try("null", nil)
		switch v := v.(type) {
		case string:
			try("unknown", "mutated")
			try("kind", true)
		case json.Number:
			try("kind", "text")
			try("fraction", json.Number("0.5"))
		case bool:
			try("kind", "text")
		case []any:
			try("kind", map[string]any{})
			for i, item := range v {
				walk(item, at+"/*", func(x any) { v[i] = x }, nil)
			}
		case map[string]any:
			try("kind", []any{})
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name], at+"/"+name, func(x any) { v[name] = x }, func() func() {
					old := v[name]
					delete(v, name)
					return func() { v[name] = old }
				})
			}
		}
		if drop != nil {
			back := drop()
			text, err := json.Marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			all[null].without = text
			all = append(all, mutant{at: at, how: "dropped", text: text})
			back()
		}
	}
	walk(root, "", func(v any) { root = v }, nil)
	return all
}

// outcomes are the responses whose result is one of two types, by the type of a finished one. As the definitions are written, what
// is no such result may still pass for an InputRequiredResult, which asks for next to nothing; resultType decides.
var outcomes = map[string]string{
	"CallToolResultResponse":     "CallToolResult",
	"GetPromptResultResponse":    "GetPromptResult",
	"ReadResourceResultResponse": "ReadResourceResult",
}

// verdict is what the official schemas say of a message.
func verdict(schemas map[string]*jsonschema.Schema, kind string, v any) error {
	if err := schemas[kind].Validate(v); err != nil || outcomes[kind] == "" {
		return err
	}
	result := v.(map[string]any)["result"].(map[string]any)
	if result["resultType"] == "input_required" {
		return schemas["InputRequiredResult"].Validate(result)
	}
	return schemas[outcomes[kind]].Validate(result)
}

// correction is a difference from the verdict of the official schema that is meant.
type correction struct {
	reason  string
	how     []string // of mutants
	at      string   // the end of the path to what is changed, with the kind of the example in front
	accepts bool     // generated code accepts what the official schema refuses
}

// Why generated code decides otherwise.
const (
	content    = "a reader must survive kinds of content that it does not know"
	fractions  = "an answer to a NumberSchema may have a fraction"
	anyJSON    = "settings are any JSON, null included"
	either     = "one of inputRequests and requestState must be there"
	kinds      = "a result of a kind that is not known is invalid"
	complete   = "a result without a kind, as of older servers, is complete"
	noTTL      = "a result without ttlMs is not fresh, and without cacheScope not shared"
	noID       = "a response without id is not an answer to any request"
	inputFirst = "what asks for input says so"
)

var anyChange = []string{"unknown", "null", "kind", "dropped"}

var corrections = []correction{
	{content, anyChange, "content/type", true},
	{content, anyChange, "content/*/type", true},
	{content, []string{"kind"}, "content", true},
	{fractions, []string{"fraction"}, "/content/age", true},
	{anyJSON, []string{"null"}, "/mimeTypes/*", true},
	{either, []string{"dropped"}, "InputRequiredResult/requestState", false},
	{inputFirst, []string{"unknown"}, "InputRequiredResult/resultType", false},
	{kinds, []string{"unknown"}, "/result/resultType", false},
	{complete, []string{"dropped"}, "/resultType", true},
	{noTTL, []string{"dropped"}, "/ttlMs", true},
	{noTTL, []string{"dropped"}, "/cacheScope", true},
	{noID, []string{"dropped"}, "Error/id", false},
}

// incomplete is the example whose result lacks what its definition requires. Its mutants have that.
const incomplete = "ReadResourceResultResponse/read-resource-result-response.json"

// TestMutants changes every example in one place and asks generated code and the official schema about it: they agree, but for the
// corrections, each of which is needed.
func TestMutants(t *testing.T) {
	schemas := official(t)
	used := make([]bool, len(corrections))
	for _, e := range examples(t) {
		if e.name == incomplete {
			e.text = bytes.Replace(e.text, []byte(`"resultType"`), []byte(`"ttlMs": 0, "cacheScope": "private", "resultType"`), 1)
		}
		for _, m := range mutants(t, e.text) {
			_, err := subjects[e.kind](m.text)
			v, parseErr := jsonschema.UnmarshalJSON(bytes.NewReader(m.text))
			if parseErr != nil {
				t.Fatal(parseErr)
			}
			officialErr := verdict(schemas, e.kind, v)
			if (err == nil) == (officialErr == nil) {
				continue
			}
			if err == nil && m.without != nil {
				if _, err := subjects[e.kind](m.without); err == nil {
					continue // null is read as absent
				}
			}
			i := slices.IndexFunc(corrections, func(c correction) bool {
				return slices.Contains(c.how, m.how) && strings.HasSuffix(e.kind+m.at, c.at) && c.accepts == (err == nil)
			})
			if i < 0 {
				t.Errorf("%s %s %s: generated code says %v, the official schema %v", e.name, m.at, m.how, err, brief(officialErr))
				continue
			}
			used[i] = true
		}
	}
	for i, c := range corrections {
		if !used[i] {
			t.Errorf("not needed: %+v", c)
		}
	}
}

func brief(err error) string {
	if err == nil {
		return "nothing"
	}
	var v *jsonschema.ValidationError
	if errors.As(err, &v) {
		for len(v.Causes) > 0 {
			v = v.Causes[0]
		}
	}
	return strings.ReplaceAll(v.Error(), "\n", " ")
}
