package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// A decision looks at each property of an object once, however many properties two branches fix to values that they share.
func TestDecisionAsksOnce(t *testing.T) {
	for _, n := range []int{1, 2, 4, 6} {
		var one, other strings.Builder
		for i := range n {
			fmt.Fprintf(&one, "      p%d?: {enum: [shared, one]}\n", i)
			fmt.Fprintf(&other, "      p%d?: {enum: [shared, other]}\n", i)
		}
		text := "rpcgen: v1\npackage: p\ntypes:\n  One:\n    fields:\n" + one.String() + "      more?: string\n  Other:\n    fields:\n" + other.String() + "  U: {union: [One, Other]}\n"
		loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
		doc, faults := loader.Load("s.rpc.yaml")
		if doc == nil {
			t.Fatal(faults)
		}
		u := doc.Types[len(doc.Types)-1].Type.(*ir.Union)
		asked := map[string]int{}
		countAsked(u.Decide, map[ir.Decision]bool{}, asked)
		for property, times := range asked {
			if times > 1 {
				t.Errorf("of %d properties, %s is looked at in %d places", n, property, times)
			}
		}
		if len(asked) != n {
			t.Errorf("of %d properties, %d are looked at", n, len(asked))
		}
	}
}

// countAsked counts the decisions by each property, each once.
func countAsked(d ir.Decision, seen map[ir.Decision]bool, asked map[string]int) {
	by, ok := d.(*ir.ByProperty)
	if !ok || seen[d] {
		return
	}
	seen[d] = true
	asked[by.Property]++
	for _, c := range by.Cases {
		countAsked(c.Then, seen, asked)
	}
	countAsked(by.Absent, seen, asked)
	countAsked(by.Else, seen, asked)
}
