package verdicts_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// TestConform draws JSON Schemas over all keywords and values, and asks whether they fit: the runtime, which the interpreter of the model asks in its
// turn, and the independent validator.
func TestConform(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generator{t: t, refs: []string{"#/$defs/A", "#/$defs/B", "#"}}
		schema := g.object()
		schema.Fields = append(schema.Fields, ir.Member{Name: "$defs", Value: definitions(g.definitions("A", "B"))})
		if faults := judge.SchemaFaults(schema); len(faults) > 0 {
			if !strings.Contains(faults[0].Message, "leads back to its own schema") {
				t.Fatalf("%s: %v", schema, faults)
			}
			return
		}
		independent := independent(t, schema)
		ours := conform.Schema{Text: schema.String()}
		for range 6 {
			v := g.small(0)
			want := valid(t, independent, v)
			var vs violation.List
			ours.Check(&vs, "", v.String())
			if got := vs.Len() == 0; got != want {
				t.Fatalf("%s\n%s: the runtime says %v: %v, the independent validator %v", schema, v, got, vs.All(), want)
			}
			if got := judge.Conforms(schema, v); got != want {
				t.Fatalf("%s\n%s: the interpreter says %v, the independent validator %v", schema, v, got, want)
			}
		}
	})
}
