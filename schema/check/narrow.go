package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// narrows says why a field allows more than its base's; empty when it does not.
func narrows(f, base *ir.Field) string {
	if f.Optional && !base.Optional {
		return "it was required"
	}
	if !(narrower{}).fits(f.Type, base.Type) {
		return ir.Describe(f.Type) + " is not within " + ir.Describe(base.Type)
	}
	return ""
}

// narrower holds the pairs of types under comparison: recursive types are taken to fit until something shows they do not.
type narrower map[[2]ir.Type]bool

// fits reports whether every value of t is one of base. It says no when it cannot tell.
func (n narrower) fits(t, base ir.Type) bool {
	if r, ok := t.(*ir.Ref); ok {
		if b, ok := base.(*ir.Ref); ok && extendsDecl(r.Decl, b.Decl) {
			return true
		}
	}
	t, base = ir.Underlying(t), ir.Underlying(base)
	pair := [2]ir.Type{t, base}
	if t == base || n[pair] {
		return true
	}
	n[pair] = true
	switch base := base.(type) {
	case *ir.Any:
		return len(base.Rules) == 0
	case *ir.Nullable:
		if null, ok := t.(*ir.Nullable); ok {
			t = null.Elem
		}
		return ir.KindsOf(t) == ir.KindSet(ir.Null) || n.fits(t, base.Elem)
	}
	if slices.ContainsFunc(ir.Branches(base), func(b *ir.Branch) bool { return n.fits(t, b.Type) }) {
		return true
	}
	switch t := t.(type) {
	case *ir.Literal:
		return len(judge.Judge(base, t.Value)) == 0
	case *ir.Enum:
		refused := func(v ir.EnumValue) bool { return len(judge.Judge(base, v.Value)) > 0 }
		return !slices.ContainsFunc(t.Values, refused) && (!t.Open || narrowsOpen(t, base))
	}
	branches := ir.Branches(t)
	return !slices.ContainsFunc(branches, func(b *ir.Branch) bool { return !n.fits(b.Type, base) }) && (len(branches) > 0 || n.shape(t, base))
}

// narrowsOpen reports whether values that an open enum does not list are within base too.
func narrowsOpen(t *ir.Enum, base ir.Type) bool {
	if b, ok := base.(*ir.Enum); ok {
		return b.Open
	}
	return ir.KindsOf(base).Has(t.Values[0].Value.Kind)
}

// shape compares types of one shape.
func (n narrower) shape(t, base ir.Type) bool {
	if !keepsRules(rulesIn(t), rulesIn(base)) {
		return false
	}
	switch base := base.(type) {
	case *ir.Float:
		return ir.Within(t, base)
	case *ir.Int:
		i, ok := t.(*ir.Int)
		return ok && (i.Bits == base.Bits && i.Unsigned == base.Unsigned || base.Bits == 64 && !base.Unsigned && i.Bits == 32)
	case *ir.Tuple:
		return n.tupleFits(t, base)
	case *ir.Struct:
		return n.structFits(t, base)
	}
	if elem := ir.Elem(base); elem != nil {
		return ir.IsArray(t) == ir.IsArray(base) && ir.IsObject(t) == ir.IsObject(base) && n.partsFit(t, elem)
	}
	if ir.TakesKinds(base) {
		return ir.Within(t, base)
	}
	return ir.Word(t) == ir.Word(base)
}

// partsFit reports whether all that lies in t fits what a list or a map holds.
func (n narrower) partsFit(t, elem ir.Type) bool {
	for part := range ir.Parts(t) {
		if !n.fits(part.Type, elem) {
			return false
		}
	}
	return true
}

// tupleFits compares two tuples of one length.
func (n narrower) tupleFits(t ir.Type, base *ir.Tuple) bool {
	s, ok := t.(*ir.Tuple)
	if !ok || len(s.Items) != len(base.Items) || s.Rest != nil && (base.Rest == nil || !n.fits(s.Rest, base.Rest)) {
		return false
	}
	for i, f := range s.Items {
		if f.Optional && !base.Items[i].Optional || !n.fits(f.Type, base.Items[i].Type) {
			return false
		}
	}
	return true
}

func (n narrower) structFits(t ir.Type, base *ir.Struct) bool {
	s, ok := t.(*ir.Struct)
	if !ok {
		return false
	}
	for _, b := range base.Fields {
		f := s.Field(b.Name)
		if f == nil && !b.Optional || f != nil && (f.Optional && !b.Optional || !n.fits(f.Type, b.Type)) {
			return false
		}
	}
	return true
}

// extendsDecl reports whether a declaration is another, or extends it. The nearest bases are looked at first, and each once.
func extendsDecl(d, base *ir.Decl) bool {
	seen := map[*ir.Decl]bool{}
	for todo := []*ir.Decl{d}; len(todo) > 0; todo = todo[1:] {
		if s, ok := todo[0].Type.(*ir.Struct); todo[0] == base || ok && slices.Contains(s.Extends, base) {
			return true
		} else if ok && !seen[todo[0]] {
			seen[todo[0]] = true
			todo = append(todo, s.Extends...)
		}
	}
	return false
}
