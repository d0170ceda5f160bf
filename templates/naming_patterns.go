package templates

import (
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// namePatterns names the variables of all patterns after the type and field that they are written in.
func (n *names) namePatterns() {
	taken := map[string]bool{}
	for _, t := range n.types {
		name := Unexported(t.name)
		if ir.Elem(t.typ) == nil { // otherwise the part is called as the whole
			for part := range ir.Parts(t.typ) {
				switch {
				case part.Field != nil:
					n.patternsOf(t, part.Type, name+n.field(part.Field), taken)
				case part.Branch == nil:
					n.patternsOf(t, part.Type, name+restOf(t.typ), taken)
				case n.wrappers[part.Branch] == nil:
					n.patternsOf(t, part.Type, name+n.namer.export(part.Name), taken)
				}
			}
		}
		n.patternsOf(t, t.typ, name, taken)
	}
}

// patternsOf names the patterns of a type, as far as it is written in the type t.
func (n *names) patternsOf(t *namedType, in ir.Type, name string, taken map[string]bool) {
	rules := ir.RulesOf(in)
	switch in := in.(type) {
	case *ir.Struct:
		if t.typ != ir.Type(in) { // it has a name of its own
			return
		}
	case *ir.Ref:
		if in.Import != nil && isAlias(in.Decl.Type) && !isChecked(in.Decl.Type) {
			n.patternsOf(t, in.Decl.Type, name, taken) // its checks are written where it is used
		}
	}
	if elem := ir.Elem(in); elem != nil {
		n.patternsOf(t, elem, name, taken)
	}
	for _, r := range rules {
		pattern, isPattern := r.(*ir.Pattern)
		schema, isSchema := r.(*ir.Conform)
		if !isPattern && !isSchema || n.patternNames[r] != "" {
			continue
		}
		suffix := "Pattern"
		if isSchema {
			suffix = "Schema"
		}
		id := name + suffix
		for n := 2; taken[id]; n++ { // two patterns on one value
			id = name + suffix + strconv.Itoa(n)
		}
		taken[id] = true
		n.patternNames[r] = id
		n.patterns[t] = append(n.patterns[t], patternVar{id, pattern, schema})
	}
}

// restOf is what the field is called that holds the members or elements of a struct or a tuple that have no names.
func restOf(t ir.Type) string {
	if ir.IsArray(t) {
		return "Rest"
	}
	return "Extra"
}
