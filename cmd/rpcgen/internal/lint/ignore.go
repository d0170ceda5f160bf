package lint

import (
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// IgnoreWithoutReason is an entry of lint.ignore that leaves its reader to guess.
const IgnoreWithoutReason diag.Code = "IgnoreWithoutReason"

func ignoreRules() []Rule {
	return []Rule{
		rule(diag.Warning, (*pass).ignoreWithoutReason, diag.Info{Code: IgnoreWithoutReason, Title: "A finding that is ignored without a reason",
			Explanation: "Whoever reads the schema next must be able to tell whether the reason still holds.",
			Example: `rpcgen: v1
lint: {ignore: [{rule: MethodName, at: methods.ping}]}
methods:
  ping: {description: Answers.}
`}),
	}
}

func (p *pass) ignoreWithoutReason() {
	for i, entry := range p.doc.Ignores {
		if strings.TrimSpace(entry.Reason) == "" {
			p.report(fmt.Sprintf("lint.ignore[%d]", i), span(entry.Pos, ""), "add reason:", fmt.Sprintf("nothing says why %s is ignored at %s", entry.Rule, entry.At))
		}
	}
}

// ignored takes out the findings that lint.ignore names. Faults that keep a schema from compiling cannot be ignored: they never
// come here.
func (p *pass) ignored() (kept diag.List, unused []int) {
	used := make([]bool, len(p.doc.Ignores))
	for _, f := range p.found {
		ignored := false
		for i, entry := range p.doc.Ignores {
			if entry.Rule == string(f.Code) && covers(entry.At, f.Path) {
				used[i], ignored = true, true
			}
		}
		if !ignored {
			kept = append(kept, f)
		}
	}
	for i, entry := range p.doc.Ignores {
		if !used[i] {
			unused = append(unused, i)
			d := p.unmatched(entry)
			d.Path = fmt.Sprintf("lint.ignore[%d]", i)
			kept = append(kept, d)
		}
	}
	return kept, unused
}

// covers tells whether an entry names a path. A * at its end stands for any rest.
func covers(at, path string) bool {
	if prefix, ok := strings.CutSuffix(at, "*"); ok {
		return strings.HasPrefix(path, prefix)
	}
	return at == path
}

// unmatched says what is wrong with an entry that names nothing.
func (p *pass) unmatched(entry ir.Ignore) diag.Diagnostic {
	d := diag.Diagnostic{Code: diag.OverrideUnmatched, Span: span(entry.Pos, ""), Help: "remove it; rpcgen lint --fix does",
		Message: fmt.Sprintf("lint.ignore names %s at %s, which finds nothing there", entry.Rule, entry.At)}
	var ids, paths []string
	for _, r := range Rules() {
		ids = append(ids, string(r.Code))
	}
	if _, known := Lookup(entry.Rule); !known && entry.Rule != string(diag.ReservedCode) {
		d.Message = fmt.Sprintf("lint.ignore names the rule %q, which is not known", entry.Rule)
		if near := diag.DidYouMean(entry.Rule, ids); near != "" {
			d.Help = near
		}
		return d
	}
	for _, f := range p.found {
		if string(f.Code) == entry.Rule {
			paths = append(paths, f.Path)
		}
	}
	if near := diag.DidYouMean(entry.At, paths); near != "" {
		d.Help = near
	}
	return d
}
