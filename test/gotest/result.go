package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// event is a line that "go test -json" writes: see "go doc test2json".
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// result is what came of one run of go test, or of several.
type result struct {
	Folder    string   // of the module, relative to where the runs begin; empty for the main one
	Arguments []string // of go test
	Passed    int      // tests, with the parts of tests
	Skipped   int
	Failures  []failure

	printed map[key]*strings.Builder // by tests that have not ended
	parts   map[key]bool             // tests of which a part failed
	late    map[string][]string      // by package, the tests that ran when its time was over
}

type key struct{ pkg, test string }

// failure is a test that failed, or a package that did without a test.
type failure struct {
	Package string
	Test    string // empty if no test of the package failed: it was not built, or ended early
	Command string // runs it alone
}

// newResult returns a result without tests of a run in the current folder.
func newResult(arguments []string) *result {
	r := &result{Arguments: arguments, printed: map[key]*strings.Builder{}, parts: map[key]bool{}, late: map[string][]string{}}
	if here, err := os.Getwd(); err == nil {
		if r.Folder, err = filepath.Rel(cmp.Or(os.Getenv("ROOT"), here), here); err != nil || r.Folder == "." {
			r.Folder = ""
		}
	}
	return r
}

// take takes an event in.
func (r *result) take(e event, out io.Writer) {
	k := key{e.Package, e.Test}
	switch {
	case e.Action == "build-output" || e.Action == "output" && e.Test == "":
		if e.Output != "PASS\n" && !strings.HasPrefix(e.Output, "?   ") && !strings.Contains(e.Output, "[no tests to run]") {
			io.WriteString(out, e.Output)
		}
	case e.Action == "output" && !strings.HasPrefix(e.Output, "=== "):
		if r.printed[k] == nil {
			r.printed[k] = &strings.Builder{}
		}
		r.printed[k].WriteString(e.Output)
		if m := late.FindStringSubmatch(e.Output); m != nil {
			r.late[e.Package] = append(r.late[e.Package], m[1])
		}
	case e.Action == "pass" && e.Test != "":
		if len(r.late[e.Package]) > 0 { // what the package says of its end stands after what the last test printed
			io.WriteString(out, r.printed[k].String())
		}
		r.Passed++
		delete(r.printed, k)
	case e.Action == "skip" && e.Test != "":
		r.Skipped++
		delete(r.printed, k)
	case e.Action == "fail":
		r.fail(k, out)
	}
}

// fail shows what a test printed that failed, or those tests of a package that had not ended when it failed.
func (r *result) fail(k key, out io.Writer) {
	if k.test == "" {
		r.failPackage(k.pkg, out)
		return
	}
	said := ""
	if b := r.printed[k]; b != nil {
		said = b.String()
		io.WriteString(out, said)
		delete(r.printed, k)
	}
	if parent, _, nested := cut(k.test); nested {
		r.parts[key{k.pkg, parent}] = true
	}
	if !r.parts[k] {
		r.Failures = append(r.Failures, failure{k.pkg, k.test, r.command(k.pkg, k.test) + seed(said)})
	}
}

// failPackage takes in that a package failed: so did its tests that had not ended and printed something, such as a panic, and those that ran when its time was
// over.
func (r *result) failPackage(pkg string, out io.Writer) {
	tests := r.late[pkg]
	open := slices.SortedFunc(maps.Keys(r.printed), func(a, b key) int { return cmp.Compare(a.test, b.test) })
	for _, k := range open {
		if k.pkg == pkg {
			io.WriteString(out, r.printed[k].String())
			tests = append(tests, k.test)
			delete(r.printed, k)
		}
	}
	for _, test := range tests {
		r.Failures = append(r.Failures, failure{pkg, test, r.command(pkg, test)})
	}
	if !slices.ContainsFunc(r.Failures, func(f failure) bool { return f.Package == pkg }) {
		r.Failures = append(r.Failures, failure{pkg, "", r.command(pkg, "")})
	}
}

// late finds a test that ran when the time of its package was over.
var late = regexp.MustCompile(`^\t\t(Test\S*) \([\d.hms]+\)\n$`)

// cut splits the last part off the name of a test.
func cut(test string) (parent, part string, nested bool) {
	if i := strings.LastIndexByte(test, '/'); i >= 0 {
		return test[:i], test[i+1:], true
	}
	return test, "", false
}

// seeds finds how a test says from which seed it drew its input.
var seeds = regexp.MustCompile(`-[\w.]*seed[= ]\d+`)

// seed returns the flag that draws the random input of a test again, after a space.
func seed(said string) string {
	if found := seeds.FindString(said); found != "" {
		return " " + found
	}
	return ""
}

// command returns the line for a shell that runs a test of a package alone, all its tests, or all that ran.
func (r *result) command(pkg, test string) string {
	line := "go test"
	if r.Folder != "" {
		line = "cd " + r.Folder + " && " + line
	}
	for i := 0; i < len(r.Arguments) && strings.HasPrefix(r.Arguments[i], "-"); i++ {
		line += " " + quote(r.Arguments[i])
		if slices.Contains(separate, r.Arguments[i]) {
			i++
			line += " " + quote(r.Arguments[i])
		}
	}
	if pkg == "" {
		return line
	}
	if test != "" {
		parts := strings.Split(test, "/")
		for i, p := range parts {
			parts[i] = "^" + regexp.QuoteMeta(p) + "$"
		}
		line += " -run " + quote(strings.Join(parts, "/"))
	}
	return line + " " + pkg
}

// separate are the flags of the runs whose values are arguments of their own.
var separate = []string{"-run", "-skip", "-timeout", "-parallel"}

// quote returns a word as a shell reads it.
func quote(s string) string {
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// plain are the characters that mean themselves in a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:@"

// add adds another result.
func (r *result) add(other *result) {
	r.Passed += other.Passed
	r.Skipped += other.Skipped
	r.Failures = append(r.Failures, other.Failures...)
}

// print prints which tests failed, and how many passed.
func (r *result) print(out io.Writer) {
	for _, f := range r.Failures {
		fmt.Fprintf(out, "failed: %s %s\n\t%s\n", f.Package, f.Test, f.Command)
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", r.Passed, len(r.Failures), r.Skipped)
}
