package allkinds_test

import (
	"slices"
	"strconv"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// normal is v, which fits t, as a decoder keeps it: what t ignores is gone, defaults are filled in, floats are rounded, and
// date-times are moments. What a value and its encoding share is equal then.
func normal(t ir.Type, v ir.Value) ir.Value {
	switch t := t.(type) {
	case *ir.Ref:
		return normal(t.Decl.Type, v)
	case *ir.Nullable:
		if v.Kind != ir.Null {
			return normal(t.Elem, v)
		}
	case *ir.Float:
		f, _ := strconv.ParseFloat(v.Text, 64)
		return ir.NumberValue(strconv.FormatFloat(f, 'g', -1, 64))
	case *ir.Time:
		return textual(moment(v.Text))
	case *ir.List:
		items := make([]ir.Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = normal(t.Elem, item)
		}
		v.Items = items
	case *ir.Tuple:
		items := make([]ir.Value, len(v.Items))
		for i, item := range v.Items {
			if i < len(t.Items) {
				items[i] = normal(t.Items[i].Type, item)
			} else {
				items[i] = normal(t.Rest, item)
			}
		}
		v.Items = items
	case *ir.Map:
		members := make([]ir.Member, len(v.Fields))
		for i, m := range v.Fields {
			members[i] = ir.Member{Name: m.Name, Value: normal(t.Elem, m.Value)}
		}
		v.Fields = members
	case *ir.Struct:
		return normalObject(t, v)
	case *ir.Union:
		if b := decide(t.Decide, v); b != nil {
			return normalTag(t, b, normal(b.Type, v))
		}
	}
	return v
}

func moment(text string) string {
	upper := []byte(text)
	for i, c := range upper {
		if c == 't' || c == 'z' {
			upper[i] = c - 'a' + 'A'
		}
	}
	m, err := time.Parse(time.RFC3339Nano, string(upper))
	if err != nil {
		panic(err)
	}
	return m.UTC().Format(time.RFC3339Nano)
}

func normalObject(t *ir.Struct, v ir.Value) ir.Value {
	kept := ir.Value{Kind: ir.Object}
	named := map[string]bool{}
	for _, f := range t.Fields {
		named[f.Name] = true
		value, ok := get(v, f.Name)
		switch {
		case ok:
			kept.Fields = append(kept.Fields, ir.Member{Name: f.Name, Value: normal(f.Type, value)})
		case f.Default != nil:
			kept.Fields = append(kept.Fields, ir.Member{Name: f.Name, Value: normal(f.Type, *f.Default)})
		}
	}
	if t.Additional == ir.AdditionalKept {
		for _, m := range v.Fields {
			if !named[m.Name] {
				kept.Fields = append(kept.Fields, ir.Member{Name: m.Name, Value: normal(t.Extra, m.Value)})
			}
		}
	}
	return kept
}

// decide follows a decision for a value that fits; nil when the union keeps the value as it is.
func decide(d ir.Decision, v ir.Value) *ir.Branch {
	switch d := d.(type) {
	case *ir.Pick:
		return d.Branch
	case *ir.ByKind:
		for _, c := range d.Cases {
			if c.Kind == v.Kind {
				return decide(c.Then, v)
			}
		}
		for _, c := range d.Cases {
			if c.Kind == ir.Number && v.Kind == ir.Integer {
				return decide(c.Then, v)
			}
		}
	case *ir.ByProperty:
		tag, ok := get(v, d.Property)
		if !ok && d.Absent != nil {
			return decide(d.Absent, v)
		}
		for _, c := range d.Cases {
			if ok && judge.Equal(c.Tag, tag) {
				return decide(c.Then, v)
			}
		}
		if ok && d.Else != nil {
			return decide(d.Else, v)
		}
	case *ir.ByPresence:
		for _, c := range d.Cases {
			if _, ok := get(v, c.Property); ok {
				return decide(c.Then, v)
			}
		}
		if d.Else != nil && v.Kind == ir.Object {
			return decide(d.Else, v)
		}
	case *ir.ByLength:
		for _, c := range d.Cases {
			if n := len(v.Items); n >= c.Min && (c.Max < 0 || n <= c.Max) {
				return decide(c.Then, v)
			}
		}
	case *ir.ByValue:
		for _, c := range d.Cases {
			if judge.Equal(c.Tag, v) {
				return decide(c.Then, v)
			}
		}
	case *ir.InElement:
		if d.Index < len(v.Items) {
			return decide(d.Decide, v.Items[d.Index])
		}
		if d.Absent != nil {
			return decide(d.Absent, v)
		}
	case *ir.InProperty:
		inner, ok := get(v, d.Property)
		if ok {
			return decide(d.Decide, inner)
		}
		if d.Absent != nil {
			return decide(d.Absent, v)
		}
	}
	return nil
}

// normalTag adds the tag of a branch that does not declare it: encoders write it, even where it was absent.
func normalTag(u *ir.Union, b *ir.Branch, v ir.Value) ir.Value {
	by, ok := u.Decide.(*ir.ByProperty)
	for ref, isRef := b.Type.(*ir.Ref); isRef; ref, isRef = b.Type.(*ir.Ref) {
		b = &ir.Branch{Name: b.Name, Type: ref.Decl.Type}
	}
	s, isStruct := b.Type.(*ir.Struct)
	if !ok || !isStruct || slices.ContainsFunc(s.Fields, func(f *ir.Field) bool { return f.Name == by.Property }) {
		return v
	}
	for _, c := range by.Cases {
		if pick, ok := c.Then.(*ir.Pick); ok && pick.Branch.Name == b.Name {
			v.Fields = set(v.Fields, by.Property, c.Tag)
		}
	}
	return v
}
