package remote

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/notation"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// How much is listed of a tool: levels of objects within objects, and rows.
const (
	rowDepth = 3
	mostRows = 200
)

// rows lists the fields of an object. The members of one that does not fit on its line follow, with their paths.
func (s schema) rows() []notation.Row {
	l := &lister{inside: append(s.references(), "#")}
	for _, f := range s.fields() {
		l.field(part{field: f}, "", 0)
	}
	return l.rows
}

// lister lists fields.
type lister struct {
	rows   []notation.Row
	inside []string // references to the objects whose members are being listed
}

// field lists a field, and what it holds.
func (l *lister) field(f part, path string, depth int) {
	if len(l.rows) == mostRows {
		l.rows = append(l.rows, notation.Row{Name: "..."})
	}
	if len(l.rows) > mostRows {
		return
	}
	word, whole := f.schema.spelled()
	below, parts := f.schema.inside()
	references := f.schema.references()
	again := slices.ContainsFunc(references, func(ref string) bool { return slices.Contains(l.inside, ref) })
	spread := len(parts) > 0 && depth < rowDepth && !again && (!whole || says(parts, wordDepth))
	if spread {
		word = f.schema.briefly()
	}
	if len(f.tags) > 1 {
		word = notation.Values(plainLines(f.tags), "").String()
	}
	row := notation.Row{Name: text.Line(path + f.label()), Type: text.Line(word), Doc: text.Line(f.schema.about())}
	if len(f.tags) > 1 {
		row.Doc = "" // it is about one of them
	}
	for _, limit := range f.schema.limits() {
		row.Limits = append(row.Limits, text.Line(limit))
	}
	if f.note != "" {
		row.Limits = append(row.Limits, text.Line(f.note))
	}
	if p := f.schema.json("default"); p != "" {
		row.Default = text.Line(clip(plain(p)))
	}
	l.rows = append(l.rows, row)
	if !spread {
		return
	}
	outer := l.inside
	l.inside = slices.Concat(l.inside, references)
	for _, p := range parts {
		l.field(p, path+f.name+below, depth+1)
	}
	l.inside = outer
}

// references returns what a schema refers to.
func (s schema) references() (all []string) {
	for _, p := range s.parts {
		if ref, ok := p.Get("$ref"); ok {
			all = append(all, ref.Text)
		}
	}
	return all
}

// part is a field of an object within another one.
type part struct {
	field
	note string   // which branch of a union it belongs to; empty if there is one only
	tags []string // the constants, as JSON, that it is in the branches of a union
}

// inside returns the fields of the objects that a schema is about, and what leads to them from its name.
func (s schema) inside() (path string, all []part) {
	if s.has("array") {
		path, all = s.in("items").inside()
		return "[]" + path, all
	}
	if p := s.in("additionalProperties"); len(s.fields()) == 0 && len(p.parts) > 0 {
		path, all = p.inside()
		return ".*" + path, all
	}
	objects := s.objects()
	if len(objects) == 0 {
		for _, f := range s.fields() {
			all = append(all, part{field: f})
		}
		return ".", all
	}
	seen := map[string]int{}
	for _, object := range objects {
		fields := object.fields()
		for _, f := range fields {
			isTag := len(f.schema.choices()) == 1
			key := f.name + " " + f.schema.word()
			if isTag {
				key = f.name
			}
			if at, twice := seen[key]; twice {
				all[at].note, all[at].required = "", all[at].required && f.required
				all[at].tags = append(all[at].tags, f.schema.choices()...)
				continue
			}
			seen[key] = len(all)
			one := part{field: f, note: tags(fields, f.name)}
			if isTag {
				one.tags, one.note = f.schema.choices(), ""
			}
			all = append(all, one)
		}
	}
	return ".", all
}

// tags says what the constants of an object are that tell it from others.
func tags(fields []field, but string) string {
	var all []string
	for _, f := range fields {
		if choices := f.schema.choices(); len(choices) == 1 && f.name != but {
			all = append(all, f.name+"="+plain(choices[0]))
		}
	}
	if all == nil {
		return ""
	}
	return "with " + strings.Join(all, " ")
}

// says reports whether anything is said of fields but their types.
func says(parts []part, depth int) bool {
	for _, p := range parts {
		if p.schema.about() != "" || p.schema.limits() != nil || p.schema.json("default") != "" {
			return true
		}
		if _, inner := p.schema.inside(); depth > 0 && says(inner, depth-1) {
			return true
		}
	}
	return false
}

// about returns the first line of a description, or else the title.
func (s schema) about() string {
	said, _, _ := strings.Cut(strings.TrimSpace(s.text("description")), "\n")
	if said == "" {
		return strings.TrimSpace(s.text("title"))
	}
	return said
}

// purpose says what a value is for, and what it has to keep.
func purpose(s schema) string {
	said, _, _ := strings.Cut(strings.TrimSpace(s.text("description")), "\n")
	if limits := s.limits(); limits != nil {
		said = strings.TrimSpace(said + " (" + strings.Join(limits, ", ") + ")")
	}
	return said
}

// clip shortens what would take a column of its own.
func clip(s string) string {
	const most = 30 // characters
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}
