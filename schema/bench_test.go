package schema_test

import (
	"fmt"
	"strings"
	"testing"
)

// large is a schema of many methods, each with params of six fields and a result with a list of structs.
func large(methods int) string {
	var b strings.Builder
	b.WriteString("rpcgen: v1\npackage: large\ntypes:\n")
	for i := range methods {
		fmt.Fprintf(&b, `  Row%[1]d:
    fields:
      id: int64
      name: {type: string, maxLength: 80}
      note?: string
      score: number | null
`, i)
	}
	b.WriteString("methods:\n")
	for i := range methods {
		fmt.Fprintf(&b, `  area%[2]d/do%[1]d:
    description: Does the thing number %[1]d.
    params:
      id: {type: int64, minimum: 1}
      name: {type: string, minLength: 1, maxLength: 80}
      tags?: list<string>
      limit?: {type: int32, minimum: 1, maximum: 50, default: 10}
      when?: datetime
      exact: boolean
    result:
      total: int64
      more: boolean
      rows: list<Row%[1]d>
`, i, i/20)
	}
	return b.String()
}

func BenchmarkLoad(b *testing.B) {
	files := map[string]string{"large.rpc.yaml": large(1000)}
	b.SetBytes(int64(len(files["large.rpc.yaml"])))
	b.ReportAllocs()
	for b.Loop() {
		doc, faults, _ := load(files, "large.rpc.yaml")
		if doc == nil {
			b.Fatal(faults)
		}
	}
}
