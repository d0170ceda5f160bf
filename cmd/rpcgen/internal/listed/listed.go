// Package listed publishes the entries of a tools/list word for word: those of a server that a schema was imported from, as long as they mean what
// the schema says.
//
//test:sequential
package listed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/subschema"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/templates"
)

// Entry is an entry of a list.
type Entry struct {
	Name string
	Text string // JSON without space between its parts
}

// Parse reads {"tools": [...]}, a result of tools/list or a response with one, or a list of tools alone.
func Parse(text []byte) ([]Entry, error) {
	if _, err := ir.ParseJSON(text); err != nil { // which is strict
		return nil, err
	}
	var all []json.RawMessage
	if trimmed := bytes.TrimSpace(text); trimmed[0] == '[' {
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, err
		}
	} else {
		var list struct {
			Tools  []json.RawMessage `json:"tools"`
			Result *struct {
				Tools []json.RawMessage `json:"tools"`
			} `json:"result"`
		}
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, err
		}
		if all = list.Tools; list.Result != nil {
			all = list.Result.Tools
		}
		if all == nil {
			return nil, errors.New("it has no list of tools")
		}
	}
	entries := make([]Entry, 0, len(all))
	for i, one := range all {
		var named struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(one, &named); err != nil || named.Name == "" {
			return nil, fmt.Errorf("the entry /tools/%d has no name", i)
		}
		if slices.ContainsFunc(entries, func(e Entry) bool { return e.Name == named.Name }) {
			return nil, fmt.Errorf("the entry /tools/%d has the name %q, as one before it", i, named.Name)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, one); err != nil {
			return nil, err
		}
		entries = append(entries, Entry{named.Name, compact.String()})
	}
	return entries, nil
}

// Format writes entries as a file, one on each line.
func Format(entries []Entry) []byte {
	b := []byte(`{"tools":[`)
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, '\n'), e.Text...)
	}
	return append(b, "\n]}\n"...)
}

// Meaning compares entries with the tools of schemas.
type Meaning struct {
	entries   []Entry
	published map[string]string // what is published of a tool that is imported from the entry
}

// Understand imports entries. The error is [importer.Faults].
func Understand(file string, entries []Entry) (*Meaning, error) {
	m := &Meaning{entries, map[string]string{}}
	if len(entries) == 0 {
		return m, nil
	}
	result, err := importer.Import(importer.Source{Name: file, Text: Format(entries)}, importer.Options{})
	if err != nil {
		return nil, err
	}
	loader := schema.Loader{Read: func(string) ([]byte, error) { return result.Text, nil }}
	doc, faults := loader.Load("listed.rpc.yaml")
	if doc == nil {
		return nil, fmt.Errorf("%s: what is imported of it is not a schema: %v", file, faults)
	}
	m.published = templates.Published(doc)
	return m, nil
}

// Difference is an entry that does not mean what the schema says.
type Difference struct {
	Name   string
	Tool   *ir.Tool // nil if the schema does not declare it
	Member string   // the first member of the entry that differs
}

// Apply has the tools of a schema published as they are listed, and returns the entries that mean something else.
func (m *Meaning) Apply(doc *ir.Document) []Difference {
	var all []Difference
	published := templates.Published(doc)
	for _, e := range m.entries {
		at := slices.IndexFunc(doc.Tools, func(t *ir.Tool) bool { return t.Name == e.Name })
		if at < 0 {
			all = append(all, Difference{Name: e.Name})
			continue
		}
		t := doc.Tools[at]
		if member := differs(m.published[e.Name], published[e.Name]); member != "" {
			all = append(all, Difference{e.Name, t, member})
			continue
		}
		t.Listed = e.Text
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
			other, ok := memberOf(pair[1], m.Name)
			switch {
			case ok && m.Value.String() == other.String():
			case ok && (m.Name == "inputSchema" || m.Name == "outputSchema") && subschema.Within(m.Value, other) && subschema.Within(other, m.Value):
			default:
				return m.Name
			}
		}
	}
	return ""
}

func memberOf(v ir.Value, name string) (ir.Value, bool) {
	for _, m := range v.Fields {
		if m.Name == name {
			return m.Value, true
		}
	}
	return ir.Value{}, false
}

// Check reads the file that a schema names, and has its tools published as they are listed. An entry that means something else is an error.
func Check(doc *ir.Document, read func(name string) ([]byte, error)) diag.List {
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
		return fail(diag.ListedDiffers, "it has the entries of a tools/list, as import --exact writes them", "%s is not a list of tools: %v", text.Line(file), err)
	}
	meaning, err := Understand(file, entries)
	if err != nil {
		return fail(diag.ListedDiffers, "", "%v", err)
	}
	var all diag.List
	for _, d := range meaning.Apply(doc) {
		drop := fmt.Sprintf("drop the listed text: rpcgen fmt --drop-listed %s %s", d.Name, doc.File)
		if d.Tool == nil {
			all = append(all, fail(diag.ListedDiffers, drop, "%s lists %s, which the schema does not declare", l.File, text.Line(d.Name))...)
			continue
		}
		all = append(all, diag.Diagnostic{Code: diag.ListedDiffers, Span: diag.Span{Pos: d.Tool.Pos, Len: len(d.Name)}, Help: drop,
			Message: fmt.Sprintf("%s has another %s for %s than the one that is declared here", l.File, d.Member, d.Name)})
	}
	return all
}
