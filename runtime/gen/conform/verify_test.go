package conform_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

// TestNew gives New schemas of peers, correct and not.
func TestNew(t *testing.T) {
	for schema, want := range map[string]string{
		`true`: "",
		`{"type":["string","null"],"minLength":1,"pattern":"^a"}`:                         "",
		`{"$defs":{"N":{"properties":{"n":{"$ref":"#/$defs/N"}}}},"$ref":"#/$defs/N"}`:    "",
		`{"items":{"$ref":"#"},"x-own":{"type":17},"description":"a","default":{}}`:       "",
		`{"patternProperties":{"^a":{"multipleOf":0.5}},"dependentRequired":{"a":["b"]}}`: "",
		`{`:                                "expected",
		`[]`:                               "the root: expected a schema",
		`{"type":"text"}`:                  "/type: expected null",
		`{"type":["string",1]}`:            "/type/1: expected null",
		`{"type":{}}`:                      "/type: expected the name",
		`{"enum":1}`:                       "/enum: expected an array",
		`{"minimum":"1"}`:                  "/minimum: expected a number",
		`{"multipleOf":0e5}`:               "/multipleOf: expected a number greater than 0",
		`{"minLength":-1}`:                 "/minLength: expected an integer of at least 0",
		`{"maxItems":1.5}`:                 "/maxItems: expected an integer",
		`{"pattern":"("}`:                  "/pattern: expected a regular expression",
		`{"patternProperties":{"(":true}}`: "/patternProperties/(: expected a regular expression",
		`{"uniqueItems":1}`:                "/uniqueItems: expected a boolean",
		`{"required":["a",1]}`:             "/required/1: expected a name",
		`{"dependentRequired":{"a":1}}`:    "/dependentRequired/a: expected an array",
		`{"allOf":{}}`:                     "/allOf: expected an array",
		`{"anyOf":[{"not":1}]}`:            "/anyOf/0/not: expected a schema",
		`{"properties":[]}`:                "/properties: expected an object",
		`{"properties":{"a/b~":1}}`:        "/properties/a~1b~0: expected a schema",
		`{"$ref":"#"}`:                     "leads back",
		`{"$ref":"#/$defs/A","$defs":{"A":{"anyOf":[{"$ref":"#/$defs/B"}]},"B":{"if":{"$ref":"#/$defs/A"}}}}`: "leads back",
		`{"$ref":"#/$defs/A"}`:         "/$ref: expected # or #/$defs/NAME",
		`{"$ref":"https://x.example"}`: "/$ref: expected # or #/$defs/NAME",
		`{"$dynamicRef":"#a"}`:         "/$dynamicRef: $dynamicRef is not supported",
		strings.Repeat(`{"not":`, 10_000) + "1" + strings.Repeat("}", 10_000): "deep",
	} {
		s, err := conform.New(schema)
		switch {
		case want == "" && err != nil:
			t.Errorf("%.80s: %v", schema, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%.80s: got %v, want %s", schema, err, want)
		case err == nil:
			s.Check(new(violation.List), "", `{"a":[1,"b"]}`)
		}
	}
}

// FuzzNew: whatever New accepts can be compiled, and checks any value.
func FuzzNew(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"a":{}}`)
	f.Add(`{"allOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"minLength":1e3}}}`, `"a"`)
	f.Add(`{"multipleOf":1e-400,"maximum":1e400,"minContains":1e99}`, `[1]`)
	f.Fuzz(func(_ *testing.T, schema, text string) {
		s, err := conform.New(schema)
		if err != nil {
			return
		}
		if _, err := conform.New(text); err != nil && !strings.HasPrefix(err.Error(), "/") && !strings.HasPrefix(err.Error(), "the root") {
			return // not JSON
		}
		s.Check(new(violation.List), "", text)
	})
}
