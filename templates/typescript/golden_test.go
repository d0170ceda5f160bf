package typescript_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/templates/typescript"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden compares what is generated for test/allkinds and test/streams with testdata. It needs no compiler of TypeScript: "make typescript" compiles
// and runs the same.
func TestGolden(t *testing.T) {
	for name, file := range map[string]string{"allkinds": "allkinds", "streams": "streams/rpc"} {
		t.Run(name, func(t *testing.T) { compareGolden(t, name, "../../test/"+file+"/"+name+".rpc.yaml") })
	}
}

// untyped are the streams of test/streams for which there is no TypeScript: those that clients send, and those with another name on the wire.
var untyped = regexp.MustCompile(`(?s)  echo: .*?\n|  eth/heads:.*\n\n`)

func compareGolden(t *testing.T, name, file string) {
	read := func(name string) ([]byte, error) {
		text, err := os.ReadFile(name)
		return untyped.ReplaceAll(text, nil), err
	}
	doc, faults := (&schema.Loader{Read: read}).Load(file)
	if doc == nil {
		t.Fatal(faults)
	}
	files, faults := typescript.Generate(doc, typescript.Options{})
	if faults.HasErrors() {
		t.Fatal(faults)
	}
	compared := 0
	for _, f := range files {
		if f.Name == "streams.ts" && name != "streams" {
			t.Error("a module for streams, of which there are none")
		}
		golden := filepath.Join("testdata", name, f.Name)
		if _, err := os.Stat(filepath.Join("lib", f.Name)); err == nil {
			continue // it is the same for all schemas
		}
		compared++
		if *update {
			if err := os.WriteFile(golden, f.Text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := linediff.Diff(golden, want, "generated", f.Text); d != nil {
			t.Errorf("if this is on purpose, run go test ./templates/typescript -update\n%s", d)
		}
	}
	if compared != 3 {
		t.Errorf("%d files were compared", compared)
	}
}
