package diff

import (
	"maps"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// match pairs the declarations of two documents: by name, then what is gone with what is new and alike.
func (c *pairing) match(p documents) {
	c.addCalls(p.old)
	c.addCalls(p.new)
	sitesOld, sitesNew := c.sites(p.old), c.sites(p.new)
	pairUp(c.types, p.old.Types, p.new.Types, func(d *ir.Decl) string { return d.Name }, func(old, new *ir.Decl) float64 {
		if kindOf(old.Type) != kindOf(new.Type) || old.Mixin != new.Mixin {
			return 0
		}
		name := max(closeness(old.Name, new.Name), share(sitesOld[old], sitesNew[new]))
		return likeness(name, features(old.Type), features(new.Type))
	})
	pairUp(c.errors, declaredErrors(p.old), declaredErrors(p.new), func(e *ir.Error) string { return e.Name }, errorLikeness)
	pairUp(c.methods, p.old.Methods, p.new.Methods, func(m *ir.Method) string { return m.Name }, func(old, new *ir.Method) float64 {
		if old.Notification != new.Notification || old.From != new.From {
			return 0
		}
		_, was := old.Constant()
		if _, is := new.Constant(); old.OnWire() == new.OnWire() && was == is {
			return 1 // known by its name on the wire
		}
		return likeness(closeness(old.Name, new.Name), signature(old), signature(new))
	})
	c.matchCalls(p)
}

// errorLikeness: an error is known by its code, and one of a tool, which has none, by its name and data.
func errorLikeness(old, new *ir.Error) float64 {
	switch {
	case old.OfTool != new.OfTool:
		return 0
	case old.OfTool:
		return likeness(closeness(old.Name, new.Name), errorParts(old), errorParts(new))
	case old.Code == new.Code:
		return 1
	}
	return 0
}

func errorParts(e *ir.Error) []string {
	return append(addPrefix("data ", features(ir.Underlying(e.Data))), "message "+messageText(e))
}

// matchCalls pairs tools, resources and prompts.
func (c *pairing) matchCalls(p documents) {
	alike := func(oldName, newName string, old, new any) float64 {
		return likeness(closeness(oldName, newName), callFeatures(c.calls[old]), callFeatures(c.calls[new]))
	}
	pairUp(c.tools, p.old.Tools, p.new.Tools, func(t *ir.Tool) string { return t.Name }, func(old, new *ir.Tool) float64 {
		return alike(old.Name, new.Name, old, new)
	})
	pairUp(c.resources, p.old.Resources, p.new.Resources, func(r *ir.Resource) string { return r.Name }, func(old, new *ir.Resource) float64 {
		if uri(old) == uri(new) {
			return 2
		}
		return alike(old.Name, new.Name, old, new)
	})
	pairUp(c.prompts, p.old.Prompts, p.new.Prompts, func(o *ir.Prompt) string { return o.Name }, func(old, new *ir.Prompt) float64 {
		return alike(old.Name, new.Name, old, new)
	})
	pairCalls(c, c.tools)
	pairCalls(c, c.resources)
	pairCalls(c, c.prompts)
}

func pairCalls[T any](c *pairing, pairs map[*T]*T) {
	for n, o := range pairs {
		c.methods[c.calls[n]] = c.calls[o]
	}
}

// callFeatures describes a call by its parts and what is said of it.
func callFeatures(m *ir.Method) []string {
	all := signature(m)
	if m.Doc != "" {
		all = append(all, "description "+m.Doc)
	}
	return all
}

// pairUp fills pairs, from new to old.
func pairUp[T any](pairs map[*T]*T, old, new []*T, name func(*T) string, score func(old, new *T) float64) {
	known := map[string]*T{}
	for _, o := range old {
		known[name(o)] = o
	}
	var added []*T
	found := map[*T]*T{}
	for _, n := range new {
		if o := known[name(n)]; o != nil {
			found[n] = o
		} else {
			added = append(added, n)
		}
	}
	left := unpairedOld(found, old, new)
	for n, o := range best(left, added, score) {
		found[added[n]] = left[o]
	}
	maps.Copy(pairs, found)
}

// signature describes a method by the parts of its params and its result.
func signature(m *ir.Method) []string {
	all := append(addPrefix("params ", features(ir.Underlying(m.Params))), addPrefix("result ", features(ir.Underlying(m.Result)))...)
	if m.Items != nil {
		all = append(all, addPrefix("items ", features(ir.Underlying(m.Items.Type)))...)
	}
	return all
}

// unpairedOld lists the old declarations that no new one is compared with.
func unpairedOld[T any](pairs map[*T]*T, old, new []*T) []*T {
	kept := ir.Set(new, func(n *T) *T { return pairs[n] })
	return slices.DeleteFunc(slices.Clone(old), func(o *T) bool { return kept[o] })
}

// eachPair goes through declarations that are paired: those that are gone, then each new one, with its old one or as an added one.
func eachPair[T any](pairs map[*T]*T, olds, news []*T, removed func(*T), both func(o, n *T), added func(*T)) {
	for _, o := range unpairedOld(pairs, olds, news) {
		removed(o)
	}
	for _, n := range news {
		if o := pairs[n]; o != nil {
			both(o, n)
		} else {
			added(n)
		}
	}
}
