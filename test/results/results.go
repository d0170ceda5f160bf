// Package results runs "go test", and says which tests failed, with the command that runs each alone.
//
//test:sequential
package results

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
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

// Result is what came of one run of go test, or of several.
type Result struct {
	Folder    string   // of the module, relative to where the runs begin; empty for the main one
	Arguments []string // of go test
	Passed    int      // tests, with the parts of tests
	Skipped   int
	Failures  []Failure

	printed map[key]*strings.Builder // by tests that have not ended
	parts   map[key]bool             // tests of which a part failed
	late    map[string][]string      // by package, the tests that ran when its time was over

	crashed string // the package in which the race detector failed
	again   bool   // whether this is the run after that
}

type key struct{ pkg, test string }

// Failure is a test that failed, or a package that did without a test.
type Failure struct {
	Package string
	Test    string // empty if no test of the package failed: it was not built, or ended early
	Command string // runs it alone
}

// New returns the result of a run of go test in the module of a folder, before it begins.
func New(folder string, arguments []string) *Result {
	if folder == "." {
		folder = ""
	}
	return &Result{Folder: folder, Arguments: arguments, printed: map[key]*strings.Builder{}, parts: map[key]bool{}, late: map[string][]string{}}
}

// Run runs go test in a folder, the current one if it is empty, and shows what go test shows. It returns an error if a test failed, or go test does not run.
func (r *Result) Run(dir string, out io.Writer) error {
	c := exec.Command("go", append([]string{"test", "-json"}, r.Arguments...)...)
	c.Dir, c.Stderr = dir, os.Stderr
	events, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return err
	}
	r.read(events, out)
	err = c.Wait()
	if !r.again && r.crashed != "" && !slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Package != r.crashed }) { // what passed is in the cache
		*r = *New(r.Folder, r.Arguments)
		r.again = true
		return r.Run(dir, out)
	}
	if err != nil && len(r.Failures) == 0 {
		r.Failures = []Failure{{Command: r.command("", "")}}
	}
	return err
}

// read reads the events of go test, and shows packages and what fails.
func (r *Result) read(events io.Reader, out io.Writer) {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil {
			r.take(e, out)
		} else {
			out.Write(line)
		}
		if err != nil {
			return
		}
	}
}

// take takes an event in.
func (r *Result) take(e event, out io.Writer) {
	k := key{e.Package, e.Test}
	if strings.Contains(e.Output, "ThreadSanitizer: CHECK failed") {
		r.crashed = e.Package
	}
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
func (r *Result) fail(k key, out io.Writer) {
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
	if i := strings.LastIndexByte(k.test, '/'); i >= 0 {
		r.parts[key{k.pkg, k.test[:i]}] = true
	}
	if !r.parts[k] {
		r.Failures = append(r.Failures, Failure{k.pkg, k.test, r.command(k.pkg, k.test) + seed(said)})
	}
}

// failPackage takes in that a package failed: so did its tests that had not ended and printed something, such as a panic, and those that ran when its time was
// over.
func (r *Result) failPackage(pkg string, out io.Writer) {
	tests := r.late[pkg]
	open := slices.SortedFunc(maps.Keys(r.printed), func(a, b key) int { return cmp.Compare(a.test, b.test) })
	for _, k := range open {
		if k.pkg == pkg {
			io.WriteString(out, r.printed[k].String())
			tests = append(tests, k.test)
			delete(r.printed, k)
		}
	}
	for _, test := range slices.Compact(slices.Sorted(slices.Values(tests))) { // go test may take the list for words of a test that is in it
		r.Failures = append(r.Failures, Failure{pkg, test, r.command(pkg, test)})
	}
	if !slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Package == pkg }) {
		r.Failures = append(r.Failures, Failure{pkg, "", r.command(pkg, "")})
	}
}

// late finds a test that ran when the time of its package was over.
var late = regexp.MustCompile(`^\t\t(Test\S*) \([\d.hms]+\)\n$`)

// seeds finds how a test says from which seed it drew its input.
var seeds = regexp.MustCompile(`-[\w.]*seed[= ]\d+`)

// seed returns the flag that draws the random input of a test again, after a space.
func seed(said string) string { return strings.TrimRight(" "+seeds.FindString(said), " ") }

// command returns the line for a shell that runs a test of a package alone, all its tests, or all that ran.
func (r *Result) command(pkg, test string) string {
	line := "go test"
	if r.Folder != "" {
		line = "cd " + r.Folder + " && " + line
	}
	for i := 0; i < len(r.Arguments) && strings.HasPrefix(r.Arguments[i], "-"); i++ {
		line += " " + Quote(r.Arguments[i])
		if slices.Contains(separate, r.Arguments[i]) {
			i++
			line += " " + Quote(r.Arguments[i])
		}
	}
	if test != "" {
		line += " -run " + Quote(Pattern(test))
	}
	return strings.TrimRight(line+" "+pkg, " ")
}

// Pattern returns what -run takes for one test, or for one part of a test.
func Pattern(test string) string {
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(test), "/", "$/^") + "$"
}

// separate are the flags of the runs whose values are arguments of their own.
var separate = []string{"-run", "-skip", "-timeout", "-parallel"}

// Quote returns a word as a shell reads it.
func Quote(s string) string {
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// plain are the characters that mean themselves in a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:@"

// Print prints which tests failed, and how many passed.
func (r *Result) Print(out io.Writer) {
	for _, f := range r.Failures {
		fmt.Fprintln(out, "failed:", f)
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", r.Passed, len(r.Failures), r.Skipped)
}

// String returns the package and the test, and the command on a line of its own.
func (f Failure) String() string { return f.Package + " " + f.Test + "\n\t" + f.Command }
