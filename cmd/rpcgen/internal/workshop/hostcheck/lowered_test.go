package hostcheck

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/profile"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/hosts"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/lower"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

var profiles = map[lower.Profile]string{lower.Gemini: "gemini", lower.OpenAIStrict: "openai:strict"}

// lowerable returns the lists that the profiles are tried on: those of schemas of this repository, and refused ones that can be lowered.
func lowerable(t *testing.T) map[string][]ir.Value {
	t.Helper()
	all := map[string][]ir.Value{}
	const root = "../../../../../"
	for _, name := range []string{"examples/shop/rpc/shop.rpc.yaml", "examples/downstream/rpc/notes.rpc.yaml", "test/toolbox/toolbox.rpc.yaml", "test/office/office.rpc.yaml", "test/conformance/conformance.rpc.yaml",
		"test/profiles/profiles.rpc.yaml"} {
		loader := new(schema.Loader)
		doc, faults := loader.Load(root + name)
		if doc == nil {
			t.Fatal(faults)
		}
		list, err := Of(doc)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = list.Tools
	}
	files, err := filepath.Glob("testdata/refused/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var one struct{ Lowerable bool }
		if err := json.Unmarshal(text, &one); err != nil || !one.Lowerable {
			continue
		}
		list, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = list.Tools
	}
	if len(all) < 15 {
		t.Fatalf("%d lists", len(all))
	}
	return all
}

// TestLoweredFindings: nothing of a lowered list is refused, and names stay.
func TestLoweredFindings(t *testing.T) {
	for name, tools := range lowerable(t) {
		for p, host := range profiles {
			held, err := hosts.Known().Select(host)
			if err != nil {
				t.Fatal(err)
			}
			list := List{}
			for _, tool := range tools {
				lowered, _ := lower.Tool(tool, p)
				was, _ := tool.Get("name")
				if is, _ := lowered.Get("name"); is.Text != was.Text {
					t.Errorf("%s has the name %s", was.Text, is.Text)
				}
				list.Tools = append(list.Tools, lowered)
			}
			for _, f := range Check(hosts.Known(), held, list, Options{Now: day}) {
				if f.Code != "HostToolName" { // which a person has to change
					t.Errorf("%s, %s: %s at %s", name, p, f.Message, f.Pointer)
				}
			}
		}
	}
}

// TestLowered compares lowered entries with golden files.
func TestLowered(t *testing.T) {
	var b strings.Builder
	all := lowerable(t)
	for _, name := range []string{"test/profiles/profiles.rpc.yaml", "testdata/refused/root-one-of.json", "testdata/refused/root-any-of-objects.json", "testdata/refused/enum-of-booleans.json", "testdata/refused/true-as-schema.json"} {
		for _, tool := range all[name] {
			fmt.Fprintf(&b, "# %s\n", tool)
			for _, p := range []lower.Profile{lower.Gemini, lower.OpenAIStrict} {
				lowered, plan := lower.Tool(tool, p)
				fmt.Fprintf(&b, "%s: %s\n", p, lowered)
				if plan != "" {
					fmt.Fprintf(&b, "plan: %s\n", plan)
				}
			}
		}
	}
	const golden = "testdata/lowered.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != b.String() {
		t.Errorf("%s: got\n%s", golden, b.String())
	}
}

// TestLoweredWithin: what the lowered schema of an input takes, the plain one takes, apart from rules that are words now. Values are made of both.
func TestLoweredWithin(t *testing.T) {
	const values = 10_000
	accepts := func(s *conform.Schema, value string) bool {
		var vs violation.List
		s.Check(&vs, "", value)
		return vs.Len() == 0
	}
	compile := func(v ir.Value) *conform.Schema {
		s, err := conform.New(strings.ReplaceAll(v.String(), `"$anchor":"addressDef",`, ""))
		if err != nil {
			t.Fatalf("%v: %s", err, v)
		}
		return s
	}
	for p := range profiles {
		tried, taken, whole := 0, 0, 0
		lists := lowerable(t)
		tools := 0
		for _, list := range lists {
			tools += len(list)
		}
		for _, name := range slices.Sorted(maps.Keys(lists)) {
			for _, tool := range lists[name] {
				lowered, plan := lower.Tool(tool, p)
				from, _ := tool.Get("inputSchema")
				to, _ := lowered.Get("inputSchema")
				relaxed, exact, target := compile(withoutWords(from, p, true)), compile(from), compile(plainNull(to))
				g := &generator{Rand: rand.New(rand.NewPCG(uint64(len(name)), uint64(tried)))}
				here := 0
				for i := range values/tools + 1 {
					g.whole = []ir.Value{to, from}[i%2]
					value := g.value(g.whole, 0).String()
					tried++
					if !accepts(target, value) {
						continue
					}
					taken++
					here++
					plain := value
					if plan != "" {
						plain = string(profile.Plain(plan, []byte(value)))
						if again := string(profile.Plain(plan, []byte(plain))); again != plain {
							t.Errorf("%s: %s becomes %s, and that %s", name, value, plain, again)
						}
					}
					if !accepts(relaxed, plain) {
						toolName, _ := tool.Get("name")
						t.Errorf("%s, %s, %s: %s is taken, and as %s refused\nplain:   %s\nlowered: %s\nplan: %s", p, name, toolName.Text, value, plain, from, to, plan)
						return
					}
					if accepts(exact, plain) {
						whole++
					}
				}
				if here == 0 {
					toolName, _ := tool.Get("name")
					t.Errorf("%s, %s, %s: no value is taken: %s", p, name, toolName.Text, to)
				}
			}
		}
		t.Logf("%s: of %d values, %d are taken by the lowered schemas, and %d of these by the plain ones", p, tried, taken, whole)
		if tried < values || taken < values/4 || whole < taken/4 {
			t.Errorf("%s: of %d values, %d are taken, %d by both", p, tried, taken, whole)
		}
	}
}

// plainNull writes nullable as JSON Schema has it.
func plainNull(v ir.Value) ir.Value {
	v = mapped(v, plainNull)
	if nullable, _ := v.Get("nullable"); nullable.Text != "true" {
		return v
	}
	null := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "type", Value: ir.Value{Kind: ir.Text, Text: "null"}}}}
	return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "anyOf", Value: ir.Value{Kind: ir.Array, Items: []ir.Value{v, null}}}}}
}

// mapped returns a value whose parts are what a function makes of them.
func mapped(v ir.Value, part func(ir.Value) ir.Value) ir.Value {
	v.Fields, v.Items = slices.Clone(v.Fields), slices.Clone(v.Items)
	for i := range v.Fields {
		v.Fields[i].Value = part(v.Fields[i].Value)
	}
	for i := range v.Items {
		v.Items[i] = part(v.Items[i])
	}
	return v
}

// inWords are the rules that a lowered schema says in words.
var inWords = []string{"minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "minimum", "maximum", "contentEncoding",
	"minProperties", "maxProperties", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "propertyNames", "patternProperties", "contains", "prefixItems", "default"}

// withoutWords returns a plain schema without the rules that are words in a lowered one.
func withoutWords(v ir.Value, p lower.Profile, root bool) ir.Value {
	if v.Kind == ir.Array {
		return mapped(v, func(part ir.Value) ir.Value { return withoutWords(part, p, false) })
	}
	_, tuple := v.Get("prefixItems")
	out := ir.Value{Kind: v.Kind, Text: v.Text}
	for _, m := range v.Fields {
		isKeyword := m.Value.Kind != ir.Object || m.Name == "not" || m.Name == "if"
		switch {
		case isKeyword && slices.Contains(inWords, m.Name), tuple && m.Name == "items":
			continue
		case m.Name == "additionalProperties" && p == lower.Gemini:
			continue
		case m.Name == "$ref" && p == lower.Gemini && slices.Contains([]string{"#/$defs/Node", "#/$defs/Query", "#/$defs/Tree"}, m.Value.Text): // a definition that contains itself ends after two levels
			out.Fields = append(out.Fields, ir.Member{Name: "type", Value: ir.Value{Kind: ir.Text, Text: "object"}})
			continue
		case (m.Name == "anyOf" || m.Name == "oneOf") && (root || !slices.ContainsFunc(m.Value.Items, func(b ir.Value) bool { return len(without(b, "required")) > 0 })):
			continue
		case m.Name == "oneOf":
			m.Name = "anyOf"
		case (m.Name == "enum" || m.Name == "const") && p == lower.Gemini && !isText(m.Value):
			out.Fields = append(out.Fields, ir.Member{Name: "type", Value: kindsOf(m.Value)})
			continue
		case m.Name == "type" && p == lower.Gemini && slices.ContainsFunc(v.Fields, func(o ir.Member) bool { return (o.Name == "enum" || o.Name == "const") && !isText(o.Value) }):
			continue
		case m.Name == "properties" || m.Name == "$defs":
			m.Value = mapped(m.Value, func(part ir.Value) ir.Value { return withoutWords(part, p, false) })
			out.Fields = append(out.Fields, m)
			continue
		}
		m.Value = withoutWords(m.Value, p, false)
		out.Fields = append(out.Fields, m)
	}
	return out
}

func without(v ir.Value, name string) []ir.Member {
	return slices.DeleteFunc(slices.Clone(v.Fields), func(m ir.Member) bool { return m.Name == name })
}

func isText(v ir.Value) bool {
	return v.Kind == ir.Text || v.Kind == ir.Array && !slices.ContainsFunc(v.Items, func(v ir.Value) bool { return v.Kind != ir.Text })
}

// kindsOf returns the types of constants.
func kindsOf(v ir.Value) ir.Value {
	all := v.Items
	if v.Kind != ir.Array {
		all = []ir.Value{v}
	}
	kinds := ir.Value{Kind: ir.Array}
	for _, one := range all {
		kinds.Items = append(kinds.Items, ir.Value{Kind: ir.Text, Text: one.Kind.String()})
	}
	slices.SortFunc(kinds.Items, func(a, b ir.Value) int { return strings.Compare(a.Text, b.Text) })
	kinds.Items = slices.CompactFunc(kinds.Items, func(a, b ir.Value) bool { return a.Text == b.Text })
	return kinds
}

// generator makes values of a schema: most of them fit, some do not.
type generator struct {
	*rand.Rand
	whole ir.Value
}

func (g *generator) odd() ir.Value {
	v, _ := ir.ParseJSON([]byte([]string{"null", "true", "1", "-7.5", `"x"`, "[]", `["x"]`, "{}", `{"x":1}`, `[{"name":"a","value":1}]`}[g.IntN(10)]))
	return v
}

func (g *generator) value(s ir.Value, depth int) ir.Value {
	if g.IntN(40) == 0 && depth > 0 || depth > 12 {
		return g.odd()
	}
	if ref, ok := s.Get("$ref"); ok {
		to := g.whole
		for _, token := range strings.Split(strings.TrimPrefix(ref.Text, "#"), "/")[1:] {
			to, _ = to.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(text.Unescaped(token)))
		}
		return g.value(to, depth+1)
	}
	if c, ok := s.Get("const"); ok {
		return c
	}
	if values, ok := s.Get("enum"); ok && len(values.Items) > 0 {
		return values.Items[g.IntN(len(values.Items))]
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches, ok := s.Get(keyword); ok && len(branches.Items) > 0 {
			b := branches.Items[g.IntN(len(branches.Items))]
			if _, object := s.Get("properties"); !object {
				return g.value(b, depth+1)
			}
		}
	}
	t, _ := s.Get("type")
	if nullable, _ := s.Get("nullable"); nullable.Text == "true" && g.IntN(3) == 0 {
		return ir.Value{Kind: ir.Null, Text: "null"}
	}
	if len(t.Items) > 0 {
		t = t.Items[g.IntN(len(t.Items))]
	}
	number := func(n int) ir.Value {
		if least, ok := s.Get("minimum"); ok {
			return least
		}
		return ir.NumberValue(strconv.Itoa(n))
	}
	switch t.Text {
	case "object":
		return g.object(s, depth)
	case "array":
		v := ir.Value{Kind: ir.Array}
		n := g.IntN(4)
		if least, ok := s.Get("minItems"); ok {
			n, _ = strconv.Atoi(least.Text)
		}
		elements, _ := s.Get("prefixItems")
		items, _ := s.Get("items")
		for i := range max(n, len(elements.Items)) {
			if i < len(elements.Items) {
				items = elements.Items[i]
			}
			v.Items = append(v.Items, g.value(items, depth+1))
		}
		return v
	case "string":
		return ir.Value{Kind: ir.Text, Text: []string{"a", "some text", "2026-01-31T12:00:00Z", "HAM-0001", "https://example.com", "ORD-4Z7KQ2MA"}[g.IntN(6)]}
	case "integer":
		return number(g.IntN(20))
	case "number":
		return number(g.IntN(20))
	case "boolean":
		return ir.Value{Kind: ir.Boolean, Text: strconv.FormatBool(g.IntN(2) == 0)}
	case "null":
		return ir.Value{Kind: ir.Null, Text: "null"}
	}
	return g.odd()
}

func (g *generator) object(s ir.Value, depth int) ir.Value {
	v := ir.Value{Kind: ir.Object}
	properties, _ := s.Get("properties")
	required := (&node{Place: &jsonschema.Place{Value: s}}).requiredNames()
	for _, m := range properties.Fields {
		if slices.Contains(required, m.Name) || depth < 4 && g.IntN(2) == 0 {
			v.Fields = append(v.Fields, ir.Member{Name: m.Name, Value: g.value(m.Value, depth+1)})
		}
	}
	if extra, ok := s.Get("additionalProperties"); ok && extra.Kind == ir.Object || g.IntN(20) == 0 {
		for i := range g.IntN(3) {
			v.Fields = append(v.Fields, ir.Member{Name: fmt.Sprint("more", i), Value: g.value(extra, depth+1)})
		}
	}
	return v
}

// TestNormalisers: what two hosts do to lists that they get leaves lowered ones unchanged.
func TestNormalisers(t *testing.T) {
	for name, tools := range lowerable(t) {
		for _, tool := range tools {
			strict, _ := lower.Tool(tool, lower.OpenAIStrict)
			gemini, _ := lower.Tool(tool, lower.Gemini)
			for p, lowered := range map[lower.Profile]ir.Value{lower.OpenAIStrict: strict, lower.Gemini: gemini} {
				if again := copilot(t, lowered); again.String() != lowered.String() {
					t.Errorf("%s, %s: Copilot makes of\n%s\n%s", name, p, lowered, again)
				}
			}
			if again := geminiCLI(t, gemini); again.String() != gemini.String() {
				t.Errorf("%s: Gemini CLI makes of\n%s\n%s", name, gemini, again)
			}
		}
	}
}

// copilot does to a tool what Copilot in Visual Studio Code is known to do: a description that is missing is filled in, keywords at the root are removed, and
// so are required names that are not properties. It fails for what the host refuses: arrays without items, and what draft-07 does not allow.
func copilot(t *testing.T, tool ir.Value) ir.Value {
	t.Helper()
	return ir.Value{Kind: ir.Object, Fields: slices.Collect(func(yield func(ir.Member) bool) {
		for _, m := range tool.Fields {
			if m.Name == "description" && m.Value.Text == "" {
				m.Value.Text = "No description"
			}
			if m.Name == "inputSchema" {
				for _, n := range nodes("", m.Value) {
					if n.is("array") && !n.has("items") || len(wrong07(n)) > 0 {
						t.Errorf("Copilot refuses %s at %s", tool, n.at())
					}
				}
				for _, keyword := range []string{"oneOf", "anyOf", "allOf", "not", "if", "then", "else"} {
					m.Value.Fields = without(m.Value, keyword)
				}
				m.Value = declaredOnly(m.Value)
			}
			if !yield(m) {
				return
			}
		}
	})}
}

// declaredOnly returns a schema whose required names are properties.
func declaredOnly(v ir.Value) ir.Value {
	v = mapped(v, declaredOnly)
	properties, ok := v.Get("properties")
	if !ok {
		return v
	}
	for i, m := range v.Fields {
		if m.Name == "required" {
			v.Fields[i].Value.Items = slices.DeleteFunc(slices.Clone(m.Value.Items), func(name ir.Value) bool { _, ok := properties.Get(name.Text); return !ok })
		}
	}
	return v
}

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9_.:-]`)

// geminiCLI does to a tool what Gemini CLI is known to do: names are made of other characters and shortened, $schema and additionalProperties are removed,
// formats of texts other than date-time and enum as well, and default next to anyOf. It leaves out tools with members that have no type, which is what fails.
func geminiCLI(t *testing.T, tool ir.Value) ir.Value {
	t.Helper()
	out := ir.Value{Kind: ir.Object}
	for _, m := range tool.Fields {
		switch m.Name {
		case "name":
			m.Value.Text = notInNames.ReplaceAllString(m.Value.Text, "_")
			if n := m.Value.Text; len(n) > 63 {
				m.Value.Text = n[:28] + "___" + n[len(n)-32:]
			}
		case "inputSchema":
			m.Value = sanitized(m.Value)
		}
		out.Fields = append(out.Fields, m)
	}
	return out
}

func sanitized(v ir.Value) ir.Value {
	v = mapped(v, sanitized)
	_, any := v.Get("anyOf")
	t, _ := v.Get("type")
	v.Fields = slices.DeleteFunc(v.Fields, func(m ir.Member) bool {
		switch m.Name {
		case "$schema":
			return true
		case "additionalProperties":
			return m.Value.Kind == ir.Boolean
		case "default":
			return any
		case "format":
			return t.Text == "string" && m.Value.Kind == ir.Text && m.Value.Text != "date-time" && m.Value.Text != "enum"
		}
		return false
	})
	return v
}
