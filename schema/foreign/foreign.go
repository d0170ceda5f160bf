// Package foreign knows the words of other languages - Go, TypeScript, Python, JSON Schema, OpenAPI, MCP - for what the schema language calls
// otherwise, so that a diagnostic can say what to write instead. [Words] is the one table of them.
//
//test:sequential
//test:by ./schema
package foreign

import (
	_ "embed"
	"strings"
	"sync"
)

// Places of words. The others are those of the grammar, as diagnostics call them, such as "a tool".
const (
	OfType   = "a type"     // the name of a type
	InSchema = "a schema"   // a key next to type
	OfField  = "a field"    // a key of a field under fields, params and the like
	OfMember = "a property" // a key of a field under properties
	OfOutput = "an output"  // the type of the output of a tool
)

// Word says what to write in place of words of other languages.
type Word struct {
	Place string
	Words string // separated by blanks; case does not count
	Write string // what to write; of a type, an expression or a mapping. Names in braces stand for what was written, see [Written]
	Note  string // what follows Write, or what to do if there is nothing to write
	Else  string // in place of the two when a name in braces stands for nothing
}

// Written is what an author wrote at the place of a word.
type Written struct {
	Word  string // {word}
	Value string // {value}: the value of the key; "true" and "false" select the entry of that suffix, such as optional=false
	Type  string // {type}: the type that the key stands next to
	Field string // {field}: the name of the field
	// {least} and {most}: the keys for the limits of the type, minimum and maximum unless it is said otherwise.
	Least, Most string
}

//go:embed words.txt
var words string

// Words is the table.
var Words = sync.OnceValue(func() (all []Word) {
	place := ""
	for line := range strings.Lines(words) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			place = strings.TrimSuffix(name, "]")
		} else if line != "" && line[0] != '#' {
			w := Word{Place: place}
			line, w.Else, _ = strings.Cut(line, " ?? ")
			line, w.Note, _ = strings.Cut(line, " ++ ")
			w.Words, w.Write, _ = strings.Cut(line, " -> ")
			if w.Write != "" && w.Note != "" && strings.Trim(w.Note[:1], ",:") != "" {
				w.Note = " " + w.Note
			}
			all = append(all, w)
		}
	}
	return all
})

type place struct{ place, word string }

var index = sync.OnceValue(func() map[place]*Word {
	all := make(map[place]*Word)
	for _, w := range Words() {
		for word := range strings.FieldsSeq(w.Words) {
			all[place{w.Place, strings.ToLower(word)}] = &w
		}
	}
	return all
})

// lookup returns what is known of a word, for its value if there is an entry for that.
func lookup(at string, written Written) *Word {
	word := strings.ToLower(written.Word)
	if w := index()[place{at, word + "=" + written.Value}]; w != nil {
		return w
	}
	return index()[place{at, word}]
}

// Advice says what to write instead of a word at a place; empty if the table does not have it.
func Advice(at string, written Written) string {
	w := lookup(at, written)
	if w == nil {
		return ""
	}
	if w.Write == "" {
		return w.Note
	}
	text, complete := written.fill("write " + w.Write + w.Note)
	if !complete {
		return w.Else
	}
	return text
}

// fill replaces the names in braces. It reports false if one of them stands for nothing.
func (w Written) fill(text string) (filled string, complete bool) {
	complete = true
	for _, name := range [...]struct{ name, value string }{
		{"{word}", w.Word}, {"{value}", w.Value}, {"{type}", w.Type}, {"{field}", w.Field}, {"{least}", or(w.Least, "minimum")}, {"{most}", or(w.Most, "maximum")},
	} {
		if strings.Contains(text, name.name) {
			complete = complete && name.value != ""
			text = strings.ReplaceAll(text, name.name, name.value)
		}
	}
	return text, complete
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
