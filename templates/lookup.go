package templates

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Names returns what the parts of a document are called in Go, and how they are held, without generating anything. Parts that have nothing in Go are called "".
type Names struct {
	names *names
	held  map[ir.Type]string // writing Go takes long
}

// NewNames decides the names of doc. The diagnostics tell what cannot be named.
func NewNames(doc *ir.Document) (*Names, diag.List) {
	n := newNames(doc)
	return &Names{n, map[ir.Type]string{}}, n.diags.Sorted()
}

// ComparedNames returns the Go names of a document that is compared with another version of it. The location of imported packages is not part of
// them: imports are changed to have none.
func ComparedNames(doc *ir.Document) *Names {
	for _, i := range doc.Imports {
		i.GoPath = i.Alias
	}
	names, _ := NewNames(doc)
	return names
}

// Package returns the name of the package.
func (n *Names) Package() string { return n.names.doc.Package }

// Declared returns the identifier of a declared type.
func (n *Names) Declared(d *ir.Decl) string {
	if t := n.names.byDecl[d]; t != nil {
		return t.name
	}
	return ""
}

// Named is a type with a name of its own: a declaration, or a type that is written in place and named after its place.
type Named struct {
	Name string
	Type ir.Type
	Meta *ir.Meta
	What string // what an inline type is of what, in words; empty for a declaration

	// Package is the import path of the imported schema that the type is of; empty for a type of the document.
	Package string
}

// Types returns the types of the document that have names, each owner before the types that lie in it. What Go alone needs a type for is not among them.
func (n *Names) Types() []Named {
	var all []Named
	wrapped := map[*namedType]bool{}
	for _, w := range n.names.wrappers {
		wrapped[w] = !declares(w.typ)
	}
	for _, t := range n.names.types {
		if !wrapped[t] {
			all = append(all, t.public())
		}
	}
	return all
}

// Named returns the name of an inline type or of a declaration. It reports false if there is none.
func (n *Names) Named(t ir.Type) (Named, bool) {
	own := n.names.of(t)
	if own == nil || own.decl == nil && !declares(own.typ) {
		return Named{}, false
	}
	return own.public(), true
}

func (t *namedType) public() Named {
	name := t.name
	if t.isError {
		name += "Data"
	}
	return Named{Name: name, Type: t.typ, Meta: t.meta, What: t.what, Package: t.pkg}
}

// Under returns what a declared type is in Go, such as string; for structs, enums and unions that is a word.
func (n *Names) Under(d *ir.Decl) string {
	t := n.names.byDecl[d]
	if t == nil {
		return ""
	}
	switch t.kind() {
	case kindStruct, kindTuple:
		return "a struct"
	case kindUnion:
		return "an interface"
	case kindEnum:
		return enumBase(d.Type.(*ir.Enum)) + " with constants"
	}
	return code(n.names.under(t).goType(d.Type))
}

// Type returns how a value of t is held. An alias is held as what it stands for.
func (n *Names) Type(t ir.Type) string {
	if own := n.names.of(t); own != nil && own.kind() == kindAlias {
		return code(n.names.under(own).goType(own.typ))
	} else if own != nil && own.pkg == "" {
		return own.name
	}
	if held, ok := n.held[t]; ok {
		return held
	}
	n.held[t] = code(n.names.goType(t))
	return n.held[t]
}

// Field returns the name of a field and how it is held.
func (n *Names) Field(f *ir.Field) (name, held string) {
	switch form := formOf(f); {
	case form == formConst:
		return "", ""
	case form <= formNil && !f.Go.Bound():
		return n.names.field(f), n.Type(f.Type)
	}
	return n.names.field(f), code(n.names.fieldType(f))
}

// Tags says which members json.Marshal adds to a value of a declared type, or of a branch that is written in place or imported, because it leaves them to
// its unions. It is empty for what has no methods for encoding/json.
func (n *Names) Tags(d *ir.Decl, b *ir.Branch) string {
	t := n.names.byDecl[d]
	if b != nil {
		t = n.names.branchType(b)
	}
	if t == nil || t.pkg != "" || b != nil && t.decl != nil || !n.names.doc.Marshals() {
		return ""
	}
	own, alike := t.ownTags()
	all := ir.Each(own, func(one tag) string { return one.member })
	switch {
	case !alike:
		return "an error, for its unions do not write it alike"
	case len(own) == 0:
		return "no tag"
	}
	return strings.Join(all, ",")
}

// Value returns the name of the constant of an enum's value.
func (n *Names) Value(v *ir.EnumValue) string { return n.names.values[v] }

// nameIn returns the name of the one that is found; "" if none is.
func nameIn[T any](all []T, find func(T) (name string, found bool)) string {
	for _, one := range all {
		if name, found := find(one); found {
			return name
		}
	}
	return ""
}

// Method returns the name of the Go method of m.
func (n *Names) Method(m *ir.Method) string {
	return nameIn(n.names.methods, func(own *method) (string, bool) { return own.name, own.Method == m })
}

// Error returns the names of the Go type of an error and of the constant of its code.
func (n *Names) Error(e *ir.Error) (typ, constant string) {
	if own := n.names.errorOf(e); own != nil {
		return own.name, own.code
	}
	return "", ""
}

// Tool returns the name of the Go method of t.
func (n *Names) Tool(t *ir.Tool) string {
	return nameIn(n.names.tools, func(own *tool) (string, bool) { return own.name, own.Tool == t })
}

// Backends returns the names of the options of the backends, in the order of the document.
func (n *Names) Backends() []string { return n.names.backendNames() }

// Resource returns the name of the Go method that reads r.
func (n *Names) Resource(r *ir.Resource) string {
	return nameIn(n.names.resources, func(own *resource) (string, bool) { return "Read" + own.name, own.Resource == r })
}

// Prompt returns the name of the Go method of o.
func (n *Names) Prompt(o *ir.Prompt) string {
	return nameIn(n.names.prompts, func(own *prompt) (string, bool) { return own.name, own.Prompt == o })
}

// Ask returns the name of the Go function that asks a question, and the type of what its message speaks of.
func (n *Names) Ask(a *ir.Ask) (name, held string) {
	for _, t := range n.names.tools {
		for _, own := range t.asks {
			if own.Ask != a {
				continue
			}
			if _, param := n.names.askParam(t, own); param != nil {
				held = fmt.Sprintf("%#v", param)
			}
			return own.name, held
		}
	}
	return "", ""
}

// code writes a piece of Go.
func code(s *jen.Statement) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%#v", s)
}

// Clashes returns the clashes of the document, at most one at a place, in the order of the document. The free names differ from the names of
// all else and from each other.
func (n *Names) Clashes() []Clash { return n.names.apart }

// Exported returns the identifier that a name of a schema becomes, apart from what else has it.
func Exported(doc *ir.Document, name string) string {
	return newNamer(doc.Naming.Initialisms).export(name)
}
