package judge

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Picks lists the branches that a decision may take the values of a type to, and reports whether it may refuse one. A decision that takes all
// values of each branch to that branch judges as JSON Schema does: a value fits the union exactly when it fits the branch that is picked. Where
// Picks cannot tell, it lists more than there are.
func Picks(d ir.Decision, t ir.Type) (branches []*ir.Branch, refused bool) {
	r := &picker{}
	r.follow(d, t)
	return r.branches, r.refused
}

type picker struct {
	branches []*ir.Branch
	refused  bool
}

// follow follows a decision for each shape that a type has.
func (r *picker) follow(d ir.Decision, t ir.Type) {
	for _, s := range shapes(nil, t, nil) {
		r.shape(d, s)
	}
}

// shapes adds what a type may be: no names, no unions, and null by itself. A type within itself adds nothing.
func shapes(found []ir.Type, t ir.Type, within []ir.Type) []ir.Type {
	t = ir.Underlying(t)
	if slices.Contains(within, t) {
		return found
	}
	if null, ok := t.(*ir.Nullable); ok {
		found = append(found, &ir.Literal{Value: ir.Value{Kind: ir.Null, Text: "null"}})
		return shapes(found, null.Elem, append(within, t))
	}
	branches := ir.Branches(t)
	if branches == nil {
		return append(found, t)
	}
	for _, b := range branches {
		found = shapes(found, b.Type, append(within, t))
	}
	return found
}

func (r *picker) shape(d ir.Decision, t ir.Type) {
	switch d := d.(type) {
	case nil, *ir.ByContext:
		r.refused = true
	case *ir.Pick:
		if !slices.Contains(r.branches, d.Branch) {
			r.branches = append(r.branches, d.Branch)
		}
	case *ir.ByKind:
		r.byKind(d, t)
	case *ir.ByValue:
		all := r.byCases(d.Cases, t, t)
		r.refused = r.refused || !all
	case *ir.ByLength, *ir.InElement:
		r.byArray(d, t)
	default:
		r.byObject(d, t)
	}
}

func (r *picker) byKind(d *ir.ByKind, t ir.Type) {
	for kind := ir.Null; kind <= ir.Object; kind++ {
		if !ir.KindsOf(t).Has(kind) {
			continue
		}
		at := slices.IndexFunc(d.Cases, func(c ir.KindCase) bool { return c.Kind == kind })
		number := slices.IndexFunc(d.Cases, func(c ir.KindCase) bool { return c.Kind == ir.Number })
		switch {
		case at < 0 && kind == ir.Integer:
			at = number
		case at >= 0 && number >= 0 && d.Cases[at].Range != nil: // or a number that the range does not have
			r.shape(d.Cases[number].Then, t)
		}
		if at < 0 {
			r.refused = true
			continue
		}
		r.shape(d.Cases[at].Then, t)
	}
}

// byCases follows the cases whose tags fit a type. It reports whether they are all values of that type.
func (r *picker) byCases(cases []ir.Case, of, t ir.Type) (all bool) {
	listed, closed := valuesOf(of)
	seen := 0
	for _, c := range cases {
		fits := slices.ContainsFunc(listed, func(v ir.Value) bool { return v.Kind == c.Tag.Kind && Equal(v, c.Tag) })
		if fits {
			seen++
		}
		if fits || !closed && len(Judge(of, c.Tag)) == 0 {
			r.shape(c.Then, t)
		}
	}
	return closed && seen >= len(listed)
}

// valuesOf are the values that a type lists; closed says that there are no others.
func valuesOf(t ir.Type) (listed []ir.Value, closed bool) {
	switch t := ir.Underlying(t).(type) {
	case *ir.Literal:
		return []ir.Value{t.Value}, true
	case *ir.Enum:
		return ir.Each(t.Values, func(v ir.EnumValue) ir.Value { return v.Value }), !t.Open
	}
	return nil, false
}

func (r *picker) byArray(d ir.Decision, t ir.Type) {
	if ir.KindsOf(t) != ir.KindSet(ir.Array) {
		r.refused = true
	}
	low, high := ir.Lengths(t, nil)
	switch d := d.(type) {
	case *ir.ByLength:
		next := low // the least length that no case before has
		for _, c := range d.Cases {
			if c.Min > next {
				break
			}
			if next > c.Max && c.Max >= 0 || high >= 0 && next > high {
				continue
			}
			r.shape(c.Then, t)
			if next = c.Max + 1; c.Max < 0 {
				return
			}
		}
		r.refused = r.refused || high < 0 || next <= high
	case *ir.InElement:
		if low <= d.Index && !r.emptyFits(d) {
			r.shape(d.Absent, t)
		}
		if high >= 0 && high <= d.Index {
			return
		}
		if elem := ir.ElementAt(t, d.Index); elem != nil {
			r.follow(d.Decide, elem)
		}
	}
}

// emptyFits reports whether all arrays without the element are empty and fit the branch that is picked for them, whatever else they fit.
func (r *picker) emptyFits(d *ir.InElement) bool {
	pick, ok := d.Absent.(*ir.Pick)
	return d.Index == 0 && ok && len(Judge(pick.Branch.Type, ir.Value{Kind: ir.Array})) == 0
}

// byObject follows a decision on a property.
func (r *picker) byObject(d ir.Decision, t ir.Type) {
	s := ir.AsStruct(t)
	if s == nil {
		r.refused = true
		return
	}
	switch d := d.(type) {
	case *ir.ByProperty:
		r.byProperty(d, s)
	case *ir.ByPresence:
		for _, c := range d.Cases {
			may, must := presence(s, c.Property)
			if may {
				r.shape(c.Then, s)
			}
			if must {
				return
			}
		}
		r.shape(d.Else, s)
	case *ir.InProperty:
		may, must := presence(s, d.Property)
		if may {
			r.follow(d.Decide, ir.MemberType(s, d.Property))
		}
		if !must {
			r.shape(d.Absent, s)
		}
	}
}

func (r *picker) byProperty(d *ir.ByProperty, s *ir.Struct) {
	may, must := presence(s, d.Property)
	if may && !r.byCases(d.Cases, ir.MemberType(s, d.Property), s) {
		r.shape(d.Else, s)
	}
	if !must {
		r.shape(d.Absent, s)
	}
}

// presence reports whether the objects of a type may and must have a member.
func presence(s *ir.Struct, name string) (may, must bool) {
	if f := s.Field(name); f != nil {
		return true, !f.Optional
	}
	return s.Additional != ir.AdditionalRejected, false
}
