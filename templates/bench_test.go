package templates_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/templates"
)

// service is a schema with n methods, each with params of six fields, and a result with a list of structs.
func service(n int) string {
	var s strings.Builder
	s.WriteString("rpcgen: v1\npackage: service\ntypes:\n")
	for i := range n {
		fmt.Fprintf(&s, `  Day%[1]d:
    fields:
      date: string
      high: number
      low: number
      summary: {type: string, maxLength: 200}
`, i)
	}
	s.WriteString("methods:\n")
	for i := range n {
		fmt.Fprintf(&s, `  area/method%[1]d:
    description: Does thing %[1]d.
    params:
      city: {type: string, minLength: 1, maxLength: 80}
      days: {type: integer, minimum: 1, maximum: 16}
      units?: {type: string, enum: [metric, imperial], default: metric}
      include: list<string>
      lang?: string
      detail: boolean
    result:
      city: string
      units: string
      days: list<Day%[1]d>
`, i)
	}
	return s.String()
}

// BenchmarkGenerate compiles schemas from YAML to Go, all in memory.
func BenchmarkGenerate(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			text := []byte(service(n))
			for b.Loop() {
				loader := schema.Loader{Read: func(string) ([]byte, error) { return text, nil }}
				doc, diags := loader.Load("service.rpc.yaml")
				if doc == nil {
					b.Fatal(diags)
				}
				if _, diags, err := templates.Generate(doc, templates.Options{}); err != nil || diags.HasErrors() {
					b.Fatal(err, diags)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "us/method")
		})
	}
}
