// Package tree makes and reads the YAML of schemas: nodes, mappings that grow, and the document that an import makes.
//
//test:by ./cmd/rpcgen/internal/source/importer
package tree

import (
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// Sections are the parts of a document that hold declarations, in the order in which they are written.
var Sections = []string{"types", "errors", "methods", "notifications", "tools", "resources", "prompts"}

// Document is the schema that an import makes.
type Document struct {
	Head *yaml.Node // package, title and so on
	Body map[string]*Entries
}

// NewDocument returns a document without declarations.
func NewDocument() *Document {
	d := &Document{Head: Mapping(), Body: map[string]*Entries{}}
	for _, s := range Sections {
		d.Body[s] = NewEntries()
	}
	return d
}

// Declare adds a declaration, and reports whether its name was free.
func (d *Document) Declare(section, name string, n *yaml.Node) bool {
	if d.Body[section].Get(name) != nil {
		return false
	}
	d.Body[section].Set(name, n)
	return true
}

// Root is the document as one tree.
func (d *Document) Root() *yaml.Node {
	root := With("rpcgen", Text("v1"))
	root.Content = append(root.Content, d.Head.Content...)
	for _, s := range Sections {
		if n := d.Body[s].Node; len(n.Content) > 0 {
			Set(root, s, n)
		}
	}
	return root
}

var typeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// builtins are names that no type may have.
var builtins = append([]string{"list", "map", "null", "array"}, grammar.Builtins...)

// NameOf makes a name of a type: the name itself where it is one, and otherwise its words joined.
func NameOf(s string) string {
	if !slices.Contains(builtins, s) && typeName.MatchString(s) {
		return s
	}
	return JoinWords(s)
}

// JoinWords writes get_user-name as GetUserName.
func JoinWords(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') })
	var b strings.Builder
	for _, w := range words {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	name := b.String()
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "T" + name
	}
	return name
}
