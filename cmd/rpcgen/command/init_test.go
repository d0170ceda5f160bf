package command

import (
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHostSnippets: the configurations for hosts in the README.md of a new project are JSON and name the server.
func TestHostSnippets(t *testing.T) {
	text, err := project{Name: "jotter", Title: "Jotter"}.fill("mcp/README.md.txt")
	if err != nil {
		t.Fatal(err)
	}
	snippets := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(snippets) != 3 {
		t.Errorf("%d snippets", len(snippets))
	}
	for _, s := range snippets {
		var hosts map[string]map[string]struct{ Command, URL string }
		if err := json.Unmarshal([]byte(s[1]), &hosts); err != nil {
			t.Errorf("%v: %s", err, s[1])
		}
		for _, servers := range hosts {
			if server := servers["jotter"]; !strings.HasSuffix(server.Command, "/jotter") && server.URL != "http://localhost:4000/mcp" {
				t.Errorf("the server is %+v", server)
			}
		}
	}
}

// TestInitAgain: init can be run again after it was interrupted at any point, and writes what it would have written. It overwrites nothing
// of the user.
func TestInitAgain(t *testing.T) {
	for _, arguments := range [][]string{{"init", "shop"}, {"init", "--mcp", "shop"}} {
		dir := t.TempDir()
		out, err := execute(t, dir, arguments)
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, line := range regexp.MustCompile(`(?m)^created (.*)$`).FindAllStringSubmatch(out, -1) {
			order = append(order, line[1])
		}
		whole := filesOf(t, dir)
		if len(order) != len(whole) {
			t.Fatalf("%v are not %v", order, slices.Collect(maps.Keys(whole)))
		}
		for killed := range order {
			dir := t.TempDir()
			for _, name := range order[:killed] {
				put(t, dir, name, whole[name])
			}
			again, err := execute(t, dir, arguments)
			if err != nil || !maps.Equal(filesOf(t, dir), whole) {
				t.Errorf("%v after %d files: %v", arguments, killed, err)
			}
			if !strings.Contains(again, "go mod tidy") {
				t.Errorf("%v after %d files does not say what is next:\n%s", arguments, killed, again)
			}
		}
		if _, err := execute(t, dir, arguments); err == nil || !strings.Contains(err.Error(), "exists already") {
			t.Errorf("%v after all files: %v", arguments, err)
		}
		for _, name := range order {
			if strings.HasSuffix(name, "go.mod") || strings.HasSuffix(name, "README.md") {
				continue // of the module that init adds to
			}
			dir := t.TempDir()
			put(t, dir, name, "of the user")
			if _, err := execute(t, dir, arguments); err == nil || !strings.Contains(err.Error(), "exists already") {
				t.Errorf("%v over %s: %v", arguments, name, err)
			}
			if all := filesOf(t, dir); len(all) != 1 || all[name] != "of the user" {
				t.Errorf("%v over %s wrote something: %v", arguments, name, all)
			}
		}
	}
}

// filesOf returns the files below a folder with their texts.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// execute runs the command in a folder and returns what it prints.
func execute(t *testing.T, dir string, arguments []string) (string, error) {
	t.Helper()
	t.Chdir(dir)
	var out strings.Builder
	c := newRoot(ordinaryName)
	c.SetArgs(arguments)
	c.SetOut(&out)
	c.SetErr(io.Discard)
	err := c.Execute()
	return out.String(), err
}

// TestInitFromCheckout: the module of a new project says where the checkout has the modules of rpcgen, those of its own among them.
func TestInitFromCheckout(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "shop")
	if _, err := execute(t, root, []string{"init", dir}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	nested, _ := filepath.Glob(filepath.Join(root, "runtime/*/*/go.mod"))
	deeper, _ := filepath.Glob(filepath.Join(root, "runtime/*/*/*/go.mod"))
	nested = append(nested, deeper...)
	for _, mod := range append(nested, filepath.Join(root, "runtime/rpcotel/go.mod"), filepath.Join(root, "go.mod")) {
		content, err := os.ReadFile(mod)
		if err != nil {
			t.Fatal(err)
		}
		if line := "\t" + moduleLine(content) + " => " + filepath.ToSlash(filepath.Dir(mod)) + "\n"; !strings.Contains(string(text), line) {
			t.Errorf("go.mod lacks %q:\n%s", line, text)
		}
	}
	if len(nested) < 5 {
		t.Errorf("%d modules below runtime", len(nested))
	}
	own := filepath.Join(t.TempDir(), "own")
	if err := os.MkdirAll(own, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "go.mod"), []byte("module example.com/own\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := execute(t, root, []string{"init", own})
	if line := "-require " + modulePath() + "@v0.0.0 -replace " + modulePath() + "=" + root + " -tool "; err != nil || !strings.Contains(out, line) {
		t.Errorf("%v: the next steps of a module that is there lack %q:\n%s", err, line, out)
	}
}
