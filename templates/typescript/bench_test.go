package typescript_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/templates/typescript"
)

// BenchmarkGenerate compares the time of TypeScript with that of Go, for the schema of all kinds.
func BenchmarkGenerate(b *testing.B) {
	doc, faults := schema.Load("../../test/allkinds/allkinds.rpc.yaml")
	if doc == nil {
		b.Fatal(faults)
	}
	b.Run("TypeScript", func(b *testing.B) {
		for b.Loop() {
			typescript.Generate(doc, typescript.Options{})
		}
	})
	b.Run("Go", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := templates.Generate(doc, templates.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
