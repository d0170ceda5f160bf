package remote

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/notation"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// How deep types are spelled out on a line, and how long that may be, in bytes.
const (
	wordDepth = 3
	wordSize  = 60
)

// word returns the type in the notation of the schema language; of one that takes too long, what tells it from others.
func (s schema) word() string {
	word, _ := s.spell()
	return word
}

// spell is word. It reports whether the type is spelled out.
func (s schema) spell() (word string, whole bool) {
	w := &writer{}
	if word := w.line(s, wordDepth).String(); !w.cut && len(word) <= wordSize {
		return word, true
	}
	return s.briefly(), false
}

// briefly returns the type on a short line.
func (s schema) briefly() string { return (&writer{}).line(s, 0).String() }

// writer writes types.
type writer struct {
	cut  bool // something was left out
	size int  // names and types that were written
}

// full reports whether enough was written to know that it does not fit on a line.
func (w *writer) full() bool {
	w.size++
	w.cut = w.cut || w.size > wordSize
	return w.cut && w.size > wordSize
}

// line writes a type, with objects spelled out to a depth.
func (w *writer) line(s schema, depth int) notation.Line {
	if w.full() {
		return notation.Text("...")
	}
	if choices := s.choices(); choices != nil {
		return notation.Values(plainLines(choices), "")
	}
	if listed, other, open := s.words(); open {
		return notation.Values(plainLines(listed), other)
	}
	kinds := s.types()
	if kinds == nil && s.hasFields() {
		kinds = []string{"object"}
	}
	if branches := s.branches(); branches != nil && len(kinds) < 2 {
		return w.union(branches, depth)
	}
	all := ir.Each(kinds, func(kind string) notation.Line { return w.kind(s, kind, depth) })
	if all == nil {
		return notation.Text("any")
	}
	return notation.Either(all)
}

// union writes the branches of a union. Of objects that are not spelled out it writes what tells them apart.
func (w *writer) union(branches []schema, depth int) notation.Line {
	var all []notation.Line
	size := 0
	for _, b := range branches {
		var one notation.Line
		if fields := b.fields(); depth <= 0 && len(fields) > 0 {
			w.cut = true
			one = brief(fields)
		} else {
			one = w.line(b, depth)
		}
		if size += len(one.String()); size > wordSize && all != nil {
			w.cut = true
			all = append(all, notation.Text("..."))
			break
		}
		all = append(all, one)
	}
	return notation.Either(all)
}

// brief writes the constants of an object, or else the names of what it must have.
func brief(fields []field) notation.Line {
	var tags, needed []notation.Part
	for _, f := range fields {
		if choices := f.schema.choices(); len(choices) == 1 {
			tags = append(tags, notation.Part{Name: f.name, Type: notation.Text(plain(choices[0]))})
		}
		if f.required {
			needed = append(needed, notation.Part{Name: f.name, Type: notation.Text("...")})
		}
	}
	if tags == nil {
		tags = needed
	}
	return notation.Object(tags, len(tags) < len(fields))
}

// kind writes one of the types that a schema allows.
func (w *writer) kind(s schema, kind string, depth int) notation.Line {
	switch kind {
	case "array":
		if depth < 0 {
			w.cut = true
			return notation.Text("list")
		}
		return notation.List(w.line(s.in("items"), depth-1))
	case "object":
		return w.object(s, depth)
	case "string":
		return notation.Text(stringWord(s))
	case "integer":
		return notation.Text(cmp.Or(integers[s.span()], kind))
	}
	return notation.Text(kind)
}

func (w *writer) object(s schema, depth int) notation.Line {
	fields := s.fields()
	switch {
	case len(fields) == 0 && s.get("additionalProperties").Kind == ir.Object && depth >= 0:
		return notation.Map(w.line(s.in("additionalProperties"), depth-1))
	case len(fields) == 0:
		return notation.Text("object")
	case depth <= 0:
		w.cut = true
		return notation.Text("object")
	}
	var parts []notation.Part
	for _, f := range fields {
		if w.full() {
			break
		}
		parts = append(parts, notation.Part{Name: f.name, Optional: !f.required, Type: w.line(f.schema, depth-1)})
	}
	return notation.Object(parts, len(parts) < len(fields))
}

// stringWord returns the built-in type of a format, or string with the format.
func stringWord(s schema) string {
	format := s.text("format")
	switch builtin := ir.TypeOfFormat(format); {
	case builtin != "":
		return builtin
	case s.text("contentEncoding") == "base64":
		return "bytes"
	case format != "":
		return "string(" + format + ")"
	}
	return "string"
}

// integers are the limits of the integers of the language.
var integers = map[notation.Range]string{
	{Min: "-2147483648", Max: "2147483647"}:                   "int32",
	{Min: "0", Max: "4294967295"}:                             "uint32",
	{Min: "0", Max: "18446744073709551615"}:                   "uint64",
	{Min: "-9223372036854775808", Max: "9223372036854775807"}: "integer",
}

// span returns the limits of a number.
func (s schema) span() notation.Range {
	r := notation.Range{Min: s.json("minimum"), Max: s.json("maximum")}
	if p := s.get("exclusiveMinimum"); p.Kind == ir.Number || p.Kind == ir.Integer {
		r.Min, r.ExclusiveMin = p.Text, true
	}
	if p := s.get("exclusiveMaximum"); p.Kind == ir.Number || p.Kind == ir.Integer {
		r.Max, r.ExclusiveMax = p.Text, true
	}
	return r
}

func plainLines(choices []string) []notation.Line {
	return ir.Each(choices, func(c string) notation.Line { return notation.Text(plain(c)) })
}

// plain is JSON for people: strings that could be nothing else stand without quotes.
func plain(text string) string {
	s, ok := wire.PeekAt([]byte(text)).Text()
	if !ok || s == "" || strings.ContainsAny(s, " \t\n|,\"") || wire.Check([]byte(s), wire.MaxDepth) == nil {
		return text
	}
	return s
}

// limits says in words what else a value has to keep.
func (s schema) limits() []string {
	var all []string
	if r := s.span(); integers[r] == "" && r != (notation.Range{}) {
		all = append(all, r.String())
	}
	if p := s.json("multipleOf"); p != "" {
		all = append(all, notation.MultipleOf(p))
	}
	if p := s.json("pattern"); p != "" {
		all = append(all, notation.Matches(plain(p)).String())
	}
	for _, l := range [...]struct{ min, max, part string }{
		{"minLength", "maxLength", "character"}, {"minItems", "maxItems", "item"}, {"minProperties", "maxProperties", "member"},
	} {
		low, high := s.json(l.min), s.json(l.max)
		if low+high != "" {
			all = append(all, notation.Count(count(low, 0), count(high, -1), l.part))
		}
	}
	if s.json("uniqueItems") == "true" {
		all = append(all, notation.Unique)
	}
	return all
}

// count returns a number of parts.
func count(text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return otherwise
	}
	return n
}

// How much is listed of a tool: levels of objects within objects, and rows.
const (
	rowDepth    = 3
	mostRows    = 200
	mostDefault = 30 // characters of a default
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
	word, whole := f.schema.spell()
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
	row := notation.Row{Name: text.Line(path + notation.Label(f.name, !f.required)), Type: text.Line(word), Doc: text.Line(f.schema.about())}
	if len(f.tags) > 1 {
		row.Doc = "" // it is about one of them
	}
	row.Limits = ir.Each(f.schema.limits(), text.Line)
	if f.note != "" {
		row.Limits = append(row.Limits, text.Line(f.note))
	}
	if p := f.schema.json("default"); p != "" {
		row.Default = plain(p)
		if len([]rune(row.Default)) > mostDefault {
			row.Default = text.Clip(row.Default, mostDefault-3)
		}
		row.Default = text.Line(row.Default)
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
		return ".", ir.Each(s.fields(), func(f field) part { return part{field: f} })
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
