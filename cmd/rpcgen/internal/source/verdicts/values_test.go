package verdicts_test

import (
	"math/rand/v2"
	"slices"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/sample"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// editor makes values of other values: most of them break a rule of their type, and some fit another branch of it.
type editor struct {
	*rand.Rand
	pool []ir.Value // what stands in place of a part
}

func newEditor(seed int) *editor {
	e := &editor{Rand: rand.New(rand.NewPCG(uint64(seed), 7))}
	for _, text := range []string{"null", "true", "false", "0", "-1", "1", "7.5", "1e3", "-2147483649", "4294967296", `""`, `"x"`, `"a longer text, of no format"`,
		`"0x1f"`, `"2026-01-31T12:00:00Z"`, `"https://example.com/a"`, "[]", `["x"]`, "[1,2]", "{}", `{"x":1}`, `{"kind":"x"}`} {
		v, err := ir.ParseJSON([]byte(text))
		if err != nil {
			panic(err)
		}
		e.pool = append(e.pool, v)
	}
	return e
}

// samples are values that fit a type: one of it, and one of each branch where it is a union.
func samples(t ir.Type) (all []ir.Value) {
	if v, ok := sample.Of(t); ok {
		all = append(all, v)
	}
	for ref, ok := t.(*ir.Ref); ok; ref, ok = t.(*ir.Ref) {
		t = ref.Decl.Type
	}
	if u, ok := t.(*ir.Union); ok {
		for _, b := range u.Branches {
			all = append(all, samples(b.Type)...)
		}
	}
	return all
}

// edited is a value with up to three edits.
func (e *editor) edited(v ir.Value) ir.Value {
	for range 1 + e.IntN(3) {
		v = e.edit(v, 0)
	}
	return v
}

func (e *editor) any() ir.Value { return e.pool[e.IntN(len(e.pool))] }

// edit changes a value, or a part of it.
func (e *editor) edit(v ir.Value, depth int) ir.Value {
	inside := len(v.Fields) + len(v.Items)
	if inside == 0 || e.IntN(4+depth) == 0 {
		return e.whole(v)
	}
	at := e.IntN(inside)
	if v.Kind == ir.Array {
		v.Items = slices.Clone(v.Items)
		v.Items[at] = e.edit(v.Items[at], depth+1)
		return v
	}
	v.Fields = slices.Clone(v.Fields)
	v.Fields[at].Value = e.edit(v.Fields[at].Value, depth+1)
	return v
}

// whole changes a value itself: a member or an element goes or comes, or another value takes its place.
func (e *editor) whole(v ir.Value) ir.Value {
	switch {
	case v.Kind == ir.Object && len(v.Fields) > 0 && e.IntN(2) == 0:
		at := e.IntN(len(v.Fields))
		v.Fields = slices.Delete(slices.Clone(v.Fields), at, at+1)
	case v.Kind == ir.Object && e.IntN(2) == 0:
		v.Fields = set(slices.Clone(v.Fields), "extra", e.any())
	case v.Kind == ir.Array && len(v.Items) > 0 && e.IntN(2) == 0:
		v.Items = v.Items[:len(v.Items)-1]
	case v.Kind == ir.Array && e.IntN(2) == 0:
		v.Items = append(slices.Clone(v.Items), append([]ir.Value{e.any()}, v.Items...)[0])
	case v.Kind == ir.Text && e.IntN(3) == 0:
		v.Text += "x"
	case v.Kind == ir.Integer && e.IntN(3) == 0:
		v = ir.NumberValue("-" + v.Text)
		if v.Text[:2] == "--" {
			v = ir.NumberValue(v.Text[2:])
		}
	default:
		v = e.any()
	}
	return v
}
