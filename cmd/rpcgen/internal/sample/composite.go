package sample

import (
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// counts returns how many parts the rules ask for: one at least, if they allow it.
func counts(rules []ir.Rule) (least, wanted int) {
	wanted = 1
	for _, r := range rules {
		if c, ok := r.(*ir.Count); ok {
			least = max(least, c.Min)
			wanted = max(wanted, c.Min)
			if c.Max >= 0 {
				wanted = min(wanted, c.Max)
			}
		}
	}
	return least, wanted
}

// composite makes a value of a type with parts, or of another one.
func (m *maker) composite(t ir.Type) (ir.Value, bool) {
	switch t := t.(type) {
	case *ir.List:
		return m.list(t)
	case *ir.Tuple:
		return m.tuple(t)
	case *ir.Map:
		return m.mapping(t)
	case *ir.Struct:
		return m.structure(t)
	}
	return scalar(t)
}

func (m *maker) list(t *ir.List) (ir.Value, bool) {
	least, wanted := counts(t.Rules)
	v := ir.Value{Kind: ir.Array}
	for range wanted {
		item, ok := m.value(t.Elem)
		if !ok {
			return v, len(v.Items) >= least
		}
		v.Items = append(v.Items, item)
	}
	return v, true
}

// tuple makes the elements that are named, and as many more as the rules ask for.
func (m *maker) tuple(t *ir.Tuple) (ir.Value, bool) {
	least := t.Required()
	most := max(least, min(len(t.Items), room(t.Rules)))
	v := ir.Value{Kind: ir.Array}
	for i := range most {
		of := t.Rest
		if i < len(t.Items) {
			of = t.Items[i].Type
		}
		if of == nil {
			break
		}
		item, ok := m.value(of)
		if !ok {
			return v, i >= least
		}
		v.Items = append(v.Items, item)
	}
	return v, true
}

func (m *maker) mapping(t *ir.Map) (ir.Value, bool) {
	least, wanted := counts(t.Rules)
	v := ir.Value{Kind: ir.Object}
	for i := range wanted {
		item, ok := m.value(t.Elem)
		if !ok {
			return v, len(v.Fields) >= least
		}
		v.Fields = append(v.Fields, ir.Member{Name: "key" + strconv.Itoa(i+1), Value: item})
	}
	return v, true
}

// structure fills in the fields that are required, and of the others as many as the rules let stand together.
func (m *maker) structure(t *ir.Struct) (ir.Value, bool) {
	v := ir.Value{Kind: ir.Object}
	var spare []string // optional fields that are there, in order
	for _, f := range t.Fields {
		if f.Optional && (excluded(t, f.Name, v) || f.Deprecated != nil) {
			continue
		}
		member, ok := m.field(f)
		switch {
		case ok:
			v.Fields = append(v.Fields, ir.Member{Name: f.Name, Value: member})
			if f.Optional {
				spare = append(spare, f.Name)
			}
		case !f.Optional:
			return ir.Value{}, false
		}
	}
	v.Fields = fewer(v.Fields, spare, len(v.Fields)-room(t.Rules))
	return v, true
}

// room is how many members the rules allow.
func room(rules []ir.Rule) int {
	room := most
	for _, r := range rules {
		if c, ok := r.(*ir.Count); ok && c.Max >= 0 {
			room = min(room, c.Max)
		}
	}
	return room
}

// excluded reports whether a field may not stand together with one that is there already.
func excluded(t *ir.Struct, name string, v ir.Value) bool {
	for _, r := range t.Rules {
		one, ok := r.(*ir.Require)
		if !ok || one.How != ir.RequireOne || !slices.Contains(one.Fields, name) {
			continue
		}
		if slices.ContainsFunc(v.Fields, func(m ir.Member) bool { return slices.Contains(one.Fields, m.Name) }) {
			return true
		}
	}
	return false
}

// fewer drops n of the spare members, the last ones first.
func fewer(members []ir.Member, spare []string, n int) []ir.Member {
	for ; n > 0 && len(spare) > 0; n-- {
		last := spare[len(spare)-1]
		spare = spare[:len(spare)-1]
		members = slices.DeleteFunc(members, func(m ir.Member) bool { return m.Name == last })
	}
	return members
}
