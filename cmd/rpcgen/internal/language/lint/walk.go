package lint

import (
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// place is a type where it stands.
type place struct {
	path  string
	span  diag.Span
	t     ir.Type
	field *ir.Field // nil if it is not a field
}

func methodPath(m *ir.Method) string {
	if m.Notification {
		return "notifications." + m.Name
	}
	return "methods." + m.Name
}

// walker visits every type that can be reached, named types once.
type walker struct {
	visit func(place)
	seen  map[*ir.Decl]bool
	stop  func(*ir.Ref) bool // the uses of names that are settled at the use; nil if none
}

// root is a message, or a part of one, where a walk begins.
type root struct {
	path string
	t    ir.Type // nil if there is none
}

// inputs visits what a client sends: the params of what it may call.
func (p *pass) inputs(visit func(place)) {
	w := walker{visit: visit, seen: map[*ir.Decl]bool{}, stop: func(r *ir.Ref) bool { return isBounded(r.Rules) }}
	for _, m := range p.doc.Methods {
		if m.From != ir.FromServer {
			w.root(paramsOf(m))
		}
	}
	w.roots(p.toolInputs())
}

// results visits what methods answer.
func (p *pass) results(visit func(place)) {
	w := walker{visit: visit, seen: map[*ir.Decl]bool{}}
	for _, m := range p.doc.Methods {
		w.root(resultOf(m))
		w.root(itemsOf(m))
	}
	w.roots(p.toolOutputs())
}

// messages are all roots of a document.
func (p *pass) messages() []root {
	all := ir.Each(p.doc.Errors, func(e *ir.Error) root { return root{"errors." + e.Name + ".data", e.Data} })
	for _, m := range p.doc.Methods {
		all = append(all, paramsOf(m), resultOf(m), itemsOf(m))
	}
	return slices.Concat(all, p.toolInputs(), p.toolOutputs(), p.toolErrors())
}

// visitAll visits all types that the document declares, writes in place, or both.
func (p *pass) visitAll(visit func(place)) {
	w := walker{visit: visit, seen: map[*ir.Decl]bool{}}
	for _, t := range p.doc.Types {
		w.declaration(t)
	}
	w.roots(p.messages())
}

func paramsOf(m *ir.Method) root { return root{methodPath(m) + ".params", m.Params} }
func resultOf(m *ir.Method) root { return root{methodPath(m) + ".result", m.Result} }

func itemsOf(m *ir.Method) root {
	if m.Items == nil {
		return root{}
	}
	return root{methodPath(m) + ".items", m.Items.Type}
}

func (w *walker) roots(all []root) {
	for _, r := range all {
		w.root(r)
	}
}

func (w *walker) root(r root) {
	if r.t != nil {
		w.walk(place{path: r.path, span: span(r.t.Position(), ""), t: r.t})
	}
}

func (w *walker) declaration(d *ir.Decl) {
	if !w.seen[d] {
		w.seen[d] = true
		w.walk(place{path: "types." + d.Name, span: span(d.Pos, d.Name), t: d.Type})
	}
}

// walk visits a place and what lies in it. Types of other files are for their own lint.
func (w *walker) walk(at place) {
	w.visit(at)
	switch t := at.t.(type) {
	case *ir.Ref:
		if t.Import == nil && (w.stop == nil || !w.stop(t)) {
			w.declaration(t.Decl)
		}
	case *ir.Nullable:
		at.t = t.Elem
		w.walk(at)
	case *ir.Struct:
		w.fields(at, t)
	default:
		w.parts(at)
	}
}

// parts visits what lies in a list, a map, a tuple or a union.
func (w *walker) parts(at place) {
	item := 0
	for part := range ir.Parts(at.t) {
		in := place{path: at.path + "{}", span: at.span, t: part.Type}
		switch {
		case part.Branch != nil:
			in.path = at.path + "|" + part.Name
		case part.Field != nil:
			in.path, in.span = at.path+"["+strconv.Itoa(item)+"]", span(part.Field.Pos, "")
			item++
		case ir.IsArray(at.t):
			in.path = at.path + "[]"
		}
		w.walk(in)
	}
}

func (w *walker) fields(at place, s *ir.Struct) {
	for _, f := range fields(at.path, s) {
		w.walk(f)
	}
	if s.Extra != nil {
		w.walk(place{path: at.path + "{}", span: at.span, t: s.Extra})
	}
}

// fields are the places of the fields of an object. Those of a base are the base's own.
func fields(path string, s *ir.Struct) []place {
	var all []place
	for _, f := range s.Fields {
		owner := path
		if f.From != nil {
			owner = "types." + f.From.Name
		}
		if f.Pos.File == s.Pos.File {
			all = append(all, place{owner + "." + f.Name, span(f.Pos, f.Name), f.Type, f})
		}
	}
	return all
}
