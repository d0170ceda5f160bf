package templates

import (
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// patternVar is the variable that holds a regular expression, or a JSON Schema.
type patternVar struct {
	name    string
	pattern *ir.Pattern // nil if it holds schema
	schema  *ir.Conform
}

// namePatterns names the variables of all patterns after the type and field that they are written in.
func (p *finder) namePatterns() {
	p.patterns = map[*named][]patternVar{}
	p.patternNames = map[ir.Rule]string{}
	taken := map[string]bool{}
	for _, t := range p.types {
		name := unexported(t.name)
		switch s := t.typ.(type) {
		case *ir.Struct:
			for _, f := range s.Fields {
				p.patternsOf(t, f.Type, name+p.field(f), taken)
			}
			p.patternsOf(t, s.Extra, name+"Extra", taken)
			p.patternsOf(t, s, name, taken)
		case *ir.Tuple:
			for _, f := range s.Items {
				p.patternsOf(t, f.Type, name+p.field(f), taken)
			}
			p.patternsOf(t, s.Rest, name+"Rest", taken)
		case *ir.Union:
			for _, b := range s.Branches {
				if p.wrappers[b] == nil {
					p.patternsOf(t, b.Type, name+p.namer.exported(b.Name), taken)
				}
			}
		default:
			p.patternsOf(t, t.typ, name, taken)
		}
	}
}

// patternsOf names the patterns of a type, as far as it is written in the type t.
func (p *finder) patternsOf(t *named, in ir.Type, name string, taken map[string]bool) {
	var rules []ir.Rule
	switch in := in.(type) {
	case *ir.String:
		rules = in.Rules
	case *ir.Any, *ir.List, *ir.Map:
		rules = ir.RulesOf(in)
	case *ir.Struct:
		if t.typ == ir.Type(in) { // otherwise it has a name of its own
			rules = in.Rules
		}
	case *ir.Ref:
		rules = in.Rules
		if in.Import != nil && isAlias(in.Decl.Type) && !isChecked(in.Decl.Type) {
			p.patternsOf(t, in.Decl.Type, name, taken) // its checks are written where it is used
		}
	}
	if elem := ir.Elem(in); elem != nil {
		p.patternsOf(t, elem, name, taken)
	}
	for _, r := range rules {
		pattern, isPattern := r.(*ir.Pattern)
		schema, isSchema := r.(*ir.Conform)
		if !isPattern && !isSchema || p.patternNames[r] != "" {
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
		p.patternNames[r] = id
		p.patterns[t] = append(p.patterns[t], patternVar{id, pattern, schema})
	}
}
