package diff

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// unions compares two unions branch by branch. It reports false if there are not two.
func (c *typeComparer) unions(s scope, oldType, newType ir.Type) bool {
	old, ok := oldType.(*ir.Union)
	new, other := newType.(*ir.Union)
	if !ok || !other {
		return false
	}
	c.rules(s, old.Rules, new.Rules)
	s = s.holds("", "")
	if s.uses.unreached && ir.IsContextual(old) && ir.IsContextual(new) {
		return true // no message carries it, no decoder knows its branches, and Go holds its text
	}
	if old.Open != new.Open {
		r, judged := relation{gained: "branches that are not declared"}, Judgement{OK, "it only adds a type for unknown branches"}
		if old.Open {
			r, judged = relation{lost: "branches that are not declared"}, Judgement{Break, "the type for unknown branches is gone"}
		}
		change := c.emit(s.below("open"), OpenChanged, onOff(old.Open), onOff(new.Open), changeWords("open", onOff(old.Open), onOff(new.Open)), r, judged)
		if new.Open {
			change.Script = c.readNew(s, Break, "a property no longer tells the branches apart, because others may have it as well")
		}
	}
	pairs := c.pairBranches(old, new)
	eachPair(pairs, old.Branches, new.Branches,
		func(o *ir.Branch) { c.branchGone(s, o, new) },
		func(o, n *ir.Branch) { c.branch(s, o, n) },
		func(n *ir.Branch) { c.branchAdded(s, n, old) })
	c.decision(s, old, new, pairs)
	return true
}

// pairBranches pairs branches by what they refer to, then by name.
func (c *typeComparer) pairBranches(old, new *ir.Union) map[*ir.Branch]*ir.Branch {
	key := func(b *ir.Branch, same func(*ir.Decl) *ir.Decl) any {
		if ref, ok := b.Type.(*ir.Ref); ok && same(ref.Decl) != nil {
			return same(ref.Decl)
		}
		return b.Name
	}
	olds, byName := map[any]*ir.Branch{}, map[string]*ir.Branch{}
	for _, b := range old.Branches {
		byName[b.Name] = b
		olds[key(b, func(d *ir.Decl) *ir.Decl { return d })] = b
	}
	pairs, taken := map[*ir.Branch]*ir.Branch{}, map[*ir.Branch]bool{}
	for _, b := range new.Branches {
		if o := olds[key(b, func(d *ir.Decl) *ir.Decl { return c.pairing.types[d] })]; o != nil && !taken[o] {
			pairs[b], taken[o] = o, true
		}
	}
	for _, b := range new.Branches {
		if o := byName[b.Name]; pairs[b] == nil && o != nil && !taken[o] {
			pairs[b], taken[o] = o, true
		}
	}
	return pairs
}

func (c *typeComparer) branchGone(s scope, b *ir.Branch, new *ir.Union) {
	s = s.below(b.Name).at(b.Pos, diag.Pos{})
	s.new = diag.Pos{}
	judged := Judgement{Break, c.names.old.Type(b.Type) + " is no longer a branch"}
	if ir.IsContextual(new) {
		judged = keptAsText
	}
	c.emit(s, BranchRemoved, typeWords(b.Type), "", "the branch is gone", relation{lost: c.branchOf(b, new)}, judged)
}

func (c *typeComparer) branchAdded(s scope, b *ir.Branch, old *ir.Union) {
	s = s.below(b.Name).at(diag.Pos{}, b.Pos)
	s.old = diag.Pos{}
	judged := Judgement{Warning, "it compiles, and type switches over the branches do not know it"}
	if ir.IsContextual(old) {
		judged = keptAsText
	}
	c.emit(s, BranchAdded, "", typeWords(b.Type), "a new branch", relation{gained: c.branchOf(b, old)}, judged)
}

var keptAsText = Judgement{OK, "Go holds its text, whatever the branch"}

// branchOf names a branch that a union does not take.
func (c *typeComparer) branchOf(b *ir.Branch, u *ir.Union) string {
	if c.fits(b.Type, u) == "" {
		return ""
	}
	return "the branch " + b.Name
}

func (c *typeComparer) branch(s scope, o, n *ir.Branch) {
	s = s.below(n.Name).at(o.Pos, n.Pos).holds(c.names.old.Type(o.Type), c.names.new.Type(n.Type))
	if _, ok := n.Type.(*ir.Ref); ok {
		s = s.holds("", "") // a renamed type is reported where it is declared
	}
	c.meta(s, o.Meta, n.Meta)
	c.ownJSON(s, c.names.old.Tags(nil, o), c.names.new.Tags(nil, n))
	c.compare(s, o.Type, n.Type)
}

// decision compares how the branches are told apart, as far as both sides have them.
func (c *typeComparer) decision(s scope, old, new *ir.Union, pairs map[*ir.Branch]*ir.Branch) {
	kept := map[*ir.Branch]*ir.Branch{}
	for n, o := range pairs {
		kept[n], kept[o] = n, n
	}
	was, is := decisionWords(old.Decide, kept), decisionWords(new.Decide, kept)
	if was == is {
		return
	}
	c.emit(s.below("by"), DecisionChanged, was, is, changeWords("how branches are told apart", was, is),
		relation{meaning: "one value may be two branches"})
}

// decisionWords describes a decision by the branches in kept, which are called by their new names; empty for none.
func decisionWords(d ir.Decision, kept map[*ir.Branch]*ir.Branch) string {
	switch d := d.(type) {
	case *ir.Pick:
		if b := kept[d.Branch]; b != nil {
			return b.Name
		}
		return ""
	case *ir.ByContext:
		return "by context"
	case *ir.ByProperty:
		cases := byTag(d.Cases, kept)
		cases.add("absent", decisionWords(d.Absent, kept))
		cases.add("else", decisionWords(d.Else, kept))
		return cases.text("by property " + d.Property)
	case *ir.ByPresence:
		cases := ways{}
		for _, one := range d.Cases {
			cases.add("has "+one.Property, decisionWords(one.Then, kept))
		}
		cases.add("absent", decisionWords(d.Else, kept))
		return cases.text("by presence")
	case *ir.ByKind:
		cases := ways{}
		for _, one := range d.Cases {
			cases.add(one.Kind.String(), decisionWords(one.Then, kept))
		}
		return cases.text("by kind")
	case *ir.ByValue:
		return byTag(d.Cases, kept).text("by value")
	case *ir.ByLength:
		cases := ways{}
		for _, one := range d.Cases {
			cases.add(digits(one.Min)+" items", decisionWords(one.Then, kept))
		}
		return cases.text("by length")
	case *ir.InElement:
		return unless(d.Absent, kept).text(decisionWords(d.Decide, kept) + " in element " + digits(d.Index))
	case *ir.InProperty:
		return unless(d.Absent, kept).text(decisionWords(d.Decide, kept) + " in " + d.Property)
	}
	return ""
}

// ways are the cases of a decision.
type ways []string

func (w *ways) add(when, then string) {
	if then != "" {
		*w = append(*w, when+" "+then)
	}
}

// byTag are the cases of a decision by what a value is.
func byTag(all []ir.Case, kept map[*ir.Branch]*ir.Branch) (w ways) {
	for _, one := range all {
		w.add(one.Tag.String(), decisionWords(one.Then, kept))
	}
	return w
}

// unless is the case of a part that is absent.
func unless(absent ir.Decision, kept map[*ir.Branch]*ir.Branch) (w ways) {
	w.add("absent", decisionWords(absent, kept))
	return w
}

func (w ways) text(head string) string {
	if len(w) == 0 {
		return head
	}
	if head != "by presence" { // of which the first counts
		slices.Sort(w)
	}
	return head + " (" + strings.Join(w, ", ") + ")"
}
