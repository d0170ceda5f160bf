package profiles_test

import (
	"os"
	"path/filepath"
	"testing"

	_ "github.com/rpcgen-go/rpcgen/runtime/gen/optional"
	_ "github.com/rpcgen-go/rpcgen/runtime/gen/pattern"
	_ "github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	_ "github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	_ "github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

// TestProfiles generates the package of the schema, which is not kept in this repository, and runs the tests that use it. Go repeats it when they change, and
// what they link: therefore it reads the ones, and imports the other.
func TestProfiles(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"profiles_test.go", "random_test.go"} {
		if _, err := os.ReadFile(filepath.Join("testdata", "overlay", file)); err != nil {
			t.Fatal(err)
		}
	}
	overlay.Test(t, "^(Test(Clients|Choice|Dynamic|Cache|Strict|RandomStrict)|FuzzArguments)$", overlay.Package{Folder: "rpc", Schema: "profiles.rpc.yaml"})
}
