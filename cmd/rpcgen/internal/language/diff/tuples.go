package diff

import (
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// tuples compares two tuples element by element, by position. It reports false if there are not two.
func (c *typeComparer) tuples(s scope, oldType, newType ir.Type) bool {
	old, ok := oldType.(*ir.Tuple)
	new, other := newType.(*ir.Tuple)
	if !ok || !other {
		return false
	}
	both := min(len(old.Items), len(new.Items))
	for i := range both {
		c.field(s, old.Items[i], new.Items[i], nil, nil, withoutItem(i))
	}
	for i, f := range old.Items[both:] {
		c.itemGone(s, both+i, f, new)
	}
	for i, f := range new.Items[both:] {
		c.itemAdded(s, both+i, f, old)
	}
	c.rest(s, old, new)
	c.rules(s, old.Rules, new.Rules)
	return true
}

func withoutItem(i int) string { return "arrays without element " + digits(i+1) }

func withItem(i int) string { return "arrays with element " + digits(i+1) }

func (c *typeComparer) itemGone(s scope, i int, f *ir.Field, new *ir.Tuple) {
	name, held := c.names.old.Field(f)
	s = s.below(f.Name).at(f.Pos, diag.Pos{}).holds(held, "")
	s.new = diag.Pos{}
	r := relation{}
	if new.Rest == nil || c.fits(f.Type, new.Rest) != "" {
		r.lost = withItem(i)
	}
	if !f.Optional {
		r.gained, r.always = withoutItem(i), true
	}
	c.emit(s, FieldRemoved, fieldText(f), "", "the "+presence(f)+" element is gone", r, goneInGo(name, held))
}

func (c *typeComparer) itemAdded(s scope, i int, f *ir.Field, old *ir.Tuple) {
	name, held := c.names.new.Field(f)
	s = s.below(f.Name).at(diag.Pos{}, f.Pos).holds("", held)
	s.old = diag.Pos{}
	r := relation{}
	if !f.Optional {
		r.lost = withoutItem(i)
	}
	if old.Rest == nil || c.fits(f.Type, old.Rest) != "" {
		r.gained, r.always = withItem(i), !f.Optional
	} else if c.fits(old.Rest, f.Type) != "" {
		r.lost = withItem(i)
	}
	c.emit(s, FieldAdded, "", fieldText(f), "a new "+presence(f)+" element of type "+typeWords(f.Type), r, newInGo(f, name, held))
}

// rest compares what may follow the elements that have names.
func (c *typeComparer) rest(s scope, old, new *ir.Tuple) {
	switch o, n := old.Rest, new.Rest; {
	case o == nil && n == nil:
	case o != nil && n != nil:
		c.compare(c.element(s, "rest", o, n), o, n)
	case o == nil:
		c.emit(s.below("rest").holds("", ""), AdditionalChanged, "none", typeWords(n), "further elements may follow",
			relation{gained: "further elements"}, Judgement{OK, "it only adds the field Rest"})
	default:
		c.emit(s.below("rest").holds("", ""), AdditionalChanged, typeWords(o), "none", "no further elements may follow",
			relation{lost: "further elements"}, Judgement{Break, "the field Rest is gone"})
	}
}

// limits are the rules of a type, and of a tuple how many elements it may have.
func limits(t ir.Type) []ir.Rule {
	tuple, ok := t.(*ir.Tuple)
	if !ok {
		return ir.RulesOf(t)
	}
	count := &ir.Count{Min: tuple.Required(), Max: -1}
	if tuple.Rest == nil {
		count.Max = len(tuple.Items)
	}
	for _, r := range tuple.Rules {
		if r, ok := r.(*ir.Count); ok && r.Max >= 0 {
			count.Max = r.Max
		}
	}
	return []ir.Rule{count}
}

// arrays compares lists and tuples by position; how many elements they have is compared as a rule.
func (f fitter) arrays(from, to ir.Type) string {
	named := 0
	for _, t := range []ir.Type{from, to} {
		if t, ok := t.(*ir.Tuple); ok {
			named = max(named, len(t.Items))
		}
	}
	for i := range named + 1 {
		have, want := ir.ElementAt(from, i), ir.ElementAt(to, i)
		if have == nil || want == nil {
			continue
		}
		if why := f.part(have, want); why != "" {
			return "element " + digits(i+1) + ": " + why
		}
	}
	return ""
}
