package diag_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

func span(file string, line, col, length int) diag.Span {
	return diag.Span{Pos: diag.Pos{File: file, Line: line, Col: col}, Len: length}
}

var sample = diag.List{{
	Code: diag.UnknownType, Span: span("a,b.yaml", 1, 4, 4), Message: "100% unknown\ntype \"Unti\"", Help: `did you mean "Unit"?`,
	Related: []diag.Related{{Span: span("c.yaml", 7, 3, 1), Message: `declaration of "Unit"`}},
}}

func TestText(t *testing.T) {
	for name, c := range map[string]struct {
		list   diag.List
		source string
		want   string
	}{
		"tabs stay": {diag.List{{Code: "X", Span: span("f", 1, 3, 3), Message: "m"}}, "\ta世b", "f:1:3: m [X]\n    1 | \ta世b\n      | \t ^^\n"},
		"no source": {diag.List{{Code: "X", Span: span("g", 1, 1, 2), Message: "m", Help: "h"}}, "", "g:1:1: m [X]\n      | h\n"},
		"past the end": {diag.List{{Code: "X", Span: span("f", 1, 9, 5), Message: "m", Severity: diag.Warning}}, "ab\r\n",
			"f:1:9: warning: m [X]\n    1 | ab\n      |   ^\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			err := c.list.WriteText(&b, func(file string) ([]byte, bool) { return []byte(c.source), file == "f" })
			if d := cmp.Diff(c.want, b.String()); d != "" || err != nil {
				t.Error(d, err)
			}
		})
	}
}

func TestLongLine(t *testing.T) {
	line := strings.Repeat("世", 100) + "HERE" + strings.Repeat("x", 1000)
	var b strings.Builder
	list := diag.List{{Code: "X", Span: span("f", 1, 301, 4), Message: "m"}}
	if err := list.WriteText(&b, func(string) ([]byte, bool) { return []byte(line), true }); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	at := strings.Index(lines[2], "^^^^")
	before, _, found := strings.Cut(lines[1], "HERE")
	if columns := utf8.RuneCountInString(before) + strings.Count(before, "世"); !found || at != columns || len(lines[1]) > 200 {
		t.Error(b.String())
	}
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	if err := sample.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	want := `{
  "diagnostics": [
    {
      "code": "UnknownType",
      "severity": "error",
      "message": "100% unknown\ntype \"Unti\"",
      "help": "did you mean \"Unit\"?",
      "related": [
        {
          "message": "declaration of \"Unit\"",
          "file": "c.yaml",
          "line": 7,
          "column": 3,
          "length": 1
        }
      ],
      "file": "a,b.yaml",
      "line": 1,
      "column": 4,
      "length": 4
    }
  ],
  "more": 0
}
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

func TestGitHub(t *testing.T) {
	var b strings.Builder
	if err := sample.WriteGitHub(&b); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a%2Cb.yaml,line=1,col=4,endColumn=8::100%25 unknown%0Atype \"Unti\" [UnknownType]%0Adid you mean \"Unit\"?%0Adeclaration of \"Unit\" at c.yaml:7:3\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

func TestSorted(t *testing.T) {
	a := diag.Diagnostic{Code: "A", Span: span("f", 2, 1, 1), Message: "m"}
	b := diag.Diagnostic{Code: "B", Span: span("f", 1, 9, 1), Message: "m"}
	c := diag.Diagnostic{Code: "A", Span: span("e", 9, 9, 1), Message: "m"}
	if d := cmp.Diff(diag.List{c, b, a}, diag.List{a, b, a, c, b}.Sorted()); d != "" {
		t.Error(d)
	}
}

func TestClosest(t *testing.T) {
	known := []string{"Unit", "Units", "Report", "celsius", "string", "Union"}
	for name, want := range map[string][]string{
		"Unti":    {"Unit"},
		"Unitt":   {"Unit", "Units"},
		"celcius": {"celsius"},
		"celcuis": {"celsius"}, // one replaced, two swapped
		"cilcuis": nil,         // three edits
		"Strng":   {"string"},
		"unit":    {"Unit", "Units"},
		"x":       nil,
		"Unit":    {"Units"},
		"":        nil,
	} {
		if got := diag.Closest(name, known); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	many := diag.Closest("abcdef", []string{"abcdeg", "abcdeh", "abcdei", "abcdej"})
	if len(many) != 3 {
		t.Error(many)
	}
}

// TestCodes: codes.txt explains each code of codes.go once, and nothing else.
func TestCodes(t *testing.T) {
	seen := map[diag.Code]bool{}
	for _, info := range diag.Codes() {
		if seen[info.Code] || info.Title == "" || info.Explanation == "" || info.Example == "" {
			t.Errorf("%q", info)
		}
		seen[info.Code] = true
	}
	text, err := os.ReadFile("codes.go")
	declared := regexp.MustCompile(`Code = "(\w+)"`).FindAllSubmatch(text, -1)
	if err != nil || len(declared) != len(seen) {
		t.Errorf("%d codes, %d explanations, %v", len(declared), len(seen), err)
	}
	for _, m := range declared {
		if !seen[diag.Code(m[1])] {
			t.Errorf("codes.txt does not explain %s", m[1])
		}
	}
	if _, ok := diag.Lookup("UnknownType"); !ok {
		t.Error("UnknownType is not found")
	}
	if _, ok := diag.Lookup("Nope"); ok {
		t.Error("Nope is found")
	}
}

// TestMost prints lists of many: so many errors and so many warnings, wherever they stand, and a count of the rest.
func TestMost(t *testing.T) {
	var list diag.List
	add := func(n int, severity diag.Severity, message string) {
		for range n {
			at := diag.Span{Pos: diag.Pos{File: "main.rpc.yaml", Line: len(list) + 1, Col: 1}, Len: 1}
			list = append(list, diag.Diagnostic{Code: diag.UnknownKey, Severity: severity, Span: at, Message: message})
		}
	}
	add(2*diag.MostWarnings, diag.Warning, "first warning")
	add(2*diag.Most, diag.Error, "error")
	add(5, diag.Warning, "last warning")
	var text, jsonText, github strings.Builder
	list.WriteText(&text, nil)
	list.WriteJSON(&jsonText)
	list.WriteGitHub(&github)
	for _, printed := range []string{text.String(), jsonText.String(), github.String()} {
		for word, want := range map[string]int{"first warning": diag.MostWarnings, "error": diag.Most, "last warning": 0} {
			got := strings.Count(printed, word)
			if word == "error" {
				got = strings.Count(printed, ": error [") + strings.Count(printed, "::error [") + strings.Count(printed, `"message": "error"`)
			}
			if got != want {
				t.Errorf("%d times %q, not %d", got, word, want)
			}
		}
		if !strings.Contains(printed, "1025 more") && !strings.Contains(printed, `"more": 1025`) {
			t.Error("the rest is not counted")
		}
	}
}
