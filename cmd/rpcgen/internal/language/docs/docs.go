// Package docs writes the checked model as a reference for people: as Markdown, or as one HTML page.
//
// Both are written from one view of the model, so that they say the same in the same order. What the author wrote is text:
// nothing of it becomes markup, but for paragraphs, lists of lines that begin with a dash, and code between backticks.
//
// Anchors follow from names alone and stay as they are when other things are added: method-weather/current, type-Report,
// error-CityNotFound, tool-search_items, resource-item, prompt-review, and for types of other files type-common.Item.
//
//test:sequential
package docs

import (
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/notation"
)

// page is the view of a document: what a reader is shown, decided and in words.
type page struct {
	Title    string
	Doc      []block
	Facts    []fact
	Sections []section
}

// section is a list of entries of one kind.
type section struct {
	Name    string
	Anchor  string
	Entries []entry
}

// entry is a tool, a resource, a prompt, a method, a notification, a type or an error.
type entry struct {
	Name       string
	Anchor     string
	Title      string
	Badges     []string // a word or two each, next to the name
	Deprecated words    // nil if it is not
	Doc        []block
	Facts      []fact
	Shapes     []shape
	Examples   []example
}

// fact is something known of an entry, in words.
type fact struct {
	Name  string
	Value words
}

// shape is a type as a reader sees it: params, a result, data, or the type that an entry is about.
type shape struct {
	Name     string
	Type     words
	Rules    []words
	Rows     []row
	Values   []value
	Branches []branch
}

// row is a field. Fields of objects within objects have a path.
type row struct {
	Path       string
	Type       words
	Presence   string
	Default    string // JSON; empty if none
	Rules      []words
	Doc        []block
	Deprecated words
	Examples   []string // JSON
}

// value is one of an enum.
type value struct {
	Text       string // JSON
	Doc        []block
	Deprecated words
}

// branch is one way to a branch of a union, and how a value shows that it took it.
type branch struct {
	Type words
	When words
	Doc  []block
}

// example is a JSON text.
type example struct{ Name, Text string }

// word is a part of a line. Links lead to an anchor of the page.
type word = notation.Word

// words are a line of text.
type words = notation.Line

func plain(text string) words { return notation.Text(text) }

func code(text string) words { return notation.Code(text) }

// anchor makes an anchor of a kind and a name. Different names have different anchors, and all of them may stand in a URL as they are.
func anchor(kind, name string) string {
	var b strings.Builder
	b.WriteString(kind + "-")
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "~%02x", c)
		}
	}
	return b.String()
}

// viewer makes the view of one document.
type viewer struct {
	doc      *ir.Document
	prefixes map[*ir.Document]string // what leads the names of the types of other files
	seen     map[*ir.Decl]bool
	pending  []*ir.Decl // types of other files that are linked to, and have no entry yet
}

func newViewer(doc *ir.Document) *viewer {
	v := &viewer{doc: doc, prefixes: map[*ir.Document]string{doc: ""}, seen: map[*ir.Decl]bool{}}
	v.lead(doc, "")
	return v
}

// name is what a type is called on the page. A type of another file is seen to have an entry.
func (v *viewer) name(d *ir.Decl) string {
	if d.Document != v.doc && !v.seen[d] {
		v.seen[d] = true
		v.pending = append(v.pending, d)
	}
	return v.prefixes[d.Document] + d.Name
}

// lead finds the aliases that lead to every imported file; the first way counts.
func (v *viewer) lead(doc *ir.Document, prefix string) {
	for _, i := range doc.Imports {
		if _, known := v.prefixes[i.Doc]; i.Doc == nil || known {
			continue
		}
		v.prefixes[i.Doc] = prefix + i.Alias + "."
		v.lead(i.Doc, prefix+i.Alias+".")
	}
}
