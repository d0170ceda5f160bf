package check

import "github.com/rpcgen-go/rpcgen/schema/ir"

// box holds by pointer what may be null and lies within itself: an object of which a null ends the chain. By value, Go could not hold it in a field, and it
// would move to the heap, uncharged, for each element of a list. The answer for one type depends on the types in its cycles alone.
func (c *containment) box() {
	g := &cycles{index: map[*ir.Decl]int{}, low: map[*ir.Decl]int{}, of: map[*ir.Decl]int{}}
	for _, d := range c.doc.Types {
		if g.index[d] == 0 {
			g.visit(d)
		}
	}
	for _, d := range c.doc.Types {
		g.boxWithin(d, d.Type)
	}
}

// cycles finds which declarations lie in cycles with each other (Tarjan's strongly connected components).
type cycles struct {
	index, low map[*ir.Decl]int
	of         map[*ir.Decl]int // the component of a declaration; 0 while it is not known
	stack      []*ir.Decl
	components int
}

func (g *cycles) visit(d *ir.Decl) {
	g.index[d] = len(g.index) + 1
	g.low[d] = g.index[d]
	g.stack = append(g.stack, d)
	references(d.Type, func(to *ir.Decl) {
		switch {
		case g.index[to] == 0:
			g.visit(to)
			g.low[d] = min(g.low[d], g.low[to])
		case g.of[to] == 0:
			g.low[d] = min(g.low[d], g.index[to])
		}
	})
	if g.low[d] != g.index[d] {
		return
	}
	g.components++
	for {
		last := g.stack[len(g.stack)-1]
		g.stack = g.stack[:len(g.stack)-1]
		g.of[last] = g.components
		if last == d {
			return
		}
	}
}

// references gives the declarations of this file that a type is made of.
func references(t ir.Type, next func(*ir.Decl)) {
	if r, ok := t.(*ir.Ref); ok {
		if r.Import == nil {
			next(r.Decl)
		}
		return
	}
	for part := range ir.Parts(t) {
		references(part.Type, next)
	}
}

// boxWithin boxes what may be null in a type of the declaration d and leads back to d.
func (g *cycles) boxWithin(d *ir.Decl, t ir.Type) {
	if null, ok := t.(*ir.Nullable); ok && ir.HasFields(ir.Underlying(null.Elem)) && !ir.IsBound(null.Elem) {
		references(null.Elem, func(to *ir.Decl) { null.Boxed = null.Boxed || g.of[to] == g.of[d] })
	}
	if _, named := t.(*ir.Ref); !named {
		for part := range ir.Parts(t) {
			g.boxWithin(d, part.Type)
		}
	}
}
