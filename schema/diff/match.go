package diff

import "github.com/rpcgen-go/rpcgen/schema/ir"

// match pairs the declarations of two documents: by name, then what is gone with what is new and alike.
func (c *comparer) match(p documents) {
	sitesOld, sitesNew := sites(p.old), sites(p.new)
	pairUp(c.types, p.old.Types, p.new.Types, func(d *ir.Decl) string { return d.Name }, func(old, new *ir.Decl) float64 {
		if kindOf(old.Type) != kindOf(new.Type) || old.Mixin != new.Mixin {
			return 0
		}
		name := max(closeness(old.Name, new.Name), share(sitesOld[old], sitesNew[new]))
		return likeness(name, features(old.Type), features(new.Type))
	})
	pairUp(c.errors, p.old.Errors, p.new.Errors, func(e *ir.Error) string { return e.Name }, func(old, new *ir.Error) float64 {
		if old.Code == new.Code {
			return 1
		}
		return 0
	})
	pairUp(c.methods, p.old.Methods, p.new.Methods, func(m *ir.Method) string { return m.Name }, func(old, new *ir.Method) float64 {
		if old.Notification != new.Notification || old.From != new.From {
			return 0
		}
		return likeness(closeness(old.Name, new.Name), signature(old), signature(new))
	})
}

// pairUp fills pairs, from new to old.
func pairUp[T any](pairs map[*T]*T, old, new []*T, name func(*T) string, score func(old, new *T) float64) {
	known := map[string]*T{}
	for _, o := range old {
		known[name(o)] = o
	}
	var added []*T
	kept := map[*T]bool{}
	for _, n := range new {
		if o := known[name(n)]; o != nil {
			pairs[n] = o
			kept[o] = true
		} else {
			added = append(added, n)
		}
	}
	var gone []*T
	for _, o := range old {
		if !kept[o] {
			gone = append(gone, o)
		}
	}
	for n, o := range best(gone, added, score) {
		pairs[added[n]] = gone[o]
	}
}

// signature describes a method by the parts of its params and its result.
func signature(m *ir.Method) []string {
	return append(prefixed("params ", features(shape(m.Params))), prefixed("result ", features(shape(m.Result)))...)
}

// shape looks through references.
func shape(t ir.Type) ir.Type {
	for {
		ref, ok := t.(*ir.Ref)
		if !ok {
			return t
		}
		t = ref.Decl.Type
	}
}

// gone lists the old declarations that no new one is compared with.
func gone[T any](pairs map[*T]*T, old, new []*T) []*T {
	kept := map[*T]bool{}
	for _, n := range new {
		kept[pairs[n]] = true
	}
	var all []*T
	for _, o := range old {
		if !kept[o] {
			all = append(all, o)
		}
	}
	return all
}
