package values_test

import (
	"bytes"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// schemas are those that values are drawn of, in all drafts.
var schemas = []string{
	`{"type":"object","properties":{"query":{"type":"string","minLength":3,"maxLength":9},"limit":{"type":"integer","minimum":1,"maximum":20,"default":5},"tags":{"type":"array","items":{"type":"string","enum":["new","used"]},"maxItems":3,"uniqueItems":true}},"required":["query"],"additionalProperties":false}`,
	`{"type":"object","properties":{"sku":{"type":"string","pattern":"^[A-Z]{3}-[0-9]{4}$"},"price":{"type":"number","exclusiveMinimum":0,"multipleOf":0.25},"kind":{"const":"a"}},"required":["sku","price","kind"]}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/definitions/A"},"b":{"$ref":"#/properties/a"}},"required":["a"],"dependencies":{"b":["a"]},"definitions":{"A":{"type":"array","items":[{"type":"integer"},{"type":"string","maxLength":2}],"additionalItems":false,"minItems":1}}}`,
	`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"n":{"type":"integer","minimum":0,"exclusiveMinimum":true}}}`,
	`{"type":"object","properties":{"node":{"$ref":"#/$defs/node"}},"required":["node"],"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["name"],"additionalProperties":false}}}`,
	`{"anyOf":[{"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number","minimum":0}},"required":["kind","r"],"additionalProperties":false},{"type":"object","properties":{"kind":{"const":"box"},"w":{"type":"integer"}},"required":["kind","w"],"additionalProperties":false}]}`,
	`{"type":"object","properties":{"v":{"anyOf":[{"type":"string","minLength":2},{"type":"null"}]},"w":{"type":["integer","null"],"maximum":9},"when":{"type":"string","format":"date-time"}},"required":["v","w"]}`,
	`{"allOf":[{"type":"object","properties":{"a":{"type":"integer","minimum":3}},"required":["a"]},{"properties":{"a":{"maximum":4},"b":{"type":"boolean"}},"required":["b"]}]}`,
	`{"type":"object","additionalProperties":{"type":"integer"},"propertyNames":{"pattern":"^[a-z]+$"},"minProperties":1,"maxProperties":2}`,
	`{"type":"object","patternProperties":{"^x-[a-z]{2}$":{"type":"string"}},"additionalProperties":false,"minProperties":1}`,
	`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"},"minItems":2,"contains":{"const":7}}`,
	`{"type":"object","properties":{"a":{"$anchor":"A","type":"string","not":{"const":"x"}},"b":{"$ref":"#A"}},"required":["a","b"]}`,
	`true`,
}

func independent(t *testing.T, schema string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("s.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fits(t *testing.T, s *jsonschema.Schema, json string) bool {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(json))
	if err != nil {
		t.Fatalf("%s: %v", json, err)
	}
	return s.Validate(v) == nil
}

// TestIndependent: an independent validator agrees that what is drawn fits, and that what is broken does not.
func TestIndependent(t *testing.T) {
	for _, schema := range schemas {
		s, err := values.Compile([]byte(schema))
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		other := independent(t, schema)
		for _, profile := range []values.Profile{values.Calm, values.ASCII, values.Hard} {
			s.Profile = profile
			for i := range uint64(40) {
				v, ok := s.Draw(values.NewChoices(1, i))
				if !ok || !fits(t, other, string(v)) {
					t.Fatalf("%s: drew %s (%v)", schema, v, ok)
				}
				if broken, b, ok := s.Break(values.NewChoices(2, i)); ok && fits(t, other, string(broken)) {
					t.Fatalf("%s: %s does not break %+v", schema, broken, b)
				}
				for _, one := range s.Bounds(v) {
					if !fits(t, other, one.JSON) {
						t.Fatalf("%s: %s does not fit, although it is at a bound: %+v", schema, one.JSON, one.Break)
					}
				}
				for _, one := range s.Breaks(v) {
					if fits(t, other, one.JSON) {
						t.Fatalf("%s: %s does not break %+v", schema, one.JSON, one.Break)
					}
				}
			}
		}
	}
}

// TestBreaks lists the rules that are broken of a value.
func TestBreaks(t *testing.T) {
	tests := []struct{ schema, base, want string }{
		{schemas[0], `{"query":"tea"}`, "/limit maximum,/limit minimum,/limit type,/query maxLength,/query minLength,/query type,/tags enum,/tags type,/tags uniqueItems, additionalProperties, required, type"},
		{schemas[1], `{"sku":"ABC-0001","price":1,"kind":"a"}`, "/kind const,/price exclusiveMinimum,/price multipleOf,/price type,/sku pattern,/sku type, required, type"},
		{schemas[2], `{"a":[1,"x"]}`, "/a items"},
		{schemas[4], `{"node":{"name":"a","children":[{"name":"b"}]}}`, "/node/children/0 additionalProperties,/node/children/0 required,/node additionalProperties"},
		{schemas[8], `{"a":1}`, " maxProperties, minProperties, propertyNames"},
		{schemas[11], `{"a":"y","b":"z"}`, "/a not"},
		{`{"type":"object","properties":{"a":{"type":"string","pattern":"^\\u0041BC$"},"b":{"type":"string","pattern":"^\\p{Script=Greek}\\cJ$"}}}`, `{"a":"ABC","b":"λ\n"}`,
			"/a pattern,/b pattern"},
		{`{"type":"object","properties":{"range":{"type":"object","properties":{"from":{"type":"integer"}},"required":["from"],"additionalProperties":false}}}`, `{}`, "/range required,/range additionalProperties,/range/from type"},
		{`{"type":"object","properties":{"range":{"type":"object","properties":{"to":{"type":"integer"},"by":{"type":"integer"}},"dependentRequired":{"to":["by"]}}}}`, `{"range":{}}`, "/range dependentRequired"},
	}
	for _, tt := range tests {
		s, err := values.Compile([]byte(tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range s.Breaks([]byte(tt.base)) {
			got = append(got, strings.Replace(one.Pointer, "/tags/1", "/tags", 1)+" "+one.Keyword)
		}
		slices.Sort(got)
		got = slices.Compact(got)
		for want := range strings.SplitSeq(tt.want, ",") {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q is not broken: %q", tt.schema, want, got)
			}
		}
	}
}

// TestChoices: the same choices draw the same value.
func TestChoices(t *testing.T) {
	s, err := values.Compile([]byte(schemas[0]))
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(100) {
		v, _ := s.Draw(values.NewChoices(7, i))
		again, _ := s.Draw(values.NewChoices(7, i))
		if !bytes.Equal(v, again) {
			t.Fatalf("%s, then %s", v, again)
		}
	}
	tape := []byte("any bytes are a tape")
	v, _ := s.Draw(values.FromBytes(tape))
	if again, _ := s.Draw(values.FromBytes(tape)); !bytes.Equal(v, again) {
		t.Fatalf("%s, then %s", v, again)
	}
}

// TestCompileFails: what is not a schema has an error that says where.
func TestCompileFails(t *testing.T) {
	for schema, want := range map[string]string{
		`3`:                                   "expected a schema",
		`{"properties":{"a":{"$ref":"#/b"}}}`: "leads nowhere",
		`{"$ref":"other.json"}`:               "another document",
		`{"type":"object"`:                    "unexpected end",
		`{"items":5}`:                         "items",
	} {
		if _, err := values.Compile([]byte(schema)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", schema, err, want)
		}
	}
}

// TestWaiting: numbers that say how long the server waits are small.
func TestWaiting(t *testing.T) {
	s, err := values.Compile([]byte(`{"type":"object","properties":{"seconds":{"type":"integer","minimum":0,"maximum":3600},"delay_ms":{"type":"number"},
		"pause":{"type":"array","items":{"type":"integer","minimum":2,"description":"How many seconds to wait."}},"pages":{"type":"integer","maximum":3600}}}`))
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]float64{}
	for _, one := range s.Bounds([]byte(`{"seconds":0,"delay_ms":0,"pause":[2],"pages":1}`)) {
		var all struct {
			Seconds float64
			Delay   float64 `json:"delay_ms"`
			Pause   []float64
			Pages   float64
		}
		if err := json.Unmarshal([]byte(one.JSON), &all); err != nil {
			t.Fatal(err)
		}
		most["seconds"], most["delay_ms"], most["pages"] = max(most["seconds"], all.Seconds), max(most["delay_ms"], all.Delay), max(most["pages"], all.Pages)
		for _, f := range all.Pause {
			most["pause"] = max(most["pause"], f)
		}
	}
	if most["seconds"] > 0.05 || most["delay_ms"] > 50 || most["pause"] > 2.05 || most["pages"] != 3600 {
		t.Error(most)
	}
}

// TestHugeBounds: schemas that ask for more than a machine holds have no value, and what is optional is left out. Each takes little time and memory.
func TestHugeBounds(t *testing.T) {
	const integers = `"type":"array","items":{"type":"integer"}`
	nested := `{"type":"integer"}`
	for range 6 {
		nested = `{"type":"array","minItems":900,"items":` + nested + `}`
	}
	for name, rules := range map[string]string{
		"minItems":                   `{` + integers + `,"minItems":300000000}`,
		"minItems of any":            `{"minItems":300000000}`,
		"maxItems":                   `{` + integers + `,"minItems":2000000000,"maxItems":2000000000}`,
		"minItems nested":            nested,
		"minItems distinct":          `{` + integers + `,"minItems":10000,"uniqueItems":true}`,
		"minLength":                  `{"type":"string","minLength":2000000000}`,
		"minLength of any":           `{"minLength":2000000000}`,
		"minLength of a pattern":     `{"type":"string","minLength":2000000000,"pattern":"^a*$"}`,
		"minLength of a format":      `{"type":"string","minLength":2000000000,"format":"date"}`,
		"minLength in a list":        `{"type":"array","minItems":10000,"items":{"type":"string","minLength":100000}}`,
		"minProperties":              `{"type":"object","minProperties":300000000,"additionalProperties":{"type":"integer"}}`,
		"minProperties of names":     `{"type":"object","minProperties":300000000,"propertyNames":{"minLength":9,"maxLength":9}}`,
		"minProperties of a pattern": `{"type":"object","minProperties":100000,"patternProperties":{"^[a-z]{9}$":{"type":"integer"}},"additionalProperties":false}`,
		"without an end":             `{"$ref":"#/$defs/pair"}`,
		"a large example":            `{"type":"array","minItems":10000,"items":{"const":"` + strings.Repeat("x", 50_000) + `"}}`,
		"a large name":               `{"type":"array","minItems":10000,"items":{"type":"object","properties":{"` + strings.Repeat("x", 50_000) + `":{"const":1}},"required":["` + strings.Repeat("x", 50_000) + `"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			const defs = `"$defs":{"pair":{"type":"object","properties":{"a":{"$ref":"#/$defs/pair"},"b":{"$ref":"#/$defs/pair"}},"required":["a","b"]}}`
			for _, required := range []bool{false, true} {
				must := ""
				if required {
					must = `,"huge"`
				}
				s, err := values.Compile([]byte(`{"type":"object","properties":{"x":{"type":"integer","minimum":0,"maximum":9},"huge":` + rules + `},"required":["x"` + must + `],` + defs + `}`))
				if err != nil {
					t.Fatal(err)
				}
				for draw, make := range map[string]func(*values.Choices) ([]byte, bool){"Minimal": s.Minimal, "Full": s.Full, "Draw": s.Draw} {
					json, ok := make(values.For(1, draw))
					if ok == required {
						t.Errorf("%s finds %.60s, and should only if it may leave out what is huge", draw, json)
					}
				}
				for _, base := range []string{`{"x":5}`, `{"x":5,"huge":[1,2]}`, `{"x":5,"huge":"a"}`, `{"x":5,"huge":{"a":1}}`} {
					if required && base == `{"x":5}` || name == "minItems distinct" && !strings.Contains(base, "[") {
						continue // it does not fit, or is as the others
					}
					s.Bounds([]byte(base))
					s.Breaks([]byte(base))
				}
			}
			if took := time.Since(began); took > 2*time.Minute { // without limits it would take hours
				t.Errorf("it takes %v", took)
			} else {
				t.Log(took)
			}
			var m runtime.MemStats
			if runtime.ReadMemStats(&m); m.Sys > 1<<30 {
				t.Errorf("%d MiB of memory", m.Sys>>20)
			}
		})
	}
}
