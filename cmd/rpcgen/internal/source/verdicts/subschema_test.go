package verdicts_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/subschema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// TestSubschema changes schemas, and asks the independent validator about values of one of which it is said that they fit the other.
func TestSubschema(t *testing.T) {
	shown := 0
	rapid.Check(t, func(t *rapid.T) {
		g := generator{t: t, refs: []string{"#/$defs/SA", "#/$defs/SB"}}
		one := ir.Value{Kind: ir.Object, Fields: append(slices.Clone(g.object().Fields), ir.Member{Name: "$defs", Value: definitions(g.definitions("SA", "SB"))})}
		other := g.edited(one)
		if g.chance(2) {
			one, other = other, one
		}
		if !subschema.Within(one, other) || len(judge.SchemaFaults(one)) > 0 || len(judge.SchemaFaults(other)) > 0 {
			return
		}
		narrow, err := compile(one)
		wide, fault := compile(other)
		if err != nil || fault != nil { // the change has made it invalid
			return
		}
		shown++
		for range 10 {
			if v := g.small(0); valid(t, narrow, v) && !valid(t, wide, v) {
				t.Fatalf("%s fits\n%s\nbut not\n%s", v, one, other)
			}
		}
	})
	t.Logf("%d were shown to fit", shown)
	if shown == 0 && !testing.Short() {
		t.Error("nothing was shown to fit")
	}
}

// edited changes a few things anywhere in a schema.
func (g *generator) edited(v ir.Value) ir.Value {
	switch {
	case v.Kind == ir.Object && len(v.Fields) > 0 && !g.chance(4):
		v.Fields = slices.Clone(v.Fields)
		i := g.pick(len(v.Fields))
		v.Fields[i].Value = g.edited(v.Fields[i].Value)
	case v.Kind == ir.Object && len(v.Fields) > 0 && g.chance(2):
		i := g.pick(len(v.Fields))
		v.Fields = slices.Delete(slices.Clone(v.Fields), i, i+1)
	case v.Kind == ir.Object:
		name := choose(g, keywords...)
		v.Fields = set(slices.Clone(v.Fields), name, g.keywordValue(name, 2))
	case v.Kind == ir.Array && len(v.Items) > 0 && !g.chance(3):
		v.Items = slices.Clone(v.Items)
		i := g.pick(len(v.Items))
		v.Items[i] = g.edited(v.Items[i])
	case v.Kind == ir.Array && len(v.Items) > 1 && g.chance(2):
		i := g.pick(len(v.Items))
		v.Items = slices.Delete(slices.Clone(v.Items), i, i+1)
	case v.Kind == ir.Array:
		v.Items = append(slices.Clone(v.Items), g.small(2))
	case v.Kind == ir.Integer:
		if n, err := strconv.Atoi(v.Text); err == nil {
			return ir.NumberValue(strconv.Itoa(n + 1))
		}
	}
	return v
}
