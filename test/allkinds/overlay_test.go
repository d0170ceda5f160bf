package allkinds_test

import (
	"os"
	"path/filepath"
	"testing"

	_ "github.com/rpcgen-go/rpcgen/runtime/gen/compact"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

// TestCompact generates the same schema with the compact codec, and runs the tests that compare it with the full one. Go repeats it when they change, and
// what they link: therefore it reads the ones, and imports the other.
func TestCompact(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	for _, file := range files {
		if err == nil {
			_, err = os.ReadFile(file)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	overlay.Test(t, "^TestCompact.", overlay.Package{Folder: "rpc/compact", Schema: "allkinds.rpc.yaml", Compact: true})
}
