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
		c.item(s, i, old.Items[i], new.Items[i])
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

// item compares two versions of the element at a position.
func (c *typeComparer) item(s scope, i int, o, n *ir.Field) {
	old, new := inGo(c.names.old, o), inGo(c.names.new, n)
	s = s.below(n.Name).at(o.Pos, n.Pos).holds("", "")
	if old.around() != new.around() {
		s = s.holds(old.held, new.held)
	}
	if old.name != new.name && old.name != "" && new.name != "" {
		c.emit(s, NameInGo, old.name, new.name, changeWords("its name in Go", old.name, new.name), relation{}, judgeRename(old.name, new.name)).Script = sameScript
	}
	c.meta(s, o.Meta, n.Meta)
	if o.Optional != n.Optional {
		c.presence(s, o, n, withoutItem(i))
	}
	c.compare(s.holds(old.whole(new)), o.Type, n.Type)
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
	judged := Judgement{OK, "it had no Go field"}
	if held != "" {
		judged = Judgement{Break, "the field " + name + " is gone"}
	}
	c.emit(s, FieldRemoved, fieldText(f), "", "the "+presence(f)+" element is gone", r, judged)
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
	judged := Judgement{OK, "it only adds a field"}
	switch {
	case held == "":
		judged = Judgement{OK, "the codec writes and checks it; there is no Go field"}
	case !f.Optional:
		judged = Judgement{Warning, "literals still compile, and send the zero value of " + name + " until it is set"}
	}
	c.emit(s, FieldAdded, "", fieldText(f), "a new "+presence(f)+" element of type "+typeWords(f.Type), r, judged)
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
