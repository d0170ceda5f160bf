package budget

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

func parse(t testing.TB, text string) []ir.Value {
	t.Helper()
	v, err := ir.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.Items
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "word": 1, " word": 1, "two words": 2, "internationalization": 2, "12345": 2, "a, b": 3, `{"a":{"b":1}}`: 7, "über uns": 2, "\n\n\n\n": 1, "  x": 2} {
		if got := Tokens(text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
}

// repeating is a list that says some things several times.
func repeating(t testing.TB) string {
	text, err := os.ReadFile("testdata/repeating.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCuts: the saving that a cut names is that of the edit that it asks for, made in the text of the list.
func TestCuts(t *testing.T) {
	tools := parse(t, repeating(t))
	r := New(tools, "", false)
	compact := ir.Value{Kind: ir.Array, Items: tools}.String()
	const city = `"city":{"type":"object","properties":{"name":{"type":"string","description":"Name of the place"},"country":{"type":"string","description":"Two letters, as ISO 3166 has them"}}}`
	for cut, edit := range map[string]func(string) string{
		"per_page is explained in 3 tools": func(s string) string {
			const said = `,"description":"How many results a page has, from 1 to 100"`
			first := strings.Index(s, said) + len(said)
			return s[:first] + strings.ReplaceAll(s[first:], said, "")
		},
		"city: the same schema in 2 tools": func(s string) string {
			first := strings.Index(s, city) + len(city)
			return s[:first] + strings.ReplaceAll(s[first:], city, `"city":{"$ref":"#/$defs/city"}`)
		},
		"from, to: the same schema 2 times in route": func(s string) string {
			point := `{"type":"object","properties":{"lat":{"type":"number","description":"Degrees north"},"lon":{"type":"number","description":"Degrees east"},"label":{"type":"string"}}}`
			s = strings.ReplaceAll(s, `"from":`+point+`,"to":`+point+`}`, `"from":{"$ref":"#/$defs/from"},"to":{"$ref":"#/$defs/from"}},"$defs":{"from":`+point+`}`)
			return s
		},
	} {
		after := New(parse(t, edit(compact)), "", false)
		saved := r.All.Tokens - after.All.Tokens
		found := 0
		for _, c := range r.Cuts {
			if strings.HasPrefix(c.Says, cut) {
				found = c.Tokens
			}
		}
		if saved <= 0 || found*100 < saved*98-100 || found*100 > saved*102+100 { // and one token for rounding
			t.Errorf("%s: it says -%d, and saves %d: %v", cut, found, saved, r.Cuts)
		}
	}
}

func TestReport(t *testing.T) {
	tools := parse(t, `[{"name": "a", "description": "One.", "icons": [{"src": "data:image/png;base64,aaaa"}], "inputSchema": {"type": "object", "properties": {"x": {"type": "string", "description": "A long word, and some more of them."}}}, "outputSchema": {"type": "object"}},
		{"name": "b", "inputSchema": {"type": "object"}}]`)
	r, code := New(tools, "Use a.", false), New(tools, "Use a.", true)
	if r.Wire != len(ir.Value{Kind: ir.Array, Items: tools}.String())-2 || r.Icons != len(`[{"src":"data:image/png;base64,aaaa"}]`) || code.All.Bytes-r.All.Bytes != len(`,"outputSchema":{"type":"object"}`) || r.Instructions.Tokens != 3 {
		t.Errorf("%+v, with code %+v", r, code)
	}
	if got := fmt.Sprint(r.Tools[0].Name, r.Tools[0].Parts[0].Name); got != "athe property x" {
		t.Error(got)
	}
	if !New(parse(t, `[{"name": "a", "description": "Читает файл с диска."}]`), "", false).Foreign || r.Foreign {
		t.Error("which letters are not ASCII is not said")
	}
	old := New(parse(t, `[{"name": "a", "description": "One."}, {"name": "c"}]`), "", false)
	var all []string
	for _, c := range r.Against(&old) {
		all = append(all, fmt.Sprint(c.Name, c.Was > 0, c.Is > 0))
	}
	if got := strings.Join(all, " "); got != "atrue true bfalse true ctrue false" {
		t.Error(got)
	}
}

// FuzzReport: no list makes a report panic.
func FuzzReport(f *testing.F) {
	f.Add(repeating(f))
	f.Fuzz(func(_ *testing.T, text string) {
		if v, err := ir.ParseJSON([]byte(text)); err == nil {
			New(v.Items, text, len(text)%2 == 0)
		}
	})
}

func BenchmarkReport(b *testing.B) {
	one := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(repeating(b)), "["), "]")
	tools := parse(b, "["+strings.Repeat(one+",", 99)+one+"]")
	b.ReportAllocs()
	for b.Loop() {
		New(tools, "", false)
	}
}

// TestCutsWithin: what is said several times is found below all keywords that hold schemas.
func TestCutsWithin(t *testing.T) {
	const said = `{"properties":{"page":{"type":"integer","description":"The page of the list that is wanted, from 1 on, as the first answer counts them"}}}`
	var tools []string
	for i, around := range []string{`"then":@`, `"dependentSchemas":{"q":@}`, `"patternProperties":{"^x":@}`, `"dependencies":{"q":@}`} {
		tools = append(tools, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object",%s}}`, i, strings.Replace(around, "@", said, 1)))
	}
	if cuts := New(parse(t, "["+strings.Join(tools, ",")+"]"), "", false).Cuts; len(cuts) == 0 || !strings.HasPrefix(cuts[0].Says, "page is explained in 4 tools") {
		t.Errorf("%v", cuts)
	}
}
