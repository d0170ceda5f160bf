package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// IgnoreWithoutReason is an entry of lint.ignore that leaves its reader to guess.
const IgnoreWithoutReason diag.Code = "IgnoreWithoutReason"

func (p *pass) ignoreWithoutReason() {
	for i, entry := range p.doc.Ignores {
		if strings.TrimSpace(entry.Reason) == "" {
			p.report(fmt.Sprintf("lint.ignore[%d]", i), span(entry.Pos, ""), "add reason:", fmt.Sprintf("nothing says why %s is ignored at %s", entry.Rule, entry.At))
		}
	}
}

// applyIgnores takes out the findings that lint.ignore names. Faults that keep a schema from compiling cannot be ignored: they never come here.
func (p *pass) applyIgnores() (kept diag.List, unused []int) {
	used := make([]bool, len(p.doc.Ignores))
	entries := newIgnores(p.doc.Ignores)
	for _, f := range p.found {
		found := entries.entriesFor(string(f.Code), f.Path)
		for _, i := range found {
			used[i] = true
		}
		if len(found) == 0 {
			kept = append(kept, f)
		}
	}
	for i, entry := range p.doc.Ignores {
		if !used[i] && (p.asked || !isHostRule(entry.Rule)) {
			unused = append(unused, i)
			d := p.unmatchedFault(entry, len(unused) <= diag.Most)
			d.Path = fmt.Sprintf("lint.ignore[%d]", i)
			kept = append(kept, d)
		}
	}
	return kept, unused
}

// ignores finds the entries of lint.ignore by what they name.
type ignores struct {
	entries map[ignoreEntry][]int
	lengths []int // of the paths before a * at the end
}

// ignoreEntry is what an entry names: a path, or all that begin so.
type ignoreEntry struct {
	rule, path string
	rest       bool
}

func newIgnores(all []ir.Ignore) ignores {
	s := ignores{entries: map[ignoreEntry][]int{}}
	for i, entry := range all {
		path, rest := strings.CutSuffix(entry.At, "*")
		is := ignoreEntry{entry.Rule, path, rest}
		s.entries[is] = append(s.entries[is], i)
		if rest && !slices.Contains(s.lengths, len(path)) {
			s.lengths = append(s.lengths, len(path))
		}
	}
	return s
}

// entriesFor are the entries that name a path.
func (s ignores) entriesFor(rule, path string) []int {
	found := slices.Clone(s.entries[ignoreEntry{rule, path, false}])
	for _, n := range s.lengths {
		if n <= len(path) {
			found = append(found, s.entries[ignoreEntry{rule, path[:n], true}]...)
		}
	}
	return found
}

// unmatchedFault says what is wrong with an entry that names nothing, and what it may mean.
func (p *pass) unmatchedFault(entry ir.Ignore, suggest bool) diag.Diagnostic {
	d := diag.Diagnostic{Code: diag.OverrideUnmatched, Span: span(entry.Pos, ""), Help: "remove it; rpcgen lint --fix does",
		Message: fmt.Sprintf("lint.ignore names %s at %s, which finds nothing there", entry.Rule, entry.At)}
	if _, known := Lookup(entry.Rule); !known && entry.Rule != string(diag.ReservedCode) && !isHostRule(entry.Rule) {
		d.Message = fmt.Sprintf("lint.ignore names the rule %q, which is not known", entry.Rule)
		ids := append(ir.Each(Rules(), func(r Rule) string { return string(r.Code) }), ir.Each(HostRules(), func(r diag.Info) string { return string(r.Code) })...)
		d.Help = cmp.Or(diag.DidYouMean(entry.Rule, ids), d.Help)
		return d
	}
	alike := ir.Where(p.found, func(f diag.Diagnostic) bool { return suggest && string(f.Code) == entry.Rule })
	d.Help = cmp.Or(diag.DidYouMean(entry.At, ir.Each(alike, func(f diag.Diagnostic) string { return f.Path })), d.Help)
	return d
}
