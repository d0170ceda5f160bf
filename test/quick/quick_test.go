package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// files are those of a small repository: package schema/low, which others test, one that imports it, a page, generated packages and a nested module.
var files = map[string]string{
	"go.mod":                     "module github.com/rpcgen-go/rpcgen\n\ngo 1.26\n",
	"Makefile":                   "SCHEMAS = test/kinds/kinds.yaml:generated/kinds test/near/rpc/near.yaml:test/near/rpc test/far/far.yaml:test/far/rpc\n\ncheck:\n\t@true\n",
	"schema/low/low.go":          "// Package low is tested by others.\n//\n//test:by ./runtime TestLow|TestOther\npackage low\n\n// Answer is a number.\nfunc Answer() int { return 42 }\n\nfunc hidden() {}\n",
	"schema/low/testdata/a":      "",
	"runtime/runtime.go":         "package runtime\n\nimport \"github.com/rpcgen-go/rpcgen/schema/low\"\n\nvar _ = low.Answer\n",
	"runtime/runtime_test.go":    "package runtime\n\nimport (\n\t\"testing\"\n\n\t\"github.com/rpcgen-go/rpcgen/schema/low\"\n)\n\nfunc TestLow(t *testing.T) {\n\tt.Run(\"sum\", func(t *testing.T) {\n\t\tif low.Answer() != 42 {\n\t\t\tt.Error(low.Answer())\n\t\t}\n\t})\n}\n",
	"cmd/cmd.go":                 "package cmd\n\nimport _ \"github.com/rpcgen-go/rpcgen/schema/low\"\n",
	"docs/page.md":               "`low.Answer` answers.\n\n```sh\ntrue\n```\n",
	"docs/docs_test.go":          "//test:by ./docs TestLinks\npackage docs\n\nimport \"testing\"\n\nfunc TestLinks(*testing.T) {}\n",
	"generated/kinds/x.go":       "package kinds\n",
	"test/kinds/kinds.yaml":      "",
	"test/kinds/kinds_test.go":   "package kinds\n",
	"test/near/near_test.go":     "package near\n\nimport (\n\t_ \"github.com/rpcgen-go/rpcgen/test/far/rpc\"\n\t_ \"github.com/rpcgen-go/rpcgen/test/near/rpc\"\n)\n",
	"test/near/rpc/x.go":         "package rpc\n",
	"test/far/rpc/x.go":          "package rpc\n",
	"test/house/house_test.go":   "package house\n",
	"examples/own/go.mod":        "module example.com/own\n",
	"examples/own/below/b.go":    "package below\n",
	"templates/templates.go":     "package templates\n",
	"templates/typescript/t.go":  "package typescript\n",
	"templates/typescript/l/x.t": "",
}

// repository makes the repository in a folder, commits it, and enters it.
func repository(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		write(t, name, text)
	}
	git(t, "init", "-q")
	git(t, "add", ".")
	git(t, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "all")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", append([]string{"-c", "maintenance.auto=false"}, args...)...).CombinedOutput(); err != nil { // goes on after a commit
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// TestChangedFiles: files that were edited, added, deleted and renamed differ from the last commit.
func TestChangedFiles(t *testing.T) {
	repository(t)
	if got, err := changedFiles(); err != nil || got != nil {
		t.Errorf("without changes: %q, %v", got, err)
	}
	write(t, "cmd/cmd.go", "package cmd\n")
	write(t, "cmd/new file/x.go", "package x\n")
	git(t, "rm", "-q", "templates/templates.go")
	git(t, "mv", "docs/page.md", "docs/other.md")
	got, err := changedFiles()
	slices.Sort(got)
	if want := []string{"cmd/cmd.go", "cmd/new file/x.go", "docs/other.md", "docs/page.md", "templates/templates.go"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// TestFolder: a file belongs to a package of this module, or to a nested module.
func TestFolder(t *testing.T) {
	repository(t)
	for file, want := range map[string][2]string{
		"schema/low/low.go": {".", "schema/low"}, "schema/low/testdata/a": {".", "schema/low"}, "gone/gone.go": {".", "gone"}, "Makefile": {".", "."},
		"templates/typescript/l/x.t": {".", "templates/typescript"}, "examples/own/below/b.go": {"examples/own", "examples/own/below"}, "generated/none.txt": {".", "."},
	} {
		if mod, dir := folder(file); mod != want[0] || dir != want[1] {
			t.Errorf("%s: got %s and %s, want %q", file, mod, dir, want)
		}
	}
}

// TestExportedChanges: bodies, comments, and what is not exported do not count.
func TestExportedChanges(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"func F() int { return 1 }", "// F is better.\nfunc F() int {\n\treturn 2\n}", ""},
		{"func F()", "func F(int)", "F"},
		{"func f()", "func g()", ""},
		{"type T struct{ A, b int }", "type T struct {\n\tA int // first\n\tc int\n}", ""},
		{"type T struct{ A int }", "type T struct{ A, B int }", "T"},
		{"type T int; func (T) M() {}", "type T int; func (*T) N() {}", "T.M T.N"},
		{"const A, B = 1, 2", "const (\n\tA = 1\n\tB = 2\n)", "A B"},
		{"var V []int", "", "V"},
		{"type I interface{ M() }", "type I interface{ M(); N() }", "I"},
	} {
		before, after := declarations([]byte("package p\n"+c.before)), declarations([]byte("package p\n"+c.after))
		if got := strings.Join(differences(before, after), " "); got != c.want {
			t.Errorf("from %s to %s: got %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

// planned returns the commands for the changes of the repository.
func planned(t *testing.T) string {
	t.Helper()
	files, err := changedFiles()
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(files)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range p.steps() {
		all = append(all, strings.ReplaceAll(s.String(), "go test -vet=off -parallel 6", "test"))
	}
	return strings.Join(all, "\n")
}

// TestPlan: what runs after a change.
func TestPlan(t *testing.T) {
	const every = "\ntest -short ./cmd/rpcgen/command -run '^TestEvery'\ntest -short ./cmd/rpcgen/internal/language/docs ./cmd/rpcgen/internal/language/editor ./test/house"
	for name, c := range map[string]struct{ file, text, want string }{
		"named":     {"runtime/more.go", "package runtime\n\nfunc More() {}\n", "go vet ./runtime\ntest -short ./docs -run TestLinks\ntest -short ./runtime ./test/house"},
		"place":     {"docs/language.md", "", "go vet ./docs\ntest -short ./cmd/rpcgen/command -run '^TestEvery'\ntest -short ./docs -run TestLinks\ntest -short ./test/house"},
		"main page": {"README.md", "```sh\ntrue\n```\n", "test -short ./docs -run TestLinks\ntest ./docs -run 'TestPages/^README\\.md$'\ntest -short ./test/house"},
		"workshop":  {"docs/workshop/page.md", "```sh\ntrue\n```\n", "go vet ./docs\ntest -short ./docs -run TestLinks\ntest ./docs -run 'TestPages/^workshop$/^page\\.md$'\ntest -short ./test/house"},
		"comment":   {"schema/low/low.go", files["schema/low/low.go"] + "// more\n", "go vet ./schema/low" + every + "\ntest -short ./runtime -run 'TestLow|TestOther'\nmake --no-print-directory -s check"},
		"exported":  {"schema/low/more.go", "package low\n\nfunc Answer2() {}\n", "go vet ./cmd ./runtime ./schema/low" + every + "\ntest -short ./runtime -run 'TestLow|TestOther'\nmake --no-print-directory -s check"},
		"testdata":  {"schema/low/testdata/a", "a", "go vet ./schema/low" + every + "\ntest -short ./runtime -run 'TestLow|TestOther'"},
		"page":      {"docs/page.md", "```sh\ntrue\n```\n", "go vet ./docs\ntest -short ./docs -run TestLinks\ntest ./docs -run 'TestPages/^page\\.md$'\ntest -short ./test/house"},
		"readme":    {"examples/own/README.md", "```sh\ntrue\n```\n", "test -short ./docs -run TestLinks\ntest ./docs -run 'TestPages/^examples$/^own$/^README\\.md$'\ntest -short ./test/house\ncd examples/own && test -short ./..."},
		"generated": {"generated/kinds/x.go", "package kinds\n\n// x\n", "go vet ./generated/kinds\ntest -short ./test/house ./test/kinds"},
		"adjacent":  {"test/near/rpc/x.go", "package rpc\n\n// x\n", "go vet ./test/near/rpc\ntest -short ./test/house ./test/near"},
		"imported":  {"test/far/rpc/x.go", "package rpc\n\n// x\n", "go vet ./test/far/rpc\ntest -short ./test/house ./test/near"},
		"root":      {"Makefile", files["Makefile"] + "\n", "test -short ./test/house"},
		"nested":    {"examples/own/below/b.go", "package below\n\n", "test -short ./test/house\ncd examples/own && test -short ./..."},
		"library":   {"templates/typescript/l/x.t", "x", "go vet ./templates/typescript\ntest -short ./cmd/rpcgen/command -run '^TestEvery'\ntest -short ./test/house\nmake --no-print-directory -s check"},
	} {
		t.Run(name, func(t *testing.T) {
			repository(t)
			write(t, c.file, c.text)
			if got := planned(t); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestEveryPackage: a change of any package of this repository is tested.
func TestEveryPackage(t *testing.T) {
	t.Chdir("../..")
	p, err := newPlan(nil)
	if err != nil {
		t.Fatal(err)
	}
	for dir := range p.all {
		if len(p.testsOf(dir)) == 0 {
			t.Error("nothing tests", dir)
		}
	}
}

// TestMentioned: a page that names what changed runs, in its short form.
func TestMentioned(t *testing.T) {
	repository(t)
	write(t, "schema/low/low.go", strings.Replace(files["schema/low/low.go"], "int {", "int64 {", 1))
	if got, want := planned(t), "\ntest -short ./docs -run 'TestPages/^page\\.md$'\n"; !strings.Contains(got, want) {
		t.Errorf("got\n%s", got)
	}
}

// TestGoneText: a page that has a text that a program printed before runs as a whole, and one that has what is left of it does not.
func TestGoneText(t *testing.T) {
	repository(t)
	const page = "```sh\ntrue\n```\n"
	write(t, "docs/old.md", page+"It says: there are 3 of them here.\n")
	write(t, "docs/left.md", page+"It says: this is what is left\n")
	write(t, "cmd/print.go", "package cmd\n\nfunc init() { println(\"there are %d of them here.\\nthis is what is left\") }\n")
	git(t, "add", ".")
	git(t, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "more")
	write(t, "cmd/print.go", "package cmd\n\nfunc init() { println(\"they are %d.\\nthis is what is left\") }\n")
	if got, want := planned(t), "\ntest ./docs -run 'TestPages/^old\\.md$'\n"; !strings.Contains(got, want) || strings.Contains(got, "left") {
		t.Errorf("got\n%s\nwant %s", got, want)
	}
}

// TestRun: what fails is named with the command that runs it alone, and what passes is listed.
func TestRun(t *testing.T) {
	repository(t)
	var out strings.Builder
	write(t, "runtime/runtime.go", strings.Replace(files["runtime/runtime.go"], "low.Answer", "low.Answer()", 1))
	if failures, err := run(&out); err != nil || failures != nil || !strings.Contains(out.String(), "\npassed: go vet ./runtime\n") {
		t.Errorf("%q, %v\n%s", failures, err, &out)
	}
	write(t, "runtime/runtime.go", files["runtime/runtime.go"]+"\n")
	write(t, "runtime/runtime_test.go", strings.Replace(files["runtime/runtime_test.go"], "!= 42", "!= 43", 1))
	failures, err := run(&out)
	if want := []string{"gofmt: gofmt -w runtime/runtime.go", "github.com/rpcgen-go/rpcgen/runtime TestLow/sum\n\tgo test -vet=off -parallel 6 -short -run '^TestLow$/^sum$' github.com/rpcgen-go/rpcgen/runtime"}; err != nil || !slices.Equal(failures, want) {
		t.Errorf("%q, %v\n%s", failures, err, &out)
	}
}
