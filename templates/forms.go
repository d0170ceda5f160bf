package templates

import (
	"maps"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// forms is what is known of the values of types: which can break rules, and which refuse members that they do not know.
type forms struct {
	names  *names
	checks map[*namedType]bool // which types have rules to check
	strict map[*namedType]bool // types whose decoders can refuse unknown members
	asked  func(*namedType)    // while checks is found out: called with each type that is looked up and has no rules so far
}

// newForms finds out what is known of the values of all that has a name.
func newForms(n *names) *forms {
	fs := &forms{names: n, checks: map[*namedType]bool{}, strict: map[*namedType]bool{}}
	fs.findChecks()
	fs.findStrict()
	return fs
}

// under returns the forms as they look from within t; see names.under.
func (fs *forms) under(t *namedType) *forms {
	inner := *fs
	inner.names = fs.names.under(t)
	return &inner
}

// requiredFields lists the indices of the fields that must be there.
func requiredFields(s *ir.Struct) []int {
	var all []int
	for i, f := range s.Fields {
		if !f.Optional {
			all = append(all, i)
		}
	}
	return all
}

// findChecks finds out which types have rules to check, in themselves or in what lies in them. Types refer to each other in
// circles: a type is asked again when one that it asked about turns out to have some.
func (fs *forms) findChecks() {
	asking, waiting := (*namedType)(nil), map[*namedType][]*namedType{}
	fs.asked = func(t *namedType) { waiting[t] = append(waiting[t], asking) }
	for queue := fs.allNamed(); len(queue) > 0; queue = queue[1:] {
		if asking = queue[0]; !fs.checks[asking] && fs.hasRules(asking) {
			fs.checks[asking] = true
			queue = append(queue, waiting[asking]...)
		}
	}
	fs.asked = nil
}

func (fs *forms) allNamed() []*namedType {
	all := slices.Clone(fs.names.types)
	for _, t := range slices.AppendSeq(slices.Collect(maps.Values(fs.names.byDecl)), maps.Values(fs.names.byType)) {
		if t.pkg != "" {
			all = append(all, t)
		}
	}
	return all
}

// hasRules reports whether a value held as t can break a rule.
func (fs *forms) hasRules(t *namedType) bool {
	switch t.kind() {
	case kindStruct, kindTuple:
		return len(bindingRules(t.typ, ir.RulesOf(t.typ))) > 0 || mayMiss(t.typ) || fs.partsChecked(t.typ)
	case kindUnion:
		return true
	case kindEnum:
		return !t.typ.(*ir.Enum).Open
	}
	return fs.under(t).checked(t.typ)
}

// partsChecked reports whether a field of t, or what else it holds, can break a rule.
func (fs *forms) partsChecked(t ir.Type) bool {
	for part := range ir.Parts(t) {
		if part.Field != nil && fs.fieldChecked(part.Field) || part.Field == nil && fs.checked(part.Type) {
			return true
		}
	}
	return false
}

// holdsUnion reports whether a field must hold a union: its nil is a fault.
func holdsUnion(f *ir.Field) bool { return kindOf(ir.Underlying(f.Type)) == kindUnion && !f.Optional }

// fieldChecked reports whether the value of a field can break a rule.
func (fs *forms) fieldChecked(f *ir.Field) bool {
	form := formOf(f)
	return !f.Go.Bound() && form != formConst && form != formOptConst && (fs.checked(f.Type) || holdsUnion(f))
}

// checked reports whether a value of t can break a rule.
func (fs *forms) checked(t ir.Type) bool {
	if ir.IsBound(t) {
		return false
	}
	if ref, ok := t.(*ir.Ref); ok && len(bindingRules(ir.NonNull(t), ref.Rules)) > 0 {
		return true
	}
	if own := fs.names.of(t); own != nil {
		if own.kind() == kindAlias {
			return fs.checked(own.typ)
		}
		if fs.asked != nil && !fs.checks[own] {
			fs.asked(own)
		}
		return fs.checks[own]
	}
	elem := ir.Elem(t)
	return len(bindingRules(t, ir.AllRules(t))) > 0 || elem != nil && fs.checked(elem)
}

// needsCheck reports whether a value of t can be at fault: it has rules, or it is a union, which can be nil.
func (fs *forms) needsCheck(t ir.Type) bool {
	return fs.checked(t) || kindOf(ir.Underlying(t)) == kindUnion && !ir.IsBound(t)
}

// bindingRules leaves out the rules that no value of t can break, such as a bound beyond the width of an integer: there is nothing to write for them.
func bindingRules(t ir.Type, rules []ir.Rule) []ir.Rule {
	return slices.DeleteFunc(slices.Clone(rules), func(r ir.Rule) bool {
		switch r := r.(type) {
		case *ir.Length:
			return r.Min == 0 && r.Max < 0
		case *ir.Count:
			return r.Min == 0 && r.Max < 0
		case *ir.Range:
			low, high := bounds(t, r)
			return low == "" && high == ""
		case *ir.MultipleOf:
			_, isInt := t.(*ir.Int)
			_, ok := intMultiple(r)
			return isInt && !ok
		}
		return false
	})
}

// findStrict finds out which types of this package lie in what models and users send. Their decoders can refuse members that they do not name.
func (fs *forms) findStrict() {
	for _, t := range fs.names.tools {
		fs.addSent(t.Input)
	}
	for _, o := range fs.names.prompts {
		if o.Arguments != nil {
			fs.addSent(o.Arguments)
		}
	}
}

func (fs *forms) addSent(t ir.Type) {
	switch t := t.(type) {
	case *ir.Ref:
		if own := fs.names.byDecl[t.Decl]; own != nil && own.pkg == "" && !fs.strict[own] {
			fs.strict[own] = true
			fs.addSent(t.Decl.Type)
		}
	case *ir.Struct:
		if own := fs.names.byType[t]; own != nil && t.Additional != ir.AdditionalSkipped {
			fs.strict[own] = true
		}
	}
	for part := range ir.Parts(t) {
		fs.addSent(part.Type)
	}
}

// nullAbsent reports whether null is read as the absence of f.
func (n *names) nullAbsent(f *ir.Field) bool {
	return n.doc.Protocol.NullsAbsent && f.Optional && !f.Go.Bound() && !ir.IsBound(f.Type) && !admitsNull(f.Type)
}

// admitsNull reports whether null may be a value of t.
func admitsNull(t ir.Type) bool {
	t = ir.Underlying(t)
	switch t := t.(type) {
	case *ir.Any, *ir.Nullable:
		return true
	case *ir.Literal:
		return t.Value.Kind == ir.Null
	}
	for part := range ir.Parts(t) {
		if part.Branch != nil && admitsNull(part.Type) {
			return true
		}
	}
	return ir.IsContextual(t)
}

// isCompound reports whether t is a type whose values are made of others.
func isCompound(t ir.Type) bool { return ir.IsArray(t) || ir.IsObject(t) }
