// Package scopes_test tests what middleware and callers see of keys of methods and tools: scopes, over all transports and with what answers in place of
// handlers, and what a schema exposes.
package scopes_test

import (
	"os"
	"path/filepath"
	"testing"

	_ "github.com/rpcgen-go/rpcgen/runtime/gen/scope"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

// TestScopes generates the code of both schemas, and runs the tests that call it. Go repeats it when a file changes that it reads: those of the packages under
// test are not linked here.
func TestScopes(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"*.yaml", "testdata/overlay/*.go", "../../runtime/*.go", "../../runtime/gen/scope/*.go", "../../runtime/mcp/*.go",
		"../../runtime/mcp/mcphttp/*.go", "../../runtime/principal/*.go", "../../runtime/internal/web/*.go", "../../runtime/transport/*/*.go",
		"../../runtime/x/cache/*.go", "../../runtime/x/mcp*/*.go", "../../runtime/x/mount/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || files == nil {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			if _, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	overlay.Test(t, "^Test(Scopes|Expose).", overlay.Package{Folder: "till", Schema: "till.rpc.yaml"}, overlay.Package{Folder: "desk", Schema: "desk.rpc.yaml"})
}
