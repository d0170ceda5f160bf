package main

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/test/marked"
	"github.com/rpcgen-go/rpcgen/test/results"
)

// refusals are the tests that refuse changes of files whose paths match a pattern, besides those that the packages name themselves.
var refusals = [][2]string{
	{``, "./test/house"},
	{`^schema/`, "./cmd/rpcgen/internal/language/docs"},
	{`^schema/`, "./cmd/rpcgen/internal/language/editor"},
	{`^(schema|templates|runtime/(gen|mcp|x/contract/values|internal/mcp/protocol))/`, "./cmd/rpcgen/command ^TestEvery"},
	{`^cmd/rpcgen/internal/(language|source/(importer|revisions)|workshop/install)/`, "./cmd/rpcgen/command ^TestEvery"},
	{`^test/allkinds/.*yaml$|^docs/(language|workshop/howto-hosts)\.md$`, "./cmd/rpcgen/command ^TestEvery"},
	{`/lint/rules\.txt$|^schema/check/conditions\.go$`, "./docs TestLintRules|TestConditions"},
}

// testRun is a run of tests: of a package, as it is called in a module, or of the module as a whole.
type testRun struct {
	mod, pkg, pattern string
	full              bool // not only the short tests
}

// plan is what a change needs.
type plan struct {
	all      map[string]*pkg     // the packages of this module, by folder
	by       map[string][]string // the tests that they name, by folder
	schemas  [][]string          // of the Makefile: the path of a schema, and the folder that it is generated into
	vetted   map[string]string   // the packages to vet, with the reason
	tests    map[testRun][]string
	exported []string // the exported names that changed, with the name of their package
	drift    bool
}

// newPlan plans what the changes of files need.
func newPlan(files []string) (*plan, error) {
	p := &plan{vetted: map[string]string{}, tests: map[testRun][]string{}}
	var err error
	if p.all, err = packages(); err != nil {
		return nil, err
	}
	if p.by, err = marked.Packages(".", "//test:by"); err != nil {
		return nil, err
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		return nil, err
	}
	p.schemas = regexp.MustCompile(`([\w./-]+\.yaml):([\w./-]+)`).FindAllStringSubmatch(string(makefile), -1)
	folders := map[string][]string{}
	for _, file := range files {
		mod, dir := folder(file)
		if mod == "." {
			folders[dir] = append(folders[dir], file)
		} else {
			p.test(testRun{mod: mod, pkg: "./..."}, file+" changed")
		}
		for _, r := range refusals {
			if regexp.MustCompile(r[0]).MatchString(file) {
				p.testBy(r[1], "it refuses such changes")
			}
		}
		p.drift = p.drift || !strings.HasSuffix(file, "_test.go") && (strings.HasPrefix(file, "schema/") || strings.HasPrefix(file, "templates/")) &&
			!strings.Contains(file, "/testdata/") ||
			strings.HasSuffix(file, ".gen.go") || slices.ContainsFunc(p.schemas, func(s []string) bool { return s[1] == file })
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		p.change(dir, folders[dir])
	}
	p.pages(files)
	return p, nil
}

// test plans a run of tests for a reason.
func (p *plan) test(r testRun, why string) {
	if !slices.Contains(p.tests[r], why) {
		p.tests[r] = append(p.tests[r], why)
	}
}

// testBy plans what a line "//test:by" says.
func (p *plan) testBy(line, why string) {
	name, pattern, _ := strings.Cut(line, " ")
	p.test(testRun{mod: ".", pkg: name, pattern: pattern}, why)
}

// change plans what the changes of files of a package need.
func (p *plan) change(dir string, files []string) {
	why := dir + " changed"
	if dir == "." {
		why = strings.Join(files, ", ") + " changed"
	}
	for _, line := range p.testsOf(dir) {
		p.testBy(line, why)
	}
	if p.all[dir] != nil {
		p.vetted["./"+dir] = why
	}
	exported := exportedChanges(files)
	if len(exported) == 0 {
		return
	}
	for _, name := range exported {
		p.exported = append(p.exported, path.Base(dir)+"."+name)
	}
	for importer, q := range p.all {
		if slices.Contains(q.Imports, module+"/"+dir) && p.vetted["./"+importer] == "" {
			p.vetted["./"+importer] = "they import " + dir + ", whose " + strings.Join(exported, ", ") + " changed"
		}
	}
}

// testsOf returns what tests a package, as lines of "//test:by": its own tests, unless a line names them with a pattern, and the lines of its files.
// Generated packages have no lines: what tests the folder of their schema tests them, or else the first package that imports them.
func (p *plan) testsOf(dir string) []string {
	lines := slices.Clone(p.by[dir])
	if p.all[dir].tested() && !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "./"+dir+" ") }) {
		lines = append(lines, "./"+dir)
	}
	for _, s := range p.schemas {
		if from := path.Dir(s[1]); len(lines) == 0 && from != dir && strings.HasPrefix(dir+"/", s[2]+"/") {
			lines = p.testsOf(from)
		}
	}
	for _, importer := range slices.Sorted(maps.Keys(p.all)) {
		if len(lines) == 0 && slices.Contains(p.all[importer].Imports, module+"/"+dir) {
			lines = p.testsOf(importer)
		}
	}
	return lines
}

// pages plans the tests of docs: pages that changed, or that have a text that is gone, run as a whole, and those that mention a file or an exported name that
// changed in a short form. What they say of exported names of the runtime is looked at when one changed.
func (p *plan) pages(files []string) {
	for _, file := range files {
		if strings.HasSuffix(file, ".md") || strings.HasPrefix(file, "runtime/") && len(p.exported) > 0 {
			for _, line := range p.testsOf("docs") {
				p.testBy(line, file+" changed")
			}
		}
	}
	var all []string
	for _, pattern := range []string{"docs/*.md", "docs/workshop/*.md", "*.md", "examples/*/README.md"} {
		found, _ := filepath.Glob(pattern)
		all = append(all, found...)
	}
	below := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return path.Dir(f) == "." }) // most pages mention go.mod
	gone, mentioned := anyOf(goneTexts(files)), anyOf(append(below, p.exported...))
	for _, page := range all {
		text, _ := os.ReadFile(page)
		if !bytes.Contains(text, []byte("```")) {
			continue // it has nothing to run
		}
		r := testRun{".", "./docs", "TestPages/" + results.Pattern(strings.TrimPrefix(page, "docs/")), true}
		if slices.Contains(files, page) {
			p.test(r, page+" changed")
		} else if found := gone.Find(text); found != nil {
			p.test(r, page+" has "+strconv.Quote(string(found))+", which is gone")
		} else if found := mentioned.Find(text); found != nil {
			r.full = false
			p.test(r, page+" mentions "+string(found))
		}
	}
}

// anyOf returns a pattern that finds any of several texts.
func anyOf(texts []string) *regexp.Regexp {
	pattern := `^\z` // nothing
	for _, t := range texts {
		pattern += `|\b` + regexp.QuoteMeta(t) + `\b`
	}
	return regexp.MustCompile(pattern)
}

// steps returns the commands of the plan: vet first, then one for all packages of a module whose tests run as a whole, and one for each with patterns.
func (p *plan) steps() []step {
	var all []step
	if len(p.vetted) > 0 {
		why := slices.Compact(slices.Sorted(maps.Values(p.vetted)))
		all = append(all, step{dir: ".", args: append([]string{"go", "vet"}, slices.Sorted(maps.Keys(p.vetted))...), why: why})
	}
	groups := map[testRun]int{}
	order := func(a, b testRun) int {
		return cmp.Or(strings.Compare(a.mod, b.mod), strings.Compare(a.pkg, b.pkg), strings.Compare(a.pattern, b.pattern))
	}
	for _, r := range slices.SortedFunc(maps.Keys(p.tests), order) {
		if r.pattern != "" && !r.full && p.tests[testRun{mod: r.mod, pkg: r.pkg}] != nil {
			continue
		}
		group := testRun{mod: r.mod, full: r.full}
		if r.pattern != "" {
			group.pkg = r.pkg
		}
		at, there := groups[group]
		if !there {
			at = len(all)
			groups[group] = at
			all = append(all, r.step())
		} else if r.pattern != "" {
			all[at].args[len(all[at].args)-1] += "|" + r.pattern
		} else {
			all[at].args = append(all[at].args, r.pkg)
		}
		all[at].why = append(all[at].why, strings.TrimSpace(r.pkg+" "+r.pattern)+": "+strings.Join(p.tests[r], ", "))
	}
	if p.drift {
		all = append(all, step{dir: ".", args: []string{"make", "--no-print-directory", "-s", "check"}, why: []string{"generated files may differ"}})
	}
	return all
}

// step returns the command of a run.
func (r testRun) step() step {
	s := step{dir: r.mod, args: []string{"go", "test", "-vet=off", "-parallel", "6"}} // tests that run at the same time wait for servers, most of the time
	if !r.full {
		s.args = append(s.args, "-short")
	}
	if s.args = append(s.args, r.pkg); r.pattern != "" {
		s.args = append(s.args, "-run", r.pattern)
	}
	return s
}
