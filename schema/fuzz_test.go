package schema_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// patience is how long loading may take: a hostile file must not hang the compiler, nor hide as a slow fuzz run.
const patience = time.Minute

// Whatever the bytes, loading ends soon and without a panic, and every diagnostic has a code of the table and a position.
func FuzzLoad(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(txtar.Parse(text).Files[0].Data)
	}
	for _, info := range diag.Codes() {
		f.Add([]byte(info.Example))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		watchdog := time.AfterFunc(patience, func() { panic(fmt.Sprintf("loading hangs: %q", text)) })
		defer watchdog.Stop()
		doc, faults, loader := load(map[string]string{"main.rpc.yaml": string(text), "common.rpc.yaml": "rpcgen: v1\ntypes: {T: {fields: {a: string}}}\n"}, "main.rpc.yaml")
		if (doc == nil) != faults.HasErrors() {
			t.Fatal("a document comes with errors, or neither is there")
		}
		for _, d := range faults {
			if _, ok := diag.Lookup(string(d.Code)); !ok || !d.Span.Valid() || d.Span.Col < 1 || d.Span.Len < 0 {
				t.Fatalf("%+v", d)
			}
		}
		var b bytes.Buffer
		if err := faults.WriteText(&b, loader.Source); err != nil {
			t.Fatal(err)
		}
		if doc != nil {
			if err := printModel(&b, doc); err != nil {
				t.Fatal(err)
			}
		}
	})
}
