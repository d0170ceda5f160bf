package budget

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Check returns where the tools of a schema take more tokens than it grants: each tool, and all of them.
func Check(doc *ir.Document, tools []ir.Value) diag.List {
	var all diag.List
	report := func(at diag.Pos, length int, help, format string, args ...any) {
		all = append(all, diag.Diagnostic{Code: diag.OverBudget, Span: diag.Span{Pos: at, Len: length}, Message: fmt.Sprintf(format, args...), Help: help})
	}
	whole := ir.Budget{}
	if doc.Server != nil {
		whole = doc.Server.Budget
	}
	r := New(tools, "", false)
	sizes := map[string]Tool{}
	for _, t := range r.Tools {
		sizes[t.Name] = t
	}
	for _, t := range doc.Tools {
		one := sizes[t.Name]
		limit := t.Budget
		if limit.Tokens == 0 {
			limit.Tokens = whole.Tool.Tokens
		}
		if limit.Tokens > 0 && one.Tokens > limit.Tokens {
			at, length := limit.Pos, len("budget")
			if !at.Valid() {
				at, length = t.Pos, len(t.Name)
			}
			report(at, length, largest(one.Parts), "%s takes about %d tokens, and its budget is %d", t.Name, one.Tokens, limit.Tokens)
		}
	}
	limit := whole.Tokens
	if limit.Tokens == 0 || r.All.Tokens <= limit.Tokens {
		return all
	}
	if first := r.Tools[0]; first.Tokens > limit.Tokens {
		report(limit.Pos, len("tokens"), largest(first.Parts), "the budget of all tools is %d tokens, and %s alone takes about %d", limit.Tokens, first.Name, first.Tokens)
		return all
	}
	help := fmt.Sprintf("the largest is %s (%d)", r.Tools[0].Name, r.Tools[0].Tokens)
	if len(r.Tools) > 1 {
		help = fmt.Sprintf("the largest are %s (%d) and %s (%d)", r.Tools[0].Name, r.Tools[0].Tokens, r.Tools[1].Name, r.Tools[1].Tokens)
	}
	report(limit.Pos, len("tokens"), help+"; rpcgen budget shows what can be cut", "the tools take about %d tokens, and their budget is %d", r.All.Tokens, limit.Tokens)
	return all
}

// Sets reports whether a schema sets a budget.
func Sets(doc *ir.Document) bool {
	return doc.Server != nil && (doc.Server.Budget != (ir.Budget{}) || slices.ContainsFunc(doc.Tools, func(t *ir.Tool) bool { return t.Budget.Tokens > 0 }))
}

// largest names the two largest parts of a tool.
func largest(parts []Part) string {
	all := ir.Each(parts[:min(2, len(parts))], func(p Part) string { return fmt.Sprintf("%s (%d)", p.Name, p.Tokens) })
	if len(all) == 0 {
		return "the budget is too small for a tool with a name alone"
	}
	if len(all) == 1 {
		return "the largest part is " + all[0]
	}
	return "the largest parts are " + strings.Join(all, " and ")
}
