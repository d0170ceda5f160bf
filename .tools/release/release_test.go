package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// repository makes a small repository like this one, and makes it the current folder.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "none"))
	const own = "module github.com/rpcgen-go/rpcgen"
	for name, text := range map[string]string{
		".gitignore": "/bin/\n", "CHANGELOG.md": "# Changelog\n\n## v0.2.0\n\nNot tagged yet.\n\n## v0.1.0\n\nFirst.\n",
		"go.mod":                  own + "\n\ngo 1.26\n",
		"cmd/gateway/go.mod":      own + "/cmd/gateway\n\ngo 1.26\n\nrequire github.com/rpcgen-go/rpcgen/runtime/b v0.0.0\n",
		"runtime/a/go.mod":        own + "/runtime/a\n\ngo 1.26\n\nrequire (\n\tgithub.com/rpcgen-go/rpcgen v0.0.0\n\tgithub.com/rpcgen-go/rpcgen/runtime/b v0.0.0\n)\n",
		"runtime/b/go.mod":        own + "/runtime/b\n\ngo 1.26\n\nrequire github.com/rpcgen-go/rpcgen v0.0.0\n",
		"cmd/internal/t/go.mod":   own + "/cmd/internal/t\n\ngo 1.26\n\nrequire github.com/rpcgen-go/rpcgen v0.0.0\n",
		"examples/example/go.mod": own + "/examples/example\n\ngo 1.26\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, "init", "--quiet")
	git(t, "config", "user.name", "test")
	git(t, "config", "user.email", "test@localhost")
	git(t, "add", "-A")
	git(t, "commit", "--quiet", "-m", "first")
	return dir
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := runWith(os.Environ(), ".", "git", append([]string{"-c", "maintenance.auto=false"}, args...)...) // goes on after a commit
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestMessages: the error of a program has what it printed, on both of its outputs.
func TestMessages(t *testing.T) {
	_, err := runWith(os.Environ(), ".", "sh", "-c", "echo one; echo two >&2; exit 3")
	if err == nil || !strings.HasSuffix(err.Error(), ": exit status 3\none\ntwo") {
		t.Errorf("got %v", err)
	}
}

// TestRefused: what cannot become a version is refused in one sentence, and nothing is made.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		args   []string
		change func(t *testing.T)
		want   string
	}{
		{nil, nil, "name one version: make release VERSION=v0.1.0"},
		{[]string{"1.0"}, nil, `"1.0" cannot be a version of github.com/rpcgen-go/rpcgen: name one such as v0.1.0 or v1.2.3-rc.1`},
		{[]string{"v2.0.0"}, nil, `"v2.0.0" cannot be a version`},
		{[]string{"v0.1"}, nil, `"v0.1" cannot be a version`},
		{[]string{"v0.1.0"}, func(t *testing.T) { os.WriteFile("new.go", nil, 0o644) }, "new.go is not as it was committed: commit or remove what is not part of v0.1.0"},
		{[]string{"v0.1.0"}, func(t *testing.T) { os.Remove("go.mod"); os.Remove("CHANGELOG.md") }, "2 files, such as CHANGELOG.md, are not as they were committed"},
		{[]string{"v0.1.0"}, func(t *testing.T) { git(t, "tag", "v0.1.0") }, "the tag v0.1.0 is there already: a version cannot change, so choose the next one"},
		{[]string{"v0.1.0"}, func(t *testing.T) { git(t, "tag", "runtime/b/v0.1.0") }, "the tag runtime/b/v0.1.0 is there already"},
		{[]string{"v0.1.0"}, func(t *testing.T) { os.MkdirAll("bin/release/v0.1.0", 0o755) }, "remove it to make v0.1.0 again"},
		{[]string{"v0.1.0"}, func(t *testing.T) { git(t, "config", "user.email", ""); git(t, "config", "user.name", "") }, "git does not know who makes the tags"},
		{[]string{"v0.2.0"}, nil, "CHANGELOG.md has no finished section for v0.2.0"},
		{[]string{"v0.3.0"}, nil, "CHANGELOG.md has no finished section for v0.3.0"},
	} {
		t.Run(strings.Join(c.args, " ")+" "+c.want[:min(len(c.want), 20)], func(t *testing.T) {
			dir := repository(t)
			if c.change != nil {
				c.change(t)
			}
			before := everything(t, dir)
			err := run(c.args, io.Discard)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v", err)
			}
			if after := everything(t, dir); !slices.Equal(after, before) {
				t.Errorf("before %q, after %q", before, after)
			}
		})
	}
}

// everything lists the files of a folder, and the tags and the commit of its repository.
func everything(t *testing.T, dir string) (all []string) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		all = append(all, path)
		return err
	})
	return append(all, git(t, "show-ref"))
}

// TestFailure: nothing is kept of a version that fails after its clone was made, as that of a repository without an example.
func TestFailure(t *testing.T) {
	dir := repository(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	before := everything(t, dir)
	if err := run([]string{"v0.1.0"}, io.Discard); err == nil || !strings.Contains(err.Error(), "examples/downstream") {
		t.Errorf("got %v", err)
	}
	if after := everything(t, dir); !slices.Equal(after, before) {
		t.Errorf("before %q, after %q", before, after)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestOrder: each module comes after those that it requires; modules of examples and internal ones have no versions.
func TestOrder(t *testing.T) {
	dir := repository(t)
	modules, err := modulesOf(dir, strings.Fields(git(t, "ls-files", "go.mod", "*/go.mod")))
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	for _, m := range modules {
		tags = append(tags, m.tag("v0.1.0"))
	}
	if want := []string{"v0.1.0", "runtime/b/v0.1.0", "cmd/gateway/v0.1.0", "runtime/a/v0.1.0"}; !slices.Equal(tags, want) {
		t.Errorf("got %q, want %q", tags, want)
	}
}

// TestRepositoryOrder: the modules of this repository have an order.
func TestRepositoryOrder(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	modules, err := modulesOf(root, strings.Fields(git(t, "ls-files", "go.mod", "*/go.mod")))
	if err != nil || len(modules) < 8 || modules[0].path() != mainModule {
		t.Fatal(modules, err)
	}
}

// TestPack: archives that are made twice are equal, and hold the files with their modes.
func TestPack(t *testing.T) {
	files := []file{{"rpcgen-go", []byte("program"), true}, {"LICENSE", []byte("licence"), false}}
	want := map[string]string{"folder/rpcgen-go": "program 755", "folder/LICENSE": "licence 644"}
	for _, pack := range []func(string, []file) ([]byte, error){tarGzip, zipped} {
		once, err := pack("folder", files)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := pack("folder", files); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("two archives differ: %v", err)
		}
		if got := unpack(t, once); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v", got)
		}
	}
}

// unpack returns the files of an archive, with their texts and modes.
func unpack(t *testing.T, text []byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	add := func(name string, r io.Reader, mode os.FileMode) {
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = fmt.Sprintf("%s %o", content, mode.Perm())
	}
	if compressed, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
		for r := tar.NewReader(compressed); ; {
			h, err := r.Next()
			if err == io.EOF {
				return all
			}
			if err != nil {
				t.Fatal(err)
			}
			add(h.Name, r, h.FileInfo().Mode())
		}
	}
	r, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		add(f.Name, part, f.Mode())
	}
	return all
}

// rehearsal is the version that TestRehearse makes.
const rehearsal = "v0.0.0-rehearsal"

var (
	rehearsed = flag.Bool("rehearse", false, "run TestRehearse")
	whole     = flag.Bool("whole", false, "make the archives again, and follow the pages")
)

// TestRehearse makes a version as a release is made, with the archives of the platform that it runs on. With -whole it makes these again, to compare them, and
// follows the pages as they will be. Without it, packages are compiled without inlining and DWARF, which takes a third less.
func TestRehearse(t *testing.T) {
	if !*rehearsed {
		t.Skip("make rehearse runs it: it takes minutes")
	}
	r, err := newRelease(rehearsal, true, os.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	defer r.remove()
	if !*whole {
		r.env = append(r.env, "GOFLAGS=-trimpath '-gcflags=all=-l -dwarf=false'")
	}
	if err := r.make(); err != nil {
		t.Fatal(err)
	}
	if !*whole {
		return
	}
	checkArchives(t, r)
	if _, err := r.runOffline(r.clone, "env", "RELEASED="+r.version, "go", "test", "./docs", "-run", "^Test(Pages|CLI|Links|LLMs|Skill)$"); err != nil {
		t.Fatal(err)
	}
	r.say("the pages work as they are from the first release on")
}

// checkArchives makes the archives of a rehearsal again, with everything compiled again from modules in another folder, and compares them.
func checkArchives(t *testing.T, r *release) {
	t.Helper()
	const bill = "rpcgen-go_0.0.0-rehearsal.spdx.json"
	again := *r
	again.offline = append(slices.Clip(r.offline), "GOCACHE="+filepath.Join(r.work, "again", "cache"), "GOMODCACHE="+filepath.Join(r.work, "again", "modules"))
	dist := filepath.Join(r.work, "again", "dist")
	made, err := again.archives([]string{runtime.GOOS + "/" + runtime.GOARCH}, dist, filepath.Join(r.work, "again", "programs"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(r.dist())
	if err != nil || len(entries) != len(made)+2 {
		t.Fatal(entries, err)
	}
	sums := ""
	for _, e := range entries {
		once, twice := read(t, filepath.Join(r.dist(), e.Name())), read(t, filepath.Join(dist, e.Name()))
		if !bytes.Equal(once, twice) {
			t.Errorf("%s differs when it is made again", e.Name())
		}
		if e.Name() != "SHA256SUMS" {
			sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(once), e.Name())
		}
	}
	if got := string(read(t, filepath.Join(r.dist(), "SHA256SUMS"))); got != sums {
		t.Errorf("SHA256SUMS is\n%s\nand not\n%s", got, sums)
	}
	checkArchive(t, made[0])
	checkBill(t, read(t, filepath.Join(r.dist(), bill)))
	r.say("archives that are made again are equal")
}

// source is the folder of this package.
var source, _ = os.Getwd()

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkArchive checks what is in an archive, and starts its program.
func checkArchive(t *testing.T, a packed) {
	t.Helper()
	program, folder := filepath.Base(a.path), "rpcgen-go_0.0.0-rehearsal_"+runtime.GOOS+"_"+runtime.GOARCH+"/"
	files := unpack(t, a.text)
	for _, name := range []string{program, "LICENSE", "README.md", "completion/rpcgen-go.bash", "completion/rpcgen-go.fish", "completion/rpcgen-go.powershell", "completion/rpcgen-go.zsh"} {
		if len(files[folder+name]) < 1000 {
			t.Errorf("%s has %d bytes", name, len(files[folder+name]))
		}
	}
	if len(files) != 7 || !strings.Contains(files[folder+"completion/rpcgen-go.bash"], "complete -o default -F __start_rpcgen-go rpcgen-go") {
		t.Errorf("%d files", len(files))
	}
	binary, ok := strings.CutSuffix(files[folder+program], " 755")
	if !ok {
		t.Error("the program is not executable")
	}
	path := filepath.Join(t.TempDir(), program)
	if err := os.WriteFile(path, []byte(binary), 0o755); err != nil {
		t.Fatal(err)
	}
	if said, err := runWith(nil, ".", path, "version"); err != nil || !strings.HasPrefix(said, "rpcgen-go v0.0.0-rehearsal (go") {
		t.Errorf("%q, %v", said, err)
	}
}

// checkBill validates a bill with the schema of SPDX, and compares it with the requirements of the main module: those that the program links.
func checkBill(t *testing.T, text []byte) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(source, "testdata", "spdx-2.3.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, p := range d.Packages {
		listed[p.Name+" "+p.VersionInfo] = true
	}
	required, err := runWith(os.Environ(), filepath.Join(source, "..", ".."), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/rpcgen-go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(required) {
		if line = strings.TrimSpace(line); line != "" {
			if n++; !listed[line] {
				t.Errorf("the bill does not list %s", line)
			}
		}
	}
	if n == 0 || !listed["rpcgen-go v0.0.0-rehearsal"] || !listed["stdlib "+strings.TrimPrefix(runtime.Version(), "go")] {
		t.Errorf("%d modules; the bill lists %v", n, listed)
	}
}

// TestKept: what was made is below bin, the repository has no tag, and the command that publishes is printed, and has not run.
func TestKept(t *testing.T) {
	dir := repository(t)
	git(t, "remote", "add", "origin", "https://example.com/rpcgen.git")
	var out strings.Builder
	r, err := newRelease("v0.1.0", false, &out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.remove()
	for _, step := range []func() error{r.check, r.copy} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(r.work, "dist"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.published = "0123abc"
	if err := r.keep(); err != nil {
		t.Fatal(err)
	}
	const push = "\ngit -C bin/release/v0.1.0/clone push --atomic https://example.com/rpcgen.git 0123abc:refs/heads/main v0.1.0 runtime/b/v0.1.0 cmd/gateway/v0.1.0 runtime/a/v0.1.0\n"
	if !strings.Contains(out.String(), push) || !strings.Contains(out.String(), "nothing is pushed") {
		t.Errorf("it prints\n%s", &out)
	}
	for _, name := range []string{"clone/go.mod", "dist"} {
		if _, err := os.Stat(filepath.Join(dir, "bin/release/v0.1.0", name)); err != nil {
			t.Error(err)
		}
	}
	if tags := git(t, "tag"); tags != "" {
		t.Errorf("the repository has the tags %s", tags)
	}
}
