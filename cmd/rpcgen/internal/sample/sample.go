// Package sample makes up values that fit a type, for examples in documentation.
//
// What the author gave comes first: examples, defaults, the first value of an enum. The rest is made up from the rules. A
// value that is returned fits its type by package judge. Where no value is found, such as text for a pattern and a format
// that exclude each other, Of reports false: no example is better than a wrong one.
//
//test:sequential
package sample

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// most is how many values one sample may hold: types that use each other twice have samples of exponential size.
const most = 1000

// deepest is how many named types may be nested in one sample.
const deepest = 20

// Of returns a value that fits t; ok is false when none was found.
func Of(t ir.Type) (v ir.Value, ok bool) {
	m := &maker{left: most}
	v, ok = m.value(t)
	return v, ok && fits(t, v)
}

func fits(t ir.Type, v ir.Value) bool { return len(judge.Judge(t, v)) == 0 }

// maker makes up one value.
type maker struct {
	within []*ir.Decl // the named types around: one that uses itself ends there
	left   int
}

func (m *maker) value(t ir.Type) (ir.Value, bool) {
	if m.left--; m.left < 0 {
		return ir.Value{}, false
	}
	switch t := t.(type) {
	case *ir.Ref:
		return m.named(t)
	case *ir.Nullable:
		if v, ok := m.value(t.Elem); ok {
			return v, true
		}
		return ir.Value{Kind: ir.Null, Text: "null"}, true
	}
	if all := ir.Branches(t); len(all) > 0 {
		return m.union(t, all)
	}
	return m.composite(t)
}

func (m *maker) named(t *ir.Ref) (ir.Value, bool) {
	if len(m.within) == deepest || slices.Contains(m.within, t.Decl) {
		return ir.Value{}, false
	}
	for _, v := range t.Decl.Examples {
		if fits(t, v) {
			return v, true
		}
	}
	m.within = append(m.within, t.Decl)
	v, ok := m.value(ir.WithRules(t.Decl.Type, t.Rules))
	m.within = m.within[:len(m.within)-1]
	return v, ok
}

func (m *maker) field(f *ir.Field) (ir.Value, bool) {
	switch {
	case len(f.Examples) > 0:
		return f.Examples[0], true
	case f.Default != nil:
		return *f.Default, true
	}
	return m.value(f.Type)
}

// union takes the first branch of which there is a value that the union would take for it.
func (m *maker) union(t ir.Type, all []*ir.Branch) (ir.Value, bool) {
	for _, b := range all {
		v, ok := m.value(b.Type)
		if !ok {
			continue
		}
		if fits(t, v) {
			return v, true
		}
		if tag, ok := ir.DecisionOf(t).(*ir.ByProperty); ok {
			if v = tagged(v, tag, b); fits(t, v) {
				return v, true
			}
		}
	}
	return ir.Value{}, false
}

// tagged is an object with the tag that leads to a branch, for branches that do not fix it themselves.
func tagged(v ir.Value, d *ir.ByProperty, b *ir.Branch) ir.Value {
	for _, c := range d.Cases {
		if pick, ok := c.Then.(*ir.Pick); !ok || pick.Branch != b {
			continue
		}
		fields := slices.DeleteFunc(slices.Clone(v.Fields), func(m ir.Member) bool { return m.Name == d.Property })
		v.Fields = append([]ir.Member{{Name: d.Property, Value: c.Tag}}, fields...)
		return v
	}
	return v
}
