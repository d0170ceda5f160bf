package budget

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Size is how large a text is.
type Size struct {
	Bytes  int `json:"bytes"`
	Tokens int `json:"tokens"` // an estimate
}

func sizeOf(text string) Size { return Size{len(text), Tokens(text)} }

// Tool is what one tool costs.
type Tool struct {
	Name string `json:"name"`
	Size
	Parts []Part `json:"parts,omitempty"` // the largest first
}

// Part is a part of a tool.
type Part struct {
	Name   string `json:"name"` // such as "the property city"
	Tokens int    `json:"tokens"`
}

// Report is what a list of tools costs.
type Report struct {
	All          Size   `json:"all"`          // all tools, as a model sees them
	Names        Size   `json:"names"`        // their names alone, as hosts show them which load tools on demand
	Instructions Size   `json:"instructions"` // of the server
	Characters   int    `json:"characters"`   // of the instructions
	Wire         int    `json:"wire"`         // bytes of the list as it is sent
	Icons        int    `json:"icons"`        // bytes of the icons in it, which no model reads
	Foreign      bool   `json:"foreign"`      // many letters are not ASCII: the estimate is too low
	Tools        []Tool `json:"tools"`        // the largest first
	Cuts         []Cut  `json:"cuts"`         // the largest saving first
}

// New returns what tools cost, and the instructions of their server: with code, for models that write code.
func New(tools []ir.Value, instructions string, code bool) Report {
	r := Report{Instructions: sizeOf(instructions), Characters: utf8.RuneCountInString(instructions), Tools: []Tool{}, Cuts: []Cut{}}
	names, sum := "", 0.0
	for i, t := range tools {
		seen := ModelView(t, code)
		name, _ := t.Get("name")
		one := Tool{name.Text, sizeOf(seen), parts(t, code)}
		if i > 0 { // a comma
			r.All.Bytes, r.Wire, names = r.All.Bytes+1, r.Wire+1, names+"\n"
		}
		r.All.Bytes += one.Bytes
		sum += pieces(seen)
		names += name.Text
		r.Wire += len(t.String())
		if icons, ok := t.Get("icons"); ok {
			r.Icons += len(icons.String())
		}
		r.Foreign = r.Foreign || foreign(seen)
		r.Tools = append(r.Tools, one)
	}
	r.All.Tokens, r.Names = int(math.Round(sum)), sizeOf(names)
	slices.SortStableFunc(r.Tools, func(a, b Tool) int { return cmp.Compare(b.Tokens, a.Tokens) })
	r.Cuts = cuts(tools, code)
	return r
}

// parts are what a tool consists of: its description, and the parts of its schemas.
func parts(tool ir.Value, code bool) []Part {
	var all []Part
	add := func(name, text string) {
		if n := Tokens(text); n > 0 {
			all = append(all, Part{name, n})
		}
	}
	if d, ok := tool.Get("description"); ok {
		add("the description", d.Text)
	}
	input, _ := tool.Get("inputSchema")
	for _, m := range input.Member("properties").Fields {
		add("the property "+m.Name, m.Name+m.Value.String())
	}
	for _, m := range input.Member("$defs").Fields {
		add("the definition "+m.Name, m.Name+m.Value.String())
	}
	if output, ok := tool.Get("outputSchema"); ok && code {
		add("the output", output.String())
	}
	slices.SortStableFunc(all, func(a, b Part) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return all
}

// Change is a tool whose cost is another one than before.
type Change struct {
	Name string `json:"name"`
	Was  int    `json:"was"` // tokens; 0 if the tool is new
	Is   int    `json:"is"`  // tokens; 0 if the tool is gone
}

// Against returns the tools whose cost is another one than in an older report, the largest difference first.
func (r *Report) Against(old *Report) []Change {
	was := map[string]int{}
	for _, t := range old.Tools {
		was[t.Name] = t.Tokens
	}
	var all []Change
	for _, t := range r.Tools {
		if before := was[t.Name]; before != t.Tokens {
			all = append(all, Change{t.Name, before, t.Tokens})
		}
		delete(was, t.Name)
	}
	for _, t := range old.Tools {
		if before, gone := was[t.Name]; gone {
			all = append(all, Change{t.Name, before, 0})
			delete(was, t.Name)
		}
	}
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(abs(b.Is-b.Was), abs(a.Is-a.Was)) })
	return all
}

func abs(n int) int { return max(n, -n) }

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
		limit.Tokens = cmp.Or(limit.Tokens, whole.Tool.Tokens)
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
		report(limit.Pos, len("tokens"), largest(first.Parts), "the budget of all tools is %d tokens, and %s alone takes about %d", limit.Tokens,
			first.Name, first.Tokens)
		return all
	}
	help := fmt.Sprintf("the largest is %s (%d)", r.Tools[0].Name, r.Tools[0].Tokens)
	if len(r.Tools) > 1 {
		help = fmt.Sprintf("the largest are %s (%d) and %s (%d)", r.Tools[0].Name, r.Tools[0].Tokens, r.Tools[1].Name, r.Tools[1].Tokens)
	}
	report(limit.Pos, len("tokens"), help+"; rpcgen budget shows what can be cut", "the tools take about %d tokens, and their budget is %d",
		r.All.Tokens, limit.Tokens)
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
