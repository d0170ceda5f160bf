package check

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// containment is the third phase: it reports types that contain themselves by value.
type containment struct {
	*reader
	doc *ir.Document
}

// contain reports types that contain themselves by value, which no Go type can. In Go these hold their content elsewhere,
// and so end a cycle: a list, a map, a union (an interface), an optional struct field (a pointer), and `T | null` where T is an
// object in the cycle (a Nullable of a pointer). These do not: a required field, and an optional field of anything but a struct.
//
// A type that is nothing but itself, by way of names, nulls and unions, is reported as well: it has no values, and walking
// it would not end. Contain reports whether types can be walked.
func (c *containment) contain() bool {
	if c.cycles(aliases, "a name must lead to a type of its own") || c.tooDeep() {
		return false
	}
	c.box()
	c.cycles(contents, "make one field optional, or a list, or let it be null")
	c.cycles(shorthands, "declare the list or the map as a type of its own, and let that be null")
	return true
}

func (c *containment) cycles(edges func(ir.Type, func(ir.Type)), help string) (found bool) {
	w := &walk{edges: edges, state: map[*ir.Decl]state{}}
	for _, d := range c.doc.Types {
		if cycle := w.visit(d); cycle != nil {
			c.recursive(cycle, help)
			found = true
		}
	}
	return found
}

// mostNames is how many names may lead to a type, one to the other, also by way of nulls and unions.
const mostNames = 100

// tooDeep reports types that more names than mostNames lead to, because names are resolved often. In a longer chain it reports one type for every
// mostNames names, so that fixing all of them is enough.
func (c *containment) tooDeep() (found bool) {
	depths := map[*ir.Decl]int{}
	var depth func(t ir.Type) int
	depth = func(t ir.Type) int {
		deepest := 0
		if r, ok := t.(*ir.Ref); ok && r.Import == nil {
			known, ok := depths[r.Decl]
			if !ok {
				known = 1 + depth(r.Decl.Type)
				depths[r.Decl] = known
			}
			return known
		}
		aliases(t, func(inner ir.Type) { deepest = max(deepest, depth(inner)) })
		return deepest
	}
	for _, d := range c.doc.Types {
		if n := depth(d.Type); n > mostNames && n%mostNames == 1 {
			c.report(diag.TooLarge, point(d.Pos, len(d.Name)), "refer to the type itself", "more than %d names lead from %s to a type", mostNames, quote(d.Name))
			found = true
		}
	}
	return found
}

func (c *containment) recursive(cycle []*ir.Decl, help string) {
	names := ir.Each(cycle, func(d *ir.Decl) string { return d.Name })
	first := cycle[0]
	names = append(names, first.Name)
	c.report(diag.RecursiveType, point(first.Pos, len(first.Name)), help, "%s contains itself: %s",
		quote(first.Name), strings.Join(names, " -> "))
}

// aliases calls next with the types that a type is, or may be, without anything around them.
func aliases(t ir.Type, next func(ir.Type)) {
	if null, ok := t.(*ir.Nullable); ok {
		next(null.Elem)
	}
	for _, b := range ir.Branches(t) {
		next(b.Type)
	}
}

// contents calls next with the types that lie within the memory of a type.
func contents(t ir.Type, next func(ir.Type)) {
	if null, ok := t.(*ir.Nullable); ok && !null.Boxed {
		next(null.Elem)
	}
	for part := range ir.Parts(t) {
		if f := part.Field; f != nil && (!f.Optional || f.Default != nil || !ir.HasFields(ir.Underlying(f.Type))) {
			next(f.Type)
		}
	}
}

// shorthands calls next with what the lists and maps hold that may be null: neither has a Go type of its own, and a name for both cannot be part of
// what it stands for.
func shorthands(t ir.Type, next func(ir.Type)) {
	null, ok := t.(*ir.Nullable)
	if !ok {
		return
	}
	t = null.Elem
	for ir.Elem(t) != nil {
		t = ir.Elem(t)
	}
	next(t)
}

// walk looks for cycles among the declarations of one file; other files are whole already.
type walk struct {
	edges func(ir.Type, func(ir.Type))
	state map[*ir.Decl]state
	path  []*ir.Decl
}

// visit returns the first cycle through d that is not known yet.
func (w *walk) visit(d *ir.Decl) []*ir.Decl {
	switch w.state[d] {
	case lowered:
		return nil
	case lowering:
		for i, on := range w.path {
			if on == d {
				return append([]*ir.Decl(nil), w.path[i:]...)
			}
		}
	}
	w.state[d] = lowering
	w.path = append(w.path, d)
	cycle := w.follow(d.Type)
	w.path = w.path[:len(w.path)-1]
	w.state[d] = lowered
	return cycle
}

func (w *walk) follow(t ir.Type) (cycle []*ir.Decl) {
	if r, ok := t.(*ir.Ref); ok {
		if r.Import != nil {
			return nil
		}
		return w.visit(r.Decl)
	}
	w.edges(t, func(inner ir.Type) {
		if cycle == nil {
			cycle = w.follow(inner)
		}
	})
	return cycle
}
