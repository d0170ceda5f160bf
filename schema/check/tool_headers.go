package check

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// headerWalk looks at the mirrored fields of a tool's input: clients find them by properties alone, and drop a tool that has one elsewhere.
type headerWalk struct {
	*reader
	tool  *ir.Tool
	names map[string]*ir.Field // by header, lower case
	decls map[*ir.Decl]bool
}

// fields walks the fields of an object. Unreachable says why a client cannot find them; empty if it can.
func (w *headerWalk) fields(s *ir.Struct, unreachable string) {
	for _, f := range s.Fields {
		if f.Header != "" {
			w.field(f, unreachable)
		}
		w.below(f.Type, unreachable)
	}
	if s.Extra != nil {
		w.below(s.Extra, "in further members")
	}
}

// below walks what lies in a type.
func (w *headerWalk) below(t ir.Type, unreachable string) {
	switch t := t.(type) {
	case *ir.Ref:
		if !w.decls[t.Decl] {
			w.decls[t.Decl] = true
			w.below(t.Decl.Type, "in a type of its own")
		}
	case *ir.Struct:
		w.fields(t, unreachable)
	case *ir.Nullable:
		w.below(t.Elem, "in a value that may be null")
	default:
		for part := range ir.Parts(t) {
			w.below(part.Type, "in a "+ir.Word(t))
		}
	}
}

func (w *headerWalk) field(f *ir.Field, unreachable string) {
	at := point(f.Pos, len(f.Name))
	if unreachable != "" {
		w.report(diag.InvalidHeader, at, "mirror fields of the input itself, or of objects written within it",
			"tool %q mirrors the field %q, which is %s", w.tool.Name, f.Name, unreachable)
		return
	}
	switch kinds := ir.KindsOf(f.Type); {
	case kinds == ir.KindSet(ir.Text), kinds == ir.KindSet(ir.Integer), kinds == ir.KindSet(ir.Boolean):
	case kinds&noHeaderKinds == 0: // others are reported wherever they stand
		w.report(diag.InvalidHeader, at, "mirror a string, an integer or a boolean", "a field of type %s cannot be mirrored to a header", ir.Describe(f.Type))
	}
	name := strings.ToLower(f.Header)
	if first := w.names[name]; first != nil && first != f {
		w.collide(diag.InvalidHeader, at, "choose another name; case does not count",
			"the header "+quote(f.Header)+" is already mirrored", point(first.Pos, len(first.Name)), "from "+quote(first.Name))
	}
	w.names[name] = f
}
