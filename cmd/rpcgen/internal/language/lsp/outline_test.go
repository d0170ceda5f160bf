package lsp

import (
	"fmt"
	"strings"
	"testing"
)

// TestOutline finds the cursor, which ^ stands for, in texts that are YAML and in texts that are not yet.
func TestOutline(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"^", " key"},
		{"rpc^gen: v1", " key rpcgen"},
		{"rpcgen: ^v1", "rpcgen value v1"},
		{"types:\n  A: {fields: {x: str^ing}}", "types A fields x value string"},
		{"types:\n  A: {fields: {x: string, y^}}", "types A fields key y"},
		{"types:\n  A: {fields: {x?: list<B^>}, d^}", "types A fields x? value B"},
		{"types:\n  A: {fields: {x: B},\n    des^", "types A key des"},
		{"types:\n  A:\n    enum: [a, ^b]", "types A enum [] value b"},
		{"types:\n  A:\n    ^", "types A key value"},
		{"types:\n  A:\n  ^", "types key value"},
		{"types:\n  A:\n    union:\n    - B\n    - C^", "types A union [] key value C"},
		{"types:\n  A:\n    union:\n      - type: B^", "types A union [] type value B"},
		{"types:\n  A:\n    description: |\n      text: {\n    fi^", "types A key value fi"},
		{"types:\n  A:\n    description: |\n      fi^", " fi"},
		{"types: # fi^", " fi"},
		{"types:\n  'A b':\n    fields:\n      \"x^\": B", "types A b fields key x"},
		{"methods:\n  a/b:\n    params: {x: {type: \"A^\"", "methods a/b params x type value A"},
		{"types:\n  A: {fields: {x: 'it''s, {', y: ^", "types A fields y value"},
		{"types:\n  A: string\n    b^", "types A value b"},
		{"a: ]}^", "a value"},
	} {
		at := strings.Index(test.text, "^")
		before := test.text[:at]
		line := strings.Count(before, "\n")
		d := newDocument("file:///a.rpc.yaml", 0, before+strings.Replace(test.text[at:], "^", "", 1))
		if got := d.cursor(line, len(before)-strings.LastIndex(before, "\n")-1).String(); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

func (c cursor) String() string {
	var words []string
	for _, s := range c.path {
		if s.item {
			s.key = "[]"
		}
		words = append(words, s.key)
	}
	text := strings.Join(words, " ")
	for name, is := range map[string]bool{" key": c.key && !c.value, " value": c.value && !c.key, " key value": c.key && c.value} {
		if is {
			text += name
		}
	}
	if c.word == "" {
		return text
	}
	return fmt.Sprintf("%s %s", text, c.word)
}

// FuzzOutline looks for a text in which a cursor cannot be found.
func FuzzOutline(f *testing.F) {
	f.Add("types:\n  A: {fields: {x?: list<B>}}\n", uint16(1), uint16(9))
	f.Add("- - a: ]}\n\"", uint16(1), uint16(1))
	f.Fuzz(func(t *testing.T, text string, line, at uint16) {
		d := newDocument("file:///a.rpc.yaml", 0, text)
		l := int(line) % len(d.lines)
		c := d.cursor(l, int(at)%(len(d.line(l))+1))
		if c.place() == nil {
			t.Error("a path leads to no place")
		}
	})
}
