package ship

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema"
)

var shippedFolder = flag.String("shipped", "", "check the files of this folder")

// TestShipped checks a folder by the definitions and the readers of others: server.json and manifest.json by their published schemas, the program for
// macOS by debug/macho, archives by archive/zip and archive/tar; and starts the program of the bundle and that of the image.
func TestShipped(t *testing.T) {
	if *shippedFolder == "" {
		t.Skip("-shipped names no folder: the script ship.txtar of the command does")
	}
	files := read(t, *shippedFolder)
	sums := 0
	for lines := bufio.NewScanner(bytes.NewReader(files[sumsFile])); lines.Scan(); sums++ {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256(files[name])); got != sum {
			t.Errorf("%s: %s, and %s says %s", name, got, sumsFile, sum)
		}
	}
	if sums != len(files)-1 {
		t.Errorf("%d sums of %d files", sums, len(files)-1)
	}
	valid(t, "server.schema.json", files["server.json"])
	var server struct {
		Name, Version string
		Packages      []struct{ RegistryType, Identifier, FileSha256 string }
	}
	if err := json.Unmarshal(files["server.json"], &server); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %s", server.Name, server.Version)
	for _, p := range server.Packages {
		if p.RegistryType == "oci" && p.FileSha256 != "" || p.RegistryType == "mcpb" && p.FileSha256 != fmt.Sprintf("%x", sha256.Sum256(files[filepath.Base(p.Identifier)])) {
			t.Errorf("%+v", p)
		}
	}
	bundles := 0
	for name, content := range files {
		switch {
		case strings.HasSuffix(name, ".mcpb"):
			bundles++
			checkBundle(t, name, content, files)
		case strings.HasSuffix(name, "-oci.tar"):
			checkImage(t, content, server.Name)
		}
	}
	if bundles == 0 {
		t.Error("there is no bundle")
	}
}

func read(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// valid checks JSON by a schema of the test data of package manifest.
func valid(t *testing.T, file string, text []byte) {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(filepath.Join("..", "manifest", "testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", file, err, text)
	}
}

// start starts a program, and wants an answer to tools/list, and nothing else on its standard output.
func start(t *testing.T, program []byte, arguments []string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "program")
	if err := os.WriteFile(path, program, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, arguments...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}}}` + "\n")
	began := time.Now()
	out, err := cmd.Output()
	var answer struct {
		ID     int
		Result struct{ Tools []struct{ Name string } }
	}
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil || answer.ID != 1 || len(answer.Result.Tools) == 0 {
		t.Errorf("the program answers %q: %v", out, err)
	}
	t.Logf("the program lists %d tools and ends in %d ms", len(answer.Result.Tools), time.Since(began).Milliseconds())
}

// TestChanged: a file that is written while programs are built is named, and one that is added is found by its folder.
func TestChanged(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/small\n\ngo 1.26\n")
	write("main.go", "package main\n\nimport (\n\t_ \"embed\"\n\t_ \"example.com/small/inner\"\n)\n\n//go:embed data.txt\nvar data string\n\nfunc main() {}\n")
	write("data.txt", "data")
	write("inner/inner.go", "package inner\n")
	write("inner/inner_windows.go", "package inner\n")
	for _, change := range []string{"main.go", "data.txt", "inner/inner_windows.go", "go.mod", "inner/new.go"} {
		before, err := sources(t.Context(), ".")
		if err != nil {
			t.Fatal(err)
		}
		if changed := before.changedPath(); changed != "" {
			t.Fatalf("%s has changed", changed)
		}
		text, _ := os.ReadFile(change)
		if text == nil {
			text = []byte("package inner\n")
		}
		if err := os.WriteFile(change, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := before.changedPath(); !strings.HasPrefix(filepath.Join(dir, change), got) || got == "" {
			t.Errorf("%s was written, and %q is said", change, got)
		}
	}
}

// TestFolder: a folder is replaced as a whole or stays.
func TestFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "dist")
	s := &shipment{name: "a", version: "1"}
	s.add("a-1.mcpb", []byte("one"), false)
	s.add("server.json", []byte(`{"version":"1"}`), false)
	put := func() error {
		folder, err := stage(out, "a", "1", io.Discard)
		if err != nil {
			return err
		}
		defer folder.remove()
		return folder.replace(s.files, s.sums())
	}
	for range 2 {
		if err := put(); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := stage(out, "a", "1", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s.add("none/x", nil, false) // which cannot be written
	if err := folder.replace(s.files, s.sums()); err == nil {
		t.Error("it was written")
	}
	folder.remove()
	if files := read(t, out); len(files) != 3 || string(files["a-1.mcpb"]) != "one" {
		t.Errorf("%q", files)
	}
	if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) != 1 {
		t.Error(left, err)
	}
	if err := os.WriteFile(filepath.Join(out, "server.json"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := put(); err == nil || !strings.Contains(err.Error(), "not of which version") {
		t.Error(err)
	}
}

// program makes a program in the current folder, which is a new one, and returns what is shipped of it.
func program(t *testing.T, server string) Options {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "'-gcflags=all=-l -dwarf=false'") // as a script of the command compiles what it ships
	for name, text := range map[string]string{"go.mod": "module example.com/small\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := options(io.Discard, server)
	o.Out = filepath.Join(t.TempDir(), "dist")
	return o
}

// options are those of a program in the current folder.
func options(say io.Writer, server string) Options {
	l := schema.Loader{Read: func(string) ([]byte, error) {
		return []byte("rpcgen: v1\npackage: a\ndescription: A.\nuse: [mcp]\nserver: " + server + "\n"), nil
	}}
	doc, faults := l.Load("a.rpc.yaml")
	if doc == nil {
		panic(faults)
	}
	return Options{Package: ".", Doc: doc, Name: "a.b/c", Author: "A", Say: say}
}

// failed ships, wants an error, and that nothing is left of what was made.
func failed(t *testing.T, o Options, want string) {
	t.Helper()
	if err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if left, err := os.ReadDir(filepath.Dir(o.Out)); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestFails: nothing is written when a program does not answer, or says another version; the error has the reason.
func TestFails(t *testing.T) {
	o := program(t, `{name: "a server!", version: 1.0.0}`)
	o.Check = func(_ context.Context, command []string, _ string) (Answer, error) {
		if info, err := os.Stat(command[0]); err != nil || info.Mode().Perm()&0o100 == 0 {
			t.Errorf("%v, %v", info, err)
		}
		return Answer{}, errors.New("it is silent")
	}
	failed(t, o, "a-server_1.0.0_"+runtime.GOOS+"_"+runtime.GOARCH+platform{runtime.GOOS, runtime.GOARCH}.suffix()+" does not serve on its standard input and output: it is silent")
	o.Check = func(context.Context, []string, string) (Answer, error) { return Answer{Version: "0.9.0"}, nil }
	failed(t, o, `the program says that it is version "0.9.0", and the schema "1.0.0"`)
	failed(t, program(t, `{name: a, version: 1.0.0+build/1}`), `the version "1.0.0+build/1" cannot be that of files and images`)
	failed(t, program(t, `{name: `+strings.Repeat("a", 60)+`, version: 1.0.0}`), "is too long for the name of a file")
	failed(t, program(t, `{name: "é", version: 1.0.0}`), "has no letter that can be in the name of a file")
}

// TestChanges: a program whose file changes while the others are built is not shipped.
func TestChanges(t *testing.T) {
	all := platforms
	platforms = []platform{{runtime.GOOS, runtime.GOARCH}}
	defer func() { platforms = all }()
	o := program(t, `{name: a, version: 1.0.0}`)
	o.Check = func(context.Context, []string, string) (Answer, error) {
		return Answer{Version: "1.0.0"}, os.WriteFile("main.go", []byte("package main\n\nfunc main() { println() }\n"), 0o666)
	}
	failed(t, o, "main.go has changed while the programs were built, so that they may differ: ship again")
}

// TestWorkflow: the workflow is YAML, has no secret, and quotes what a shell would change.
func TestWorkflow(t *testing.T) {
	text := Workflow([]string{"./cmd/office", "--author=Ann O'Hara $X", "--", "serve"})
	var v struct {
		On   struct{ Push struct{ Tags []string } }
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal(text, &v); err != nil || len(v.On.Push.Tags) != 1 || len(v.Jobs["ship"].Steps) != 4 {
		t.Fatalf("%v\n%s", err, text)
	}
	if !strings.Contains(v.Jobs["ship"].Steps[2].Run, `releases/download/$GITHUB_REF_NAME" ./cmd/office '--author=Ann O'\''Hara $X' -- serve`) || bytes.Contains(text, []byte("secrets.")) {
		t.Errorf("%s", text)
	}
	if out, err := exec.Command("bash", "-n", "-c", v.Jobs["ship"].Steps[2].Run).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
