// Package notation writes types on one line as the schema language has them. It is the one printer of types for readers: of the reference that
// `rpcgen export` writes, `rpcgen explain`, `rpcgen tools` and `rpcgen call`. Those who read a model and those who read JSON Schemas of others
// bring the parts of a type; this package says how they are written.
//
//test:sequential
//test:by ./cmd/rpcgen/internal/language/docs
//test:by ./cmd/internal/remote
package notation

import (
	"slices"
	"strings"
)

// Word is a part of a line. Links lead to what the caller links to.
type Word struct {
	Text string
	Link string
	Code bool
}

// Line is a line of text.
type Line []Word

// Text is a line without links and code.
func Text(text string) Line { return Line{{Text: text}} }

// Code is a line of code.
func Code(text string) Line { return Line{{Text: text, Code: true}} }

// String returns the line without its links and marks.
func (l Line) String() string {
	var b strings.Builder
	for _, w := range l {
		b.WriteString(w.Text)
	}
	return b.String()
}

// List is a list of elements of a type.
func List(elem Line) Line { return slices.Concat(Text("list<"), elem, Text(">")) }

// Map is an object with free keys and values of a type.
func Map(elem Line) Line { return slices.Concat(Text("map<"), elem, Text(">")) }

// Null is a type or null.
func Null(t Line) Line { return slices.Concat(t, Text(" | null")) }

// Either is a choice of types, each once.
func Either(types []Line) Line {
	var all Line
	seen := map[string]bool{}
	for _, t := range types {
		if seen[t.String()] {
			continue
		}
		seen[t.String()] = true
		if all != nil {
			all = append(all, Word{Text: " | "})
		}
		all = append(all, t...)
	}
	return all
}

// Values is a choice of values, and of any other one of a type if other is not empty.
func Values(values []Line, other string) Line {
	if other != "" {
		values = append(slices.Clone(values), Text(other))
	}
	return Either(values)
}

// Part is a field of an object or an element of a tuple.
type Part struct {
	Name     string
	Optional bool
	Type     Line
}

// Label is the name of a field: with a question mark when it may be absent.
func Label(name string, optional bool) string {
	if optional {
		return name + "?"
	}
	return name
}

// Tuple is an array with a type for each position, and for further elements if rest is not nil.
func Tuple(items []Part, rest Line) Line {
	all := Text("[")
	for i, item := range items {
		if i > 0 {
			all = append(all, Word{Text: ", "})
		}
		if all = append(all, item.Type...); item.Optional {
			all = append(all, Word{Text: "?"})
		}
	}
	if rest != nil {
		all = append(append(all, Word{Text: ", ..."}), rest...)
	}
	return append(all, Word{Text: "]"})
}

// Object is an object with fields, and others that are not written if more is set.
func Object(fields []Part, more bool) Line {
	all := Text("{")
	for i, f := range fields {
		if i > 0 {
			all = append(all, Word{Text: ", "})
		}
		all = append(append(all, Word{Text: Label(f.Name, f.Optional) + ": "}), f.Type...)
	}
	switch {
	case more && len(fields) > 0:
		all = append(all, Word{Text: ", ..."})
	case more:
		all = append(all, Word{Text: "..."})
	}
	return append(all, Word{Text: "}"})
}
