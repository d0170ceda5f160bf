package sample_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/sample"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// TestAllKinds finds a value for every type of the schema that has every kind, and it fits.
func TestAllKinds(t *testing.T) {
	doc, faults := schema.Load("../../../../../test/allkinds/allkinds.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	for _, d := range doc.Types {
		v, ok := sample.Of(&ir.Ref{Decl: d})
		if !ok {
			t.Errorf("%s: no sample", d.Name)
			continue
		}
		for _, fault := range judge.Judge(d.Type, v) {
			t.Errorf("%s: %s: %v", d.Name, v, fault)
		}
		if s, ok := d.Type.(*ir.Struct); ok {
			everyField(t, d.Name, s)
		}
	}
}

func everyField(t *testing.T, name string, s *ir.Struct) {
	t.Helper()
	for _, f := range s.Fields {
		if v, ok := sample.Of(f.Type); !ok {
			t.Errorf("%s.%s: no sample, but %s", name, f.Name, v)
		}
	}
}
