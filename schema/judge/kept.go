package judge

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// shape looks through names and null.
func shape(t ir.Type) ir.Type {
	for {
		switch named := t.(type) {
		case *ir.Ref:
			t = named.Decl.Type
		case *ir.Nullable:
			t = named.Elem
		default:
			return t
		}
	}
}

// Kept is what a decoder keeps of a value that fits a type: members that the type ignores are gone, absent ones have their defaults, numbers are rounded to
// float64 where the type is that, and date-times are written in one way. A value that does not fit is kept as far as it does.
func Kept(t ir.Type, v ir.Value) ir.Value { return new(keeping).value(t, v) }

// Endless reports whether the default of a field has no end: its decoder would fill in that default again, within itself.
func Endless(f *ir.Field) bool {
	k := new(keeping)
	k.fill(f)
	return k.endless
}

// keeping is a value while it is found out what a decoder keeps of it.
type keeping struct {
	depth, count int  // defaults that are filled in within each other, and all of them
	endless      bool // there were too many
}

// The most defaults that are filled in within each other, and in all.
const (
	deepestFilled = 64
	mostFilled    = 10_000
)

// fill is what a decoder fills in for a field that is not there.
func (k *keeping) fill(f *ir.Field) ir.Value {
	k.count++
	if k.depth >= deepestFilled || k.count > mostFilled {
		k.endless = true
		return *f.Default
	}
	k.depth++
	defer func() { k.depth-- }()
	return k.value(f.Type, *f.Default)
}

func (k *keeping) value(t ir.Type, v ir.Value) ir.Value {
	switch t := t.(type) {
	case *ir.Ref:
		return k.value(t.Decl.Type, v)
	case *ir.Nullable:
		if v.Kind != ir.Null {
			return k.value(t.Elem, v)
		}
	case *ir.Float:
		if f, err := strconv.ParseFloat(v.Text, 64); err == nil && (v.Kind == ir.Integer || v.Kind == ir.Number) {
			return ir.NumberValue(strconv.FormatFloat(f, 'e', -1, 64))
		}
	case *ir.Time:
		if m, err := time.Parse(time.RFC3339Nano, strings.ToUpper(v.Text)); err == nil && v.Kind == ir.Text {
			return ir.Value{Kind: ir.Text, Text: m.Format(time.RFC3339Nano)}
		}
	}
	if d := ir.DecisionOf(t); d != nil {
		return k.keepDecision(d, v)
	}
	if s := ir.AsStruct(t); s != nil && v.Kind == ir.Object {
		return k.object(s, v)
	}
	if ir.IsArray(t) {
		v.Items = slices.Clone(v.Items)
		for i, item := range v.Items {
			if elem := ir.ElementAt(t, i); elem != nil {
				v.Items[i] = k.value(elem, item)
			}
		}
	}
	return v
}

func (k *keeping) object(t *ir.Struct, v ir.Value) ir.Value {
	kept := ir.Value{Kind: ir.Object}
	named := map[string]bool{}
	for _, f := range t.Fields {
		named[f.Name] = true
		switch value, there := v.Get(f.Name); {
		case there:
			kept.Fields = append(kept.Fields, ir.Member{Name: f.Name, Value: k.value(f.Type, value)})
		case f.Default != nil:
			kept.Fields = append(kept.Fields, ir.Member{Name: f.Name, Value: k.fill(f)})
		}
	}
	if t.Additional == ir.AdditionalKept {
		for _, m := range v.Fields {
			if !named[m.Name] {
				kept.Fields = append(kept.Fields, ir.Member{Name: m.Name, Value: k.value(t.Extra, m.Value)})
			}
		}
	}
	return kept
}

// keepDecision is the value of the branch that the decision of a union picks. It keeps the tag too that a branch leaves to its union.
func (k *keeping) keepDecision(d ir.Decision, v ir.Value) ir.Value {
	if _, raw := d.(*ir.ByContext); raw {
		return v
	}
	branch, _, _ := decide(d, v)
	if branch == nil {
		return v
	}
	kept := k.value(branch.Type, v)
	by, ok := d.(*ir.ByProperty)
	if !ok || by.Else != nil || kept.Kind != ir.Object {
		return kept
	}
	if _, there := kept.Get(by.Property); there {
		return kept
	}
	if _, isStruct := shape(branch.Type).(*ir.Struct); !isStruct || declares(branch.Type, by.Property) {
		return kept
	}
	for _, c := range by.Cases {
		if pick, ok := c.Then.(*ir.Pick); ok && pick.Branch == branch {
			kept.Fields = append(kept.Fields, ir.Member{Name: by.Property, Value: c.Tag})
			break
		}
	}
	return kept
}

func declares(t ir.Type, name string) bool {
	s, ok := shape(t).(*ir.Struct)
	return ok && s.Field(name) != nil
}
