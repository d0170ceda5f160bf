package house

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// linked is what the compiler links of the runtime: how JSON Schemas are compiled, and what values fit them. None of it is generated.
var linked = []string{
	"runtime/gen/conform", "runtime/gen/distinct", "runtime/gen/exact", "runtime/gen/rule", "runtime/gen/violation", "runtime/gen/wire",
	"runtime/internal/canonical", "runtime/x/contract/values",
}

// TestBootstrap breaks a generated file and generates it again: the command that `make generate` builds links no
// generated code.
func TestBootstrap(t *testing.T) {
	root()
	out, err := exec.Command("go", "list", "-deps", "-tags", "bootstrap", "./cmd/rpcgen").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		if name == "net/http" || name == "crypto/tls" {
			t.Errorf("the compiler links %s", name)
		}
		if own, ours := strings.CutPrefix(name, "github.com/rpcgen-go/rpcgen/"); ours && !slices.Contains(linked, own) && (strings.HasPrefix(own, "runtime") || strings.HasPrefix(own, "generated")) {
			t.Errorf("the compiler links %s", own)
		}
	}
	if testing.Short() {
		return
	}
	copied := t.TempDir()
	for _, folder := range []string{"generated/mcp20260728", "schema"} {
		if err := os.CopyFS(filepath.Join(copied, folder), os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
	}
	const file = "generated/mcp20260728/rpc_types.gen.go"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(copied, file)
	overlay, compiler := filepath.Join(copied, "overlay.json"), filepath.Join(copied, "rpcgen")
	for name, text := range map[string]string{
		broken: string(want) + "\nthis is not Go\n", filepath.Join(copied, "go.mod"): string(module), overlay: fmt.Sprintf(`{"Replace":{%q:%q}}`, here, broken),
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(folder string, args ...string) ([]byte, error) {
		command := exec.Command(args[0], args[1:]...)
		command.Dir = folder
		return command.CombinedOutput()
	}
	if out, err := run(".", "go", "build", "-overlay", overlay, "./generated/mcp20260728"); err == nil {
		t.Fatalf("the file is not broken\n%s", out)
	}
	if out, err := run(".", "go", "build", "-overlay", overlay, "-tags", "bootstrap", "-o", compiler, "./cmd/rpcgen"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := run(copied, compiler, "generate", "--out", "generated/mcp20260728", "schema/mcp/module.yaml"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, err := os.ReadFile(filepath.Join(copied, file)); err != nil || string(got) != string(want) {
		t.Errorf("%s was not generated again: %v", file, err)
	}
}
