// Package mcp_test reads the official examples of MCP 2026-07-28 with generated code.
//
//test:sequential
package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/santhosh-tekuri/jsonschema/v6"

	_ "github.com/rpcgen-go/rpcgen/runtime/gen"
	_ "github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

const (
	folder      = "../../schema/mcp/testdata/examples"
	definitions = "../../schema/mcp/testdata/definitions/2026-07-28.json"
)

// future is a kind of content that no revision has.
const future = `{"type":"hologram","data":[1.50,null,{"x":"y"}],"_meta":{"a/b":1}}`

// TestWhole generates the package of the whole revision, which is not kept in this repository, and runs the tests that use it. Go repeats it when they
// change, what they read and what they link: therefore it reads that, and imports it.
func TestWhole(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"*.go", folder + "/*/*.json", definitions} {
		texts(t, pattern)
	}
	overlay.Test(t, "^Test(Examples|Mutants|NullsAreAbsent|Survive|Outcome)$", overlay.Package{Folder: "rpc", Schema: "../../schema/mcp/2026-07-28.yaml"})
}

// texts returns the files that match a pattern.
func texts(t *testing.T, pattern string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(pattern, err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		if all[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// parsed is JSON as a value; numbers keep their text, so that 1 is not 1.0.
func parsed(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
