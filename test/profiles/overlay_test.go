package profiles_test

import (
	"os"
	"path/filepath"
	"testing"

	_ "github.com/rpcgen-go/rpcgen/runtime/gen/optional"
	_ "github.com/rpcgen-go/rpcgen/runtime/gen/pattern"
	_ "github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	_ "github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

// TestProfiles generates the package of the schema, which is not kept in this repository, and runs the tests that use it. Go repeats it when they change, and
// what they link: therefore it reads the ones, and imports the other.
func TestProfiles(t *testing.T) {
	t.Parallel()
	if _, err := os.ReadFile(filepath.Join("testdata", "overlay", "profiles_test.go")); err != nil {
		t.Fatal(err)
	}
	overlay.Test(t, "^Test(Clients|Choice|Dynamic|Cache|Strict)$", overlay.Package{Folder: "rpc", Schema: "profiles.rpc.yaml"})
}
