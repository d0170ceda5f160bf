// Command quick tests what a change touches, between two edits: "make quick" runs it in the root of the repository. It finds the files that differ from
// the last commit, and runs
//
//   - the short tests of their packages, and those that a comment "//test:by ./path [pattern]" in such a package names;
//   - go vet for these packages, and for those that import one whose exported declarations changed;
//   - the tests that refuse changes elsewhere: see refusals, and of docs the pages that changed, print what is gone, or mention what changed;
//   - gofmt, and make check where generated files may differ.
//
// "make test" runs the rest.
//
//test:sequential
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	failures, err := run(os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "quick:", err)
	}
	for _, f := range failures {
		fmt.Println("FAIL", f)
	}
	if err != nil || len(failures) > 0 {
		os.Exit(1)
	}
}

// run tests the changes in the current folder, and returns what failed.
func run(out io.Writer) ([]string, error) {
	files, err := changedFiles()
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		fmt.Fprintln(out, "nothing has changed since the last commit: make test tests everything")
		return nil, nil
	}
	failures := unformatted(files)
	p, err := newPlan(files)
	if err != nil {
		return nil, err
	}
	steps := p.steps()
	for _, s := range steps {
		fmt.Fprintf(out, "%s\n\t%s\n", s, strings.Join(s.why, "\n\t"))
	}
	for _, s := range steps {
		failures = append(failures, s.run(out)...)
	}
	if len(failures) == 0 {
		fmt.Fprintf(out, "passed: %d files formatted as gofmt does\n", len(files))
		for _, s := range steps {
			fmt.Fprintln(out, "passed:", s)
		}
	}
	return failures, nil
}

// unformatted returns what gofmt would change.
func unformatted(files []string) (failures []string) {
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && strings.HasSuffix(file, ".go") {
			if formatted, err := format.Source(text); err != nil || !bytes.Equal(text, formatted) {
				failures = append(failures, "gofmt: gofmt -w "+file)
			}
		}
	}
	return failures
}

// changedFiles returns the paths of the files that differ from the last commit, with the old paths of those that were renamed.
func changedFiles() (files []string, err error) {
	out, err := exec.Command("git", "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all").Output()
	if err != nil {
		return nil, fmt.Errorf("git status: %w", err)
	}
	for field := range strings.SplitSeq(string(out), "\x00") {
		if field != "" {
			files = append(files, field[3:])
		}
	}
	return files, nil
}
