package format_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
)

// Whatever is formatted can be read, and is canonical.
func FuzzSource(f *testing.F) {
	for _, name := range []string{"../../../../../examples/weather/weather.rpc.yaml", "../../../../../test/allkinds/allkinds.rpc.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("rpcgen: v1\ntypes:\n  A: {type: list<string>} # one\n  B:\n  - a # two\n  # three\n")
	f.Add("x:\n  - - a: |+\n        b\n\n    # c\n  - {d: 'e', # f\n     g: [h, \"i\\n\"]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, faults := format.Source("x", []byte(text))
		if faults.HasErrors() {
			return
		}
		again, faults := format.Source("x", got)
		if faults.HasErrors() {
			t.Fatalf("%v\n%q", faults, got)
		}
		if d := cmp.Diff(string(got), string(again)); d != "" {
			t.Fatal(d)
		}
	})
}
