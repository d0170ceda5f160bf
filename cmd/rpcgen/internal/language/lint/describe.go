package lint

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// What readers cannot know without its author.
const (
	UndescribedMethod   diag.Code = "UndescribedMethod"   // a method without description
	UndescribedParam    diag.Code = "UndescribedParam"    // a parameter without description
	UndescribedTriState diag.Code = "UndescribedTriState" // absent and null are two things, and nothing says which
)

func (p *pass) undescribedMethod() {
	for _, m := range p.doc.Methods {
		if m.Doc == "" {
			p.report(methodPath(m), span(m.Pos, m.Name), "add description:", fmt.Sprintf("%q has no description", m.Name))
		}
	}
}

func (p *pass) undescribedParam() {
	for _, m := range p.doc.Methods {
		p.undescribedFields(paramsOf(m))
	}
	for _, r := range p.toolInputs() {
		p.undescribedFields(r)
	}
}

func (p *pass) undescribedFields(params root) {
	s, ok := params.t.(*ir.Struct)
	if r, named := params.t.(*ir.Ref); named && r.Import == nil {
		s, ok = ir.Underlying(r).(*ir.Struct)
		params.path = "types." + r.Decl.Name
	}
	if !ok {
		return
	}
	for _, at := range fields(params.path, s) {
		if at.field.Doc == "" && !describedType(at.field.Type) {
			p.report(at.path, at.span, "add description:", fmt.Sprintf("the parameter %q has no description", at.field.Name))
		}
	}
}

// describedType reports whether a type speaks for itself.
func describedType(t ir.Type) bool {
	switch t := t.(type) {
	case *ir.Ref:
		return t.Decl.Doc != "" || describedType(t.Decl.Type)
	case *ir.Literal:
		return true
	}
	elem := ir.Elem(t)
	return elem != nil && describedType(elem)
}

func (p *pass) undescribedTriState() {
	p.visitAll(func(at place) {
		if at.field != nil && at.field.Optional && at.field.Default == nil && at.field.Doc == "" && ir.Is[*ir.Nullable](at.field.Type) {
			p.report(at.path, at.span, "describe what null means that absence does not",
				fmt.Sprintf("the field %q may be absent and may be null, and nothing says how these differ", at.field.Name))
		}
	})
}
