package budget

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

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
		seen := Seen(t, code)
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
	properties, _ := input.Get("properties")
	for _, m := range properties.Fields {
		add("the property "+m.Name, m.Name+m.Value.String())
	}
	definitions, _ := input.Get("$defs")
	for _, m := range definitions.Fields {
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
