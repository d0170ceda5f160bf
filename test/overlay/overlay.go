// Package overlay generates packages that only tests compare, and that no commit keeps. Go sees them where their import paths say, without a file there: in
// an overlay. What imports them stands below testdata/overlay, where no command of Go looks for it, and is seen where it would stand without these two
// folders; [Test] runs it as a test of its own.
//
//test:sequential
//test:by ./test/mcp TestWhole
package overlay

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/templates"
)

// Package is a package that is generated for a test.
type Package struct {
	Folder  string // where it would stand, relative to the current folder, as Schema is
	Schema  string
	Compact bool // whether the codecs hold that stand in comments of the schema
	Side    templates.Side
}

// Flags generates packages into a folder, and returns the flags by which Go sees them.
func Flags(folder string, packages ...Package) ([]string, error) {
	here, _ := os.Getwd()
	importing := filepath.Join("testdata", "overlay") // the folder of what imports the packages
	replace := map[string]string{}
	for i, p := range packages {
		doc, faults := (&schema.Loader{Read: p.read}).Load(p.Schema)
		if doc == nil {
			return nil, fmt.Errorf("%s: %v", p.Schema, faults)
		}
		files, faults, err := templates.Generate(doc, templates.Options{Side: p.Side})
		if err != nil || faults.HasErrors() {
			return nil, fmt.Errorf("%s: %v %v", p.Schema, err, faults)
		}
		for _, f := range files {
			seen := filepath.Join(here, p.Folder, f.Name)
			replace[seen] = filepath.Join(folder, fmt.Sprintf("%d_%s", i, f.Name))
			if err := os.WriteFile(replace[seen], f.Text, 0o666); err != nil {
				return nil, err
			}
		}
	}
	err := filepath.WalkDir(importing, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		replace[filepath.Join(here, strings.TrimPrefix(file, importing))] = filepath.Join(here, file)
		_, err = os.ReadFile(file) // so that Go repeats the test when it changes
		return err
	})
	if err != nil {
		return nil, err
	}
	text, _ := json.Marshal(map[string]any{"Replace": replace}) // texts become JSON
	list := filepath.Join(folder, "overlay.json")
	return []string{"-overlay=" + list}, os.WriteFile(list, text, 0o666)
}

// read returns the text of a schema.
func (p Package) read(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if p.Compact {
		text = []byte(strings.NewReplacer("# codec:", "codec:", "# go:", "go:").Replace(string(text)))
	}
	return text, err
}

// Test runs the tests of the current folder that match a pattern, those below testdata/overlay among them, with packages that it generates. They are as short
// as the test that calls it, draw the same random inputs, and are watched by the race detector if it is. Go cannot vet what has no folder.
func Test(t *testing.T, pattern string, packages ...Package) {
	t.Helper()
	flags, err := Flags(t.TempDir(), packages...)
	if err != nil {
		t.Fatal(err)
	}
	more, env := compiled()
	args := slices.Concat([]string{"test", "-vet=off", "-run", pattern}, flags, more)
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "test.short" || f.Name == "test.v" || strings.HasPrefix(f.Name, "rapid.") {
			args = append(args, fmt.Sprintf("-%s=%s", f.Name, f.Value))
		}
	})
	c := exec.Command("go", args...)
	c.Env = append(c.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	t.Logf("%s", out)
}

// compiled returns the flags that this program was compiled with for the race detector, if it was, and that it needs cgo: what it links is not compiled again.
func compiled() (flags, env []string) {
	info, _ := debug.ReadBuildInfo()
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if set["-race"] == "" {
		return nil, nil
	}
	return []string{"-race", "-gcflags=" + set["-gcflags"]}, []string{"CGO_ENABLED=1"}
}

// Folder makes a folder for the rest of a test: the same in each run, so that Go finds what it compiled there, or a new one while another run has that, and
// after a run that was killed.
func Folder(t testing.TB) string {
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("rpcgen-%08x", crc32.ChecksumIEEE([]byte(os.Getenv("PWD")+t.Name()))))
	if os.Mkdir(folder, 0o700) != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}
