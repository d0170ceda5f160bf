package diff

import (
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// enums compares two enums value by value.
func (c *typeComparer) enums(s scope, old, new *ir.Enum) {
	s = s.holds("", "")
	if old.Open != new.Open {
		r := relation{gained: "values that are not declared"}
		if old.Open {
			r = relation{lost: "values that are not declared"}
		}
		c.emit(s.below("open"), OpenChanged, onOff(old.Open), onOff(new.Open), changeWords("open", onOff(old.Open), onOff(new.Open)), r)
	}
	news := map[string]*ir.EnumValue{}
	for i := range new.Values {
		news[new.Values[i].Value.String()] = &new.Values[i]
	}
	olds := map[string]*ir.EnumValue{}
	for i := range old.Values {
		v := &old.Values[i]
		olds[v.Value.String()] = v
		if news[v.Value.String()] == nil {
			c.valueGone(s, v, new.Open)
		}
	}
	for i := range new.Values {
		v := &new.Values[i]
		if o := olds[v.Value.String()]; o != nil {
			c.value(s, o, v)
		} else {
			c.valueAdded(s, v, old.Open)
		}
	}
}

func (c *typeComparer) valueGone(s scope, v *ir.EnumValue, open bool) {
	s = s.below(v.Value.Text).at(valuePos(v), diag.Pos{})
	s.new = diag.Pos{}
	r := relation{}
	if !open {
		r.lost = "the value " + v.Value.String()
	}
	c.emit(s, ValueRemoved, v.Value.String(), "", "the value is gone", r, Judgement{Break, "the constant " + c.names.old.Value(v) + " is gone"})
}

func (c *typeComparer) valueAdded(s scope, v *ir.EnumValue, open bool) {
	s = s.below(v.Value.Text).at(diag.Pos{}, valuePos(v))
	s.old = diag.Pos{}
	r := relation{}
	if !open {
		r.gained = "the value " + v.Value.String()
	}
	c.emit(s, ValueAdded, "", v.Value.String(), "a new value", r, Judgement{OK, "it only adds a constant; a switch over the values may want a case"})
}

func (c *typeComparer) value(s scope, o, n *ir.EnumValue) {
	s = s.below(n.Value.Text).at(valuePos(o), valuePos(n))
	before, after := c.names.old.Value(o), c.names.new.Value(n)
	if o.Go.Name != n.Go.Name && before != after {
		c.emit(s, NameInGo, before, after, changeWords("its name in Go", before, after), relation{}, judgeRename(before, after)).Script = sameScript
	}
	c.meta(s, o.Meta, n.Meta)
}

func valuePos(v *ir.EnumValue) diag.Pos {
	if v.Pos.Valid() {
		return v.Pos
	}
	return v.Value.Pos
}
