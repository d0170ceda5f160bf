//go:build !race

package conform_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

// TestMemory counts the memory for texts that have many values, or many broken ones, for their length.
func TestMemory(t *testing.T) {
	const size = 128 << 10
	schemas := []string{
		`{"uniqueItems":true,"items":false}`,
		`{"items":{"type":"string","pattern":"^a"},"contains":{"type":"boolean"}}`,
		`{"oneOf":[{"items":{"type":"string"}},{"items":{"minimum":2,"type":"integer"}}]}`,
		`{"$ref":"#/$defs/N","$defs":{"N":{"type":["array","null"],"items":{"$ref":"#/$defs/N"},"uniqueItems":true}}}`,
		`{"$ref":"#/$defs/N","$defs":{"N":{"additionalProperties":{"$ref":"#/$defs/N"},"required":["a"],"unevaluatedProperties":false}}}`,
		`{"allOf":[{"$ref":"#/$defs/N"}],"unevaluatedItems":false,"$defs":{"N":{"prefixItems":[{"allOf":[{"$ref":"#/$defs/N"}],"unevaluatedItems":false}]}}}`,
		`{"items":{"allOf":[{"$ref":"#/$defs/N"}],"unevaluatedProperties":false},"$defs":{"N":{"anyOf":[{"properties":{"":true}},{"type":"null"}]}}}`,
	}
	repeat := func(open, part, end string) string {
		return open + strings.Repeat(part+",", size/(len(part)+1)) + part + end
	}
	nest := func(open, inner, end string, depth int) string {
		one := strings.Repeat(open, depth) + inner + strings.Repeat(end, depth)
		return repeat("[", one, "]")
	}
	texts := []string{
		repeat("[", "1", "]"), repeat("[", "{}", "]"), repeat("[", `""`, "]"), repeat("[", `"\n"`, "]"), repeat("[", "[]", "]"),
		repeat("[", `{"":0}`, "]"), repeat("[", "[0]", "]"), repeat("{", `"":0`, "}"), nest("[", "", "]", 60), nest(`{"a":`, "0", "}", 60),
	}
	for _, schema := range schemas {
		s := conform.Schema{Text: schema}
		s.Check(new(violation.List), "", "null")
		for _, text := range texts {
			if used := allocated(func() { s.Check(new(violation.List), "", text) }); used > 16*uint64(len(text)) {
				t.Errorf("%s\n%.40s: %.1f bytes of memory for each byte", schema, text, float64(used)/float64(len(text)))
			}
		}
	}
}

// allocated is how much memory f allocates, the least of some runs: other goroutines of the test binary allocate as well.
func allocated(f func()) uint64 {
	least := ^uint64(0)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
