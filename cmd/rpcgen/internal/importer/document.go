package importer

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// sections are the parts of a document that hold declarations, in the order in which they are written.
var sections = []string{"types", "errors", "methods", "notifications", "tools", "resources", "prompts"}

// document is the schema that an import makes.
type document struct {
	head *yaml.Node // package, title and so on
	body map[string]*entries
}

func newDocument() *document {
	d := &document{head: mapping(), body: map[string]*entries{}}
	for _, s := range sections {
		d.body[s] = newEntries()
	}
	return d
}

// declare adds a declaration, and reports whether its name was free.
func (d *document) declare(section, name string, n *yaml.Node) bool {
	if d.body[section].get(name) != nil {
		return false
	}
	d.body[section].set(name, n)
	return true
}

// root is the document as one tree.
func (d *document) root() *yaml.Node {
	root := mapping()
	set(root, "rpcgen", text("v1"))
	root.Content = append(root.Content, d.head.Content...)
	for _, s := range sections {
		if n := d.body[s].node; len(n.Content) > 0 {
			set(root, s, n)
		}
	}
	return root
}

var typeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// builtins are names that no type may have.
var builtins = []string{"string", "boolean", "integer", "int32", "int64", "uint32", "uint64", "number", "decimal", "any", "object",
	"bytes", "datetime", "uri", "uri_template", "email", "uuid", "date", "duration", "list", "map", "null", "array"}

// nameOf makes a name of a type: the name itself where it is one, and otherwise its words joined.
func nameOf(s string) string {
	for _, b := range builtins {
		if b == s {
			return joinWords(s)
		}
	}
	if typeName.MatchString(s) {
		return s
	}
	return joinWords(s)
}

// joinWords writes get_user-name as GetUserName.
func joinWords(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
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
