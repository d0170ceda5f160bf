package docs_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/test/marked"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

var (
	update = flag.Bool("update", false, "write what scripts and the command print into the pages")
	all    = flag.Bool("all", false, "run the scripts of every page, those that a rehearsal of a release runs included")
)

// TestPages does what the pages say: from top to bottom, each in an empty home folder of its own, with a clone of this repository in
// ~/rpcgen. No block is left out.
func TestPages(t *testing.T) {
	tool, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if !testing.Short() {
		fetch(t)
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not for you", http.StatusForbidden) }))
	t.Cleanup(proxy.Close)
	for _, page := range pages(t) {
		blocks := read(t, page)
		if len(blocks) == 0 {
			continue
		}
		t.Run(strings.TrimPrefix(page, "../"), func(t *testing.T) {
			t.Parallel()
			s := newStory(t, tool)
			s.proxy = proxy.URL
			if os.Getenv("RELEASED") != "" { // a rehearsal of a release has a proxy of its own, and an empty cache
				s.proxy = os.Getenv("GOPROXY")
			}
			s.brief = testing.Short() || !*all && !*update && os.Getenv("RELEASED") == "" && slices.Contains(rehearsed, filepath.Base(page))
			s.scripted = slices.ContainsFunc(blocks, func(b block) bool { return b.isScript() && !skipped(b) })
			for _, b := range blocks {
				if err := s.do(b); err != nil {
					t.Fatalf("%v: %v", b, err)
				}
			}
		})
	}
}

// rehearsed are pages whose scripts take minutes from an empty build cache, since they build for six platforms, with the race detector, or what
// others link: a rehearsal of a release runs them, and so do -all and -update.
var rehearsed = []string{"from-openapi-generators.md", "from-sdk.md", "howto-kit.md", "howto-ship.md"}

// story is a page that is followed.
type story struct {
	root    string // the checkout
	tool    string // the folder of the command
	folder  string // where scripts and files go; scripts may change it
	home    string // the folder that was empty at the beginning
	proxy   string // the URL of a proxy of modules that has none
	printed string // by the last script

	brief    bool // scripts are left out
	scripted bool // the page has scripts, and files and fragments may need them
}

// TestMain removes what build makes.
func TestMain(m *testing.M) {
	code := m.Run()
	if tools != "" {
		os.RemoveAll(tools)
	}
	os.Exit(code)
}

// tools is the folder of build, once it is made.
var tools string

// build copies the command into a folder from the build cache, where go run has it, and puts a go command there that starts it for "go tool rpcgen", and for
// "go run ./cmd/rpcgen" in the clone: go tool would compile it for each page, because it takes the folder of the clone into account.
var build = sync.OnceValues(func() (string, error) {
	marked.Watch("..")
	folder, err := os.MkdirTemp("", "docs")
	if err != nil {
		return "", err
	}
	tools = folder
	cmd := exec.Command("go", "run", "-exec", "cp", "./cmd/rpcgen", folder)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	real, err := exec.LookPath("go")
	if err != nil {
		return "", err
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	script := `#!/bin/sh
if [ "$1 $2" = "tool rpcgen" ] && grep -qE "^(tool |[[:space:]])github.com/rpcgen-go/rpcgen/cmd/rpcgen$" "$(` + real + ` env GOMOD)"; then
	shift 2
	exec rpcgen "$@"
fi
if [ "$1 $2" = "run ./cmd/rpcgen" ] && grep -qx "module github.com/rpcgen-go/rpcgen" go.mod; then
	shift 2
	cd -P . # init writes the name of the folder
	exec rpcgen "$@"
fi
GO_COMMAND=` + real + ` exec ` + filepath.Join(root, ".tools", "checkout", "go") + ` "$@"
`
	return folder, os.WriteFile(filepath.Join(folder, "go"), []byte(script), 0o755)
})

// fetch has the modules in the cache that the modules of the runtime require: pages use them, and get nothing from their proxy.
func fetch(t *testing.T) {
	t.Helper()
	nested, err := filepath.Glob("../runtime/*/*/go.mod")
	if err != nil || nested == nil {
		t.Fatal(nested, err)
	}
	deeper, err := filepath.Glob("../runtime/*/*/*/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, mod := range slices.Concat(nested, deeper, []string{"../runtime/rpcotel/go.mod", "../go.mod"}) {
		for _, args := range [][]string{{"list", "-m", "all"}, {"mod", "download"}} {
			cmd := exec.Command("go", args...)
			cmd.Dir = filepath.Dir(mod)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: go %s: %v\n%s", cmd.Dir, strings.Join(args, " "), err, out)
			}
		}
	}
	// A page begins with a module that requires go-sdk alone, and so other versions of what that requires.
	alone := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module alone\n\ngo 1.26\n\nrequire " + sdk(t) + "\n", "alone.go": "package alone\n\nimport _ \"github.com/modelcontextprotocol/go-sdk/mcp\"\n"} {
		if err := os.WriteFile(filepath.Join(alone, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"../examples/downstream", "testdata/oapi", "testdata/ogen", alone} {
		tidy := exec.Command("go", "mod", "tidy", "-diff") // as in the modules of the pages: it needs the tests of dependencies as well
		tidy.Dir = folder
		if out, err := tidy.CombinedOutput(); err != nil && !strings.Contains(string(out), "diff current/") {
			t.Fatalf("%s: %v\n%s", tidy, err, out)
		}
	}
}

// sdk returns what a page requires of go-sdk: the path and the version.
func sdk(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("from-sdk.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^require (github.com/modelcontextprotocol/go-sdk v.+)$`).FindSubmatch(page)
	if found == nil {
		t.Fatal("from-sdk.md requires no version of go-sdk")
	}
	return string(found[1])
}

func newStory(t *testing.T, tool string) *story {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	home := overlay.Folder(t)
	if err := os.Symlink(root, filepath.Join(home, "rpcgen")); err != nil {
		t.Fatal(err)
	}
	return &story{root: root, tool: tool, folder: home, home: home}
}

// do does what a block asks for.
func (s *story) do(b block) error {
	if skipped(b) {
		return nil
	}
	if b.isScript() {
		return s.script(b)
	}
	file := b.argument
	if strings.HasPrefix(file, "from ") {
		return s.excerpt(b)
	}
	if module, ok := strings.CutPrefix(file, "in "); ok && s.brief {
		return nil
	} else if ok {
		return s.checkFragmentIn(filepath.Join(s.root, filepath.FromSlash(module)), slices.Concat([]string{"./..."}, packages, packagesOf[module]), b)
	}
	if b.language == "text" {
		return s.compare(b)
	}
	if file != "" {
		if !strings.Contains(b.before, "`"+file+"`") {
			return fmt.Errorf("the line before it names no file `%s`", file)
		}
		if err := s.write(file, b.text); err != nil {
			return err
		}
	}
	switch {
	case b.language == "go" && file == "" && s.scripted && s.brief:
		return nil
	case b.language == "go" && file == "":
		return s.checkFragment(b)
	case b.language == "go":
		return nil // the scripts of the page compile it
	case b.language == "yaml" && (file == "" || strings.HasSuffix(file, ".rpc.yaml")):
		return s.lint(b.text)
	case b.language == "yaml":
		return nil
	case b.language == "json" && !json.Valid([]byte(b.text)):
		return errors.New("this is not JSON")
	case b.language == "json":
		return nil
	}
	return fmt.Errorf("no test knows what to do with a block of %q; see block in page_test.go", b.language)
}

func (b block) isScript() bool { return b.language == "sh" || b.language == "test" }

// skipped reports whether a page gives a reason not to run a block.
func skipped(b block) bool {
	reason, found := strings.CutPrefix(b.argument, "skip: ")
	return found && strings.Contains(reason, " ")
}

// write writes a file of the page.
func (s *story) write(name, text string) error {
	path := filepath.Join(s.folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// script runs a block as a script of the shell. The next one begins in the folder in which this one ends.
func (s *story) script(b block) error {
	if s.brief {
		return nil
	}
	want := 0
	if b.argument != "" {
		if _, err := fmt.Sscanf(b.argument, "exit=%d", &want); err != nil {
			return fmt.Errorf("%q: write exit=N or skip: REASON", b.argument)
		}
	}
	end := filepath.Join(s.tool, strings.ReplaceAll(s.home, string(filepath.Separator), "_")+".folder")
	jobs := end + ".jobs" // programs in the background, which end with the script
	printed, err := s.run("trap 'pwd >" + end + "; jobs -p >" + jobs + "; kill $(cat " + jobs + ") 2>/dev/null || true' EXIT\n" + b.text)
	s.printed = printed
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		return err
	}
	if code != want {
		return fmt.Errorf("it exits with %d, and prints\n%s", code, printed)
	}
	folder, err := os.ReadFile(end)
	s.folder = strings.TrimSpace(string(folder))
	return err
}

// run runs a script. Modules come from the cache: the proxy answers 403, as those of companies do, which the go command takes for an error.
func (s *story) run(script string) (printed string, err error) {
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = s.folder
	cmd.Env = append(slices.Clip(environment()), "PATH="+s.tool+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+s.home, "GOPROXY="+s.proxy, "RELEASED=")
	cmd.WaitDelay = 10 * time.Second // for programs in the background that do not end
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// environment lets the go command find what is built already, and keeps it from the network. In a rehearsal that was built with -trimpath, and only there
// go test vets as well, as users have it.
var environment = sync.OnceValue(func() []string {
	flags := "GOFLAGS=-ldflags=-w -vet=off -count=1 " + os.Getenv("GOFLAGS")
	if os.Getenv("RELEASED") != "" {
		flags = "GOFLAGS=-ldflags=-w -trimpath"
	}
	e := append(os.Environ(), flags, "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "SOURCE_DATE_EPOCH=1795478400") // 2026-11-24
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH"}
	values, _ := exec.Command("go", append([]string{"env"}, names...)...).Output()
	for i, value := range strings.Fields(string(values)) {
		e = append(e, names[i]+"="+value)
	}
	return e
})

// compare compares a block with what the last script printed, when it says that it is that.
func (s *story) compare(b block) error {
	switch {
	case b.argument == "" || s.brief:
		return nil
	case b.argument != "output":
		return fmt.Errorf("%q: write output or nothing", b.argument)
	}
	printed := strings.TrimRight(strings.ReplaceAll(s.printed, s.home+"/", "/home/you/"), "\n") + "\n"
	return b.replace(printed)
}

// lint lints a schema, or a part of one with what it lacks.
func (s *story) lint(text string) error {
	if !strings.Contains(text, "rpcgen: v1") {
		header := "rpcgen: v1\n"
		if strings.Contains("\n"+text, "\ntools:") || strings.Contains("\n"+text, "\nresources:") {
			header += "use: [mcp]\nserver: {name: part, version: 1.0.0}\n"
		}
		text = header + text
	}
	file, err := os.CreateTemp(s.tool, "*.rpc.yaml")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(text); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if out, err := exec.Command(filepath.Join(s.tool, "rpcgen"), "lint", file.Name()).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
