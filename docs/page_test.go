// Package docs_test runs what the pages print.
//
//test:sequential
//test:full
//test:by ./docs ^Test[^CP]|^TestC[^L]
package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a piece of code of a page, or a hidden script: the lines between "<!-- test" and "-->".
//
// The first line of a fence decides what the test does with the block:
//
//	```sh               runs it in the folder of the page, which is empty at the beginning
//	```sh exit=1        the same; it has to exit with 1
//	```sh skip: REASON  not run, for this reason; Go likewise
//	```go FILE          writes the file, and FILE.rpc.yaml is linted as well; so are yaml, json
//	```go               type-checks a fragment: declarations, or the body of a function
//	```go in FOLDER     the same, in a module of the checkout
//	```go from FILE#NAME
//	                    compares it with a declaration in a file of the checkout
//	```yaml             lints a schema, or a part of one
//	```json             reads it as JSON
//	```text output      compares it with what the script before it printed
//	```text             a drawing, a message or a pattern: nothing to run
type block struct {
	page     string
	line     int    // of the first line of its content
	language string // sh, go, yaml, json, text; test: a hidden script
	argument string // what follows the language
	given    string // by "<!-- given: ... -->": the names that a fragment of Go uses, as parameters in Go
	before   string // the last line of prose before the block
	text     string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// pages are the Markdown files with code that readers may copy.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "workshop/*.md", "../*.md", "../examples/*/README.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || found == nil {
			t.Fatal(pattern, err)
		}
		all = append(all, found...)
	}
	return all
}

var (
	fence    = regexp.MustCompile("^( *)```(.*)$")
	given    = regexp.MustCompile("^<!-- given: (.*) -->$")
	indented = regexp.MustCompile(`^    \S`)
	item     = regexp.MustCompile(`^\s*([-*]|\d+\.) `)
)

// reader takes a page apart.
type reader struct {
	page  string
	lines []string
	at    int
	next  block // what is known of it before it begins

	inList bool
	blocks []block
}

func read(t *testing.T, page string) []block {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	r := reader{page: page, lines: strings.Split(string(text), "\n")}
	for r.at < len(r.lines) {
		if err := r.line(); err != nil {
			t.Errorf("%s: %v", page, err)
		}
	}
	return r.blocks
}

// line reads a line of prose, or a block.
func (r *reader) line() error {
	line := r.lines[r.at]
	r.at++
	if open := fence.FindStringSubmatch(line); open != nil {
		language, argument, _ := strings.Cut(open[2], " ")
		return r.block(language, argument, open[1]+"```", open[1])
	}
	if line == "<!-- test" {
		return r.block("test", "", "-->", "")
	}
	if names := given.FindStringSubmatch(line); names != nil {
		r.next.given = names[1]
		return nil
	}
	if line == "" {
		return nil
	}
	if indented.MatchString(line) && r.lines[max(0, r.at-2)] == "" && !r.inList {
		return fmt.Errorf("line %d: put code into a fence; its first line says what a test does with it", r.at)
	}
	r.inList = item.MatchString(line) || r.inList && line[0] == ' '
	r.next.before = line
	return nil
}

// block reads the lines up to the end of a block.
func (r *reader) block(language, argument, end, indent string) error {
	b := r.next
	b.page, b.line, b.language, b.argument = r.page, r.at+1, language, argument
	r.next = block{before: b.before}
	for ; r.at < len(r.lines); r.at++ {
		if line := r.lines[r.at]; line == end {
			r.at++
			r.blocks = append(r.blocks, b)
			return nil
		}
		b.text += strings.TrimPrefix(r.lines[r.at], indent) + "\n"
	}
	return fmt.Errorf("line %d: the block does not end", b.line)
}
