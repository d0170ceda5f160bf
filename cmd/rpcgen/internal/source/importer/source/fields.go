package source

import (
	"cmp"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Use is what an import makes of a field.
type Use string

// The uses of fields. A table gives every other word a meaning of its own, which is one of Used.
const (
	Used     Use = "used"
	Reported Use = "report" // the report lists it as ignored
	Silent   Use = "none"   // it means nothing to an import, for the reason that the table gives
	Kept     Use = "keep"   // under x- and its name
)

// Field is a line of a table: a field of an object of a format.
type Field struct {
	Use    Use
	Object string // that the value is, or lists; empty for none
	Number string // by which the format knows it, if not by its name
	Map    bool   // the value has such objects by name
}

// Fields is the table of a format: what an import makes of the fields of its objects. In the text, a line that is not indented names an object, or several; one
// that is has a use and fields: NAME, NAME>OBJECT for one or a list of them, NAME{}OBJECT for a map, each with =NUMBER after it, and then a reason after a
// colon. The field * stands for all that have no line. A line that begins with # is a comment.
type Fields map[string]map[string]Field

// ReadFields returns a function that reads the text of a table, which is a part of the program, when it is first needed.
func ReadFields(text string) func() Fields {
	return sync.OnceValue(func() Fields {
		all := Fields{}
		var objects []string
		for line := range strings.Lines(text) {
			line, _, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
			words := strings.Fields(line)
			switch {
			case len(words) == 0 || words[0][0] == '#':
			case line[0] != '\t':
				objects = words
				for _, object := range objects {
					all[object] = map[string]Field{}
				}
			default:
				for _, word := range words[1:] {
					name, number, _ := strings.Cut(word, "=")
					name, object, _ := strings.Cut(name, ">")
					name, of, isMap := strings.Cut(name, "{}")
					for _, in := range objects {
						all[in][name] = Field{Use(words[0]), object + of, number, isMap}
					}
				}
			}
		}
		return all
	})
}

// Of is what becomes of a field of an object. One that the table does not have is reported, unless it is an extension.
func (t Fields) Of(object, name string) Field {
	f, ok := t[object][name]
	if others := t[object]["*"]; !ok && (others.Use == Reported || !strings.HasPrefix(name, "x-")) {
		f = others
		f.Use = cmp.Or(f.Use, Reported)
	}
	return f
}

// Place is an object of a source.
type Place struct {
	Part
	Object string // what it is called in the table
}

// VisitUnused visits the fields that are reported of some objects, and of what they hold and follow leads to, each once.
func (t Fields) VisitUnused(follow func(Part) Part, visit func(Part), todo ...Place) {
	for seen := map[[3]string]bool{}; len(todo) > 0; todo = todo[1:] {
		p := todo[0]
		if follow != nil {
			p.Part = follow(p.Part)
		}
		id := [3]string{p.Object, p.File(), p.Pointer}
		if p.Kind != ir.Object || seen[id] {
			continue
		}
		seen[id] = true
		for _, m := range p.Members() {
			f := t.Of(p.Object, m.Name)
			if f.Use == Reported {
				visit(p.Of(m.Cursor))
			} else if f.Object != "" {
				for _, inner := range f.objects(m.Cursor) {
					todo = append(todo, Place{p.Of(inner), f.Object})
				}
			}
		}
	}
}

// objects are the objects that a field holds.
func (f Field) objects(at Cursor) []Cursor {
	switch {
	case f.Map:
		return ir.Each(at.Members(), func(m Member) Cursor { return m.Cursor })
	case at.Kind == ir.Array:
		return at.Elements()
	}
	return []Cursor{at}
}
