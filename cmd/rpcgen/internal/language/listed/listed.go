// Package listed publishes the entries of a tools/list word for word: those of a server that a schema was imported from, as long as they mean what
// the schema says.
//
//test:sequential
//test:by ./cmd/rpcgen/internal/language/lsp TestListed
//test:by ./cmd/rpcgen/internal/workshop/mock TestLists
//test:by ./cmd/rpcgen/command TestScripts/^import_mcp$
package listed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/subschema"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/templates"
)

// lists are the lists of a server, in the order in which a file has them.
var lists = []string{"tools", "resources", "resourceTemplates", "prompts"}

// Entry is an entry of a list.
type Entry struct {
	List string // tools, resources, resourceTemplates or prompts
	Name string
	Text string // JSON without space between its parts
}

// Parse reads entries as Read does. Each needs a name that no other entry of its list has.
func Parse(text []byte) ([]Entry, error) {
	entries, err := Read(text)
	if err != nil {
		return nil, err
	}
	type key struct{ list, name string }
	seen, count := make(map[key]bool), make(map[string]int)
	for _, e := range entries {
		switch k := (key{e.List, e.Name}); {
		case e.Name == "":
			return nil, fmt.Errorf("the entry /%s/%d has no name", e.List, count[e.List])
		case seen[k]:
			return nil, fmt.Errorf("the entry /%s/%d has the name %q, as one before it", e.List, count[e.List], e.Name)
		default:
			seen[k] = true
		}
		count[e.List]++
	}
	return entries, nil
}

// Read reads {"tools": [...], "resources": [...], "resourceTemplates": [...], "prompts": [...]}, a response with such a result, or a list of tools
// alone. The name of an entry that has none is empty.
func Read(text []byte) ([]Entry, error) {
	if _, err := ir.ParseJSON(text); err != nil { // which is strict
		return nil, err
	}
	var all map[string]json.RawMessage
	if trimmed := bytes.TrimSpace(text); trimmed[0] == '[' {
		all = map[string]json.RawMessage{"tools": text}
	} else if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	if result := all["result"]; result != nil {
		all = nil
		if err := json.Unmarshal(result, &all); err != nil {
			return nil, fmt.Errorf("/result: %w", err)
		}
	}
	if all["tools"] == nil {
		return nil, errors.New("it has no list of tools")
	}
	var entries []Entry
	for _, list := range lists {
		more, err := read(list, all[list])
		if err != nil {
			return nil, err
		}
		entries = append(entries, more...)
	}
	return entries, nil
}

func read(list string, text json.RawMessage) ([]Entry, error) {
	if text == nil {
		return nil, nil
	}
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("/%s: %w", list, err)
	}
	entries := make([]Entry, 0, len(all))
	for i, one := range all {
		var named struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(one, &named); err != nil {
			return nil, fmt.Errorf("the entry /%s/%d has no name: %w", list, i, err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, one); err != nil {
			return nil, err
		}
		entries = append(entries, Entry{list, named.Name, compact.String()})
	}
	return entries, nil
}

// Format writes entries as a file, one on each line.
func Format(entries []Entry) []byte {
	b := []byte("{")
	for i, list := range lists {
		of := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.List != list })
		if len(of) == 0 && i > 0 {
			continue // there is always a list of tools
		}
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = append(b, `"`+list+`":[`...)
		for i, e := range of {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, '\n'), e.Text...)
		}
		b = append(b, "\n]"...)
	}
	return append(b, "}\n"...)
}

// Meaning compares entries with the declarations of schemas.
type Meaning struct {
	entries   []Entry
	published templates.Entries // what is published of what is imported from the entries
}

// Import makes a schema of the entries that a file holds.
type Import func(file string, content []byte) ([]byte, error)

// Understand imports entries. The error is that of the import.
func Understand(file string, entries []Entry, imports Import) (*Meaning, error) {
	if len(entries) == 0 {
		return &Meaning{}, nil
	}
	imported, err := imports(file, Format(entries))
	if err != nil {
		return nil, err
	}
	loader := schema.Loader{Read: func(string) ([]byte, error) { return imported, nil }}
	doc, faults := loader.Load("listed.rpc.yaml")
	if doc == nil {
		return nil, fmt.Errorf("%s: what is imported of it is not a schema: %v", file, faults)
	}
	return &Meaning{entries, templates.Published(doc)}, nil
}

// Difference is an entry that does not mean what the schema says.
type Difference struct {
	Entry
	Pos    diag.Pos // of the declaration; not valid if the schema does not have it
	Member string   // the first member of the entry that differs
}

// place is a declaration that an entry is about.
type place struct {
	pos    diag.Pos
	listed *string
}

// placeOf returns where the declaration of an entry stands, and where its text is set.
func placeOf(doc *ir.Document, e Entry) (place, bool) {
	switch e.List {
	case "tools":
		if t := ir.First(doc.Tools, func(t *ir.Tool) bool { return t.Name == e.Name }); t != nil {
			return place{t.Pos, &t.Listed}, true
		}
	case "prompts":
		if p := ir.First(doc.Prompts, func(p *ir.Prompt) bool { return p.Name == e.Name }); p != nil {
			return place{p.Pos, &p.Listed}, true
		}
	default:
		is := func(r *ir.Resource) bool {
			return r.Name == e.Name && (r.Template != nil) == (e.List == "resourceTemplates")
		}
		if r := ir.First(doc.Resources, is); r != nil {
			return place{r.Pos, &r.Listed}, true
		}
	}
	return place{}, false
}

// Has reports whether a schema declares what an entry is about.
func Has(doc *ir.Document, e Entry) bool {
	_, ok := placeOf(doc, e)
	return ok
}

func of(all templates.Entries, e Entry) string {
	switch e.List {
	case "tools":
		return all.Tools[e.Name]
	case "prompts":
		return all.Prompts[e.Name]
	}
	return all.Resources[e.Name]
}

// Apply has the declarations of a schema published as they are listed, and returns the entries that mean something else.
func (m *Meaning) Apply(doc *ir.Document) []Difference {
	var all []Difference
	if len(m.entries) == 0 {
		return nil
	}
	published := templates.Published(doc)
	for _, e := range m.entries {
		at, ok := placeOf(doc, e)
		if !ok {
			all = append(all, Difference{Entry: e})
		} else if member := differs(of(m.published, e), of(published, e)); member != "" {
			all = append(all, Difference{e, at.pos, member})
		} else {
			*at.listed = e.Text
		}
	}
	return all
}

// differs names the first member in which two entries do not mean the same; it is empty if there is none.
func differs(was, is string) string {
	if was == is {
		return ""
	}
	old, oldErr := ir.ParseJSON([]byte(was))
	now, nowErr := ir.ParseJSON([]byte(is))
	if oldErr != nil || nowErr != nil {
		return "meaning" // it cannot be imported
	}
	for _, pair := range [][2]ir.Value{{old, now}, {now, old}} {
		for _, m := range pair[0].Fields {
			other, ok := pair[1].Get(m.Name)
			switch {
			case ok && m.Value.String() == other.String():
			case ok && (m.Name == "inputSchema" || m.Name == "outputSchema") && slices.Equal(remarks(m.Value), remarks(other)) &&
				subschema.Within(m.Value, other) && subschema.Within(other, m.Value):
			default:
				return m.Name
			}
		}
	}
	return ""
}

// remarks are what a schema tells models without a rule, such as descriptions, each once and in order: two schemas that take the same values may
// have types in different places.
func remarks(schema ir.Value) []string {
	var all []string
	jsonschema.Walk(schema, func(p *jsonschema.Place) bool {
		for _, m := range p.Value.Fields {
			if slices.Contains([]string{"title", "description", "default", "examples", "deprecated"}, m.Name) || strings.HasPrefix(m.Name, "x-") {
				all = append(all, m.Name+" "+m.Value.String())
			}
		}
		return true
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// Check reads the file that a schema names, and has its declarations published as they are listed. An entry that means something else is an error.
func Check(doc *ir.Document, read func(name string) ([]byte, error), imports Import) diag.List {
	if doc.Server == nil || doc.Server.Listed == nil {
		return nil
	}
	l := doc.Server.Listed
	file := path.Join(path.Dir(doc.File), l.File)
	fail := func(code diag.Code, help, format string, args ...any) diag.List {
		return diag.List{{Code: code, Span: l.Span, Message: fmt.Sprintf(format, args...), Help: help}}
	}
	content, err := read(file)
	if err != nil {
		return fail(diag.FileUnreadable, "import the server again with --exact, or remove listed", "%s cannot be read: %v", text.Line(file), err)
	}
	entries, err := Parse(content)
	if err != nil {
		return fail(diag.ListedDiffers, "it has the entries of lists of a server, as import --exact writes them", "%s is not a list of tools: %v",
			text.Line(file), err)
	}
	if len(entries) == 0 && bytes.HasPrefix(bytes.TrimSpace(content), []byte("[")) { // what fmt --drop-listed leaves is an object
		return fail(diag.ListedDiffers, "import the server again with --exact, or remove listed and the file",
			"%s is empty, so nothing is published word for word", text.Line(file))
	}
	meaning, err := Understand(file, entries, imports)
	if err != nil {
		return fail(diag.ListedDiffers, "", "%v", err)
	}
	var all diag.List
	for _, d := range meaning.Apply(doc) {
		drop := fmt.Sprintf("drop the listed text: rpcgen fmt --drop-listed %s %s", d.Name, doc.File)
		if !d.Pos.Valid() {
			all = append(all, fail(diag.ListedDiffers, drop, "%s lists %s, which the schema does not declare", l.File, text.Line(d.Name))...)
			continue
		}
		all = append(all, diag.Diagnostic{Code: diag.ListedDiffers, Span: diag.Span{Pos: d.Pos, Len: len(d.Name)}, Help: drop,
			Message: fmt.Sprintf("%s has another %s for %s than the one that is declared here", l.File, d.Member, d.Name)})
	}
	return all
}
