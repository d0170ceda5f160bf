package lint

import (
	_ "embed"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Rule is one thing that lint looks for.
type Rule struct {
	diag.Info // Phase is lint
	Severity  diag.Severity
	find      func(*pass)
}

// Rules lists the rules, by concern.
func Rules() []Rule {
	infos := explanations()
	rule := func(severity diag.Severity, find func(*pass), code diag.Code) Rule {
		return Rule{infos[code], severity, find}
	}
	return []Rule{
		rule(diag.Error, (*pass).rpcPrefix, RPCPrefix),
		rule(diag.Warning, (*pass).methodName, MethodName),
		rule(diag.Warning, (*pass).mcpCode, MCPCode),
		rule(diag.Warning, (*pass).unusedType, UnusedType),
		rule(diag.Error, (*pass).sensitiveHeader, SensitiveHeader),
		rule(diag.Warning, (*pass).undescribedMethod, UndescribedMethod),
		rule(diag.Warning, (*pass).undescribedParam, UndescribedParam),
		rule(diag.Warning, (*pass).undescribedTriState, UndescribedTriState),
		rule(diag.Warning, (*pass).undescribedTool, UndescribedTool),
		rule(diag.Warning, (*pass).anyInput, AnyInput),
		rule(diag.Warning, (*pass).openInput, OpenInput),
		rule(diag.Warning, (*pass).cachedChange, CachedChange),
		rule(diag.Warning, (*pass).toolName, ToolName),
		rule(diag.Warning, (*pass).publishedInput, PublishedInput),
		rule(diag.Warning, (*pass).unboundedString, UnboundedString),
		rule(diag.Warning, (*pass).unboundedList, UnboundedList),
		rule(diag.Warning, (*pass).closedResult, ClosedResult),
		rule(diag.Warning, (*pass).unsafeInteger, UnsafeInteger),
		rule(diag.Warning, (*pass).unlimitedResult, UnlimitedResult),
		rule(diag.Warning, (*pass).presenceOverlap, PresenceOverlap),
		rule(diag.Warning, (*pass).httpServer, HTTPServer),
		rule(diag.Warning, (*pass).secretInQuery, SecretInQuery),
		rule(diag.Warning, (*pass).unboundedAnswer, UnboundedAnswer),
		rule(diag.Warning, (*pass).writingGet, WritingGet),
		rule(diag.Warning, (*pass).publicAnswer, PublicAnswer),
		rule(diag.Warning, (*pass).undeclaredStatus, UndeclaredStatus),
		rule(diag.Warning, (*pass).ignoreWithoutReason, IgnoreWithoutReason),
	}
}

// Lookup explains one rule.
func Lookup(id string) (Rule, bool) {
	r := ir.First(Rules(), func(r Rule) bool { return string(r.Code) == id })
	return r, r.find != nil
}

//go:embed rules.txt
var ruleTexts string

// explanations are those of the rules.
func explanations() map[diag.Code]diag.Info {
	all := map[diag.Code]diag.Info{}
	for _, info := range diag.ParseInfos(ruleTexts) {
		info.Phase = "lint"
		all[info.Code] = info
	}
	return all
}

// Run applies every rule to a document. Findings have a path. The warnings of loading it are findings too: what lint.ignore names is left out. An
// entry of lint.ignore that names nothing is an error among the findings, and its index is among unused.
func Run(doc *ir.Document, loading diag.List) (findings diag.List, unused []int) {
	return RunFor(doc, loading, nil, false)
}

// RunFor is Run with what hosts do not take, which lint.ignore may name too. An entry that names a rule of hosts and matches nothing is an error only
// if hosts were asked for: it may be about another host.
func RunFor(doc *ir.Document, loading, hosts diag.List, asked bool) (findings diag.List, unused []int) {
	p := &pass{doc: doc, seen: map[key]bool{}, asked: asked, found: slices.Clone(hosts)}
	for _, d := range loading {
		d.Path = declarationAt(doc, d.Span.Pos)
		p.found = append(p.found, d)
	}
	for _, r := range Rules() {
		p.rule = r
		r.find(p)
	}
	kept, unused := p.applyIgnores()
	return kept.Sorted(), unused
}

// pass is one run over a document.
type pass struct {
	doc   *ir.Document
	rule  Rule // the one that is looking
	found diag.List
	seen  map[key]bool

	asked bool // hosts were asked for
}

// key tells findings apart: a field that many types inherit is found once.
type key struct {
	code diag.Code
	path string
}

func (p *pass) report(path string, at diag.Span, help, message string) {
	k := key{p.rule.Code, path}
	if p.seen[k] {
		return
	}
	p.seen[k] = true
	p.found = append(p.found, diag.Diagnostic{Code: p.rule.Code, Severity: p.rule.Severity, Span: at, Message: message, Path: path, Help: help})
}

// span is a name in the schema.
func span(at diag.Pos, name string) diag.Span { return diag.Span{Pos: at, Len: max(1, len(name))} }

// declarationAt is the path of the declaration at or above a place.
func declarationAt(doc *ir.Document, at diag.Pos) string {
	path, best := "", diag.Pos{}
	consider := func(name string, pos diag.Pos) {
		if pos.File == at.File && pos.Compare(at) <= 0 && pos.Compare(best) > 0 {
			path, best = name, pos
		}
	}
	for _, t := range doc.Types {
		consider("types."+t.Name, t.Pos)
	}
	for _, e := range doc.Errors {
		consider("errors."+e.Name, e.Pos)
	}
	for _, m := range doc.Methods {
		consider(methodPath(m), m.Pos)
	}
	return path
}
