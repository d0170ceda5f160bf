package docs

import (
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/notation"
)

// rules are what the author notes of a type, and its rules in words; those of what it holds follow.
func rules(t ir.Type) []words {
	var all []words
	if note := ir.NoteOf(t); note != nil {
		for _, b := range blocks(note.Doc) {
			all = append(all, b.Lines...)
		}
	}
	return append(all, ruled(t)...)
}

func ruled(t ir.Type) []words {
	switch t := t.(type) {
	case *ir.Bytes:
		return append([]words{plain("base64 text")}, said(t.Rules, "")...)
	case *ir.Struct:
		return append(said(t.Rules, "member"), additional(t)...)
	case *ir.Nullable:
		return rules(t.Elem)
	case *ir.Enum:
		if t.Open {
			return []words{plain("other values may turn up")}
		}
	case *ir.Ref:
		return said(t.Rules, counted(t))
	}
	what := ""
	switch {
	case ir.IsArray(t):
		what = "item"
	case ir.IsObject(t):
		what = "member"
	}
	all := said(ir.RulesOf(t), what)
	for part := range ir.Parts(t) {
		if heading := eachPart[part.Name]; part.Field == nil && part.Branch == nil && heading != "" {
			all = append(all, each(heading, rules(part.Type))...)
		}
	}
	return all
}

// eachPart introduces the rules of what lists, maps and tuples hold, by the names of these parts.
var eachPart = map[string]string{"items": "each item: ", "values": "each value: ", "rest": "each further item: "}

// counted is what a count of a named type counts.
func counted(t ir.Type) string {
	if ir.IsArray(ir.NonNull(t)) {
		return "item"
	}
	return "member"
}

func each(prefix string, all []words) []words {
	for i := range all {
		all[i] = append(plain(prefix), all[i]...)
	}
	return all
}

func additional(t *ir.Struct) []words {
	switch t.Additional {
	case ir.AdditionalRejected:
		return []words{plain("no other members")}
	case ir.AdditionalSkipped:
		return []words{plain("other members are ignored")}
	case ir.AdditionalKept:
		return append([]words{plain("other members are kept, of the type " + ir.Describe(t.Extra))}, each("each of them: ", rules(t.Extra))...)
	}
	return nil
}

// said puts rules into words; part is what a count counts.
func said(all []ir.Rule, part string) []words {
	return ir.Each(all, func(r ir.Rule) words { return rule(r, part) })
}

func rule(r ir.Rule, part string) words {
	switch r := r.(type) {
	case *ir.Length:
		return plain(notation.Count(r.Min, r.Max, "character"))
	case *ir.Count:
		return plain(notation.Count(r.Min, r.Max, part))
	case *ir.Range:
		return plain(notation.Range{Min: r.Min, Max: r.Max, ExclusiveMin: r.ExclusiveMin, ExclusiveMax: r.ExclusiveMax}.String())
	case *ir.MultipleOf:
		return plain(notation.MultipleOf(r.Of))
	case *ir.Pattern:
		return notation.Matches(r.Expr)
	case *ir.Format:
		return plain(formatName(r.Name))
	case *ir.Conform:
		return words{{Text: "fits "}, {Text: shorten(r.Schema.String()), Code: true}}
	case *ir.Unique:
		return plain(notation.Unique)
	case *ir.Require:
		return require(r)
	}
	panic(fmt.Sprintf("docs: no words for %T", r))
}

// longestSchema is how many bytes of a JSON Schema are shown.
const longestSchema = 2000

// shorten leaves out the end of a long JSON Schema.
func shorten(schema string) string {
	if len(schema) <= longestSchema {
		return schema
	}
	return strings.ToValidUTF8(schema[:longestSchema], "") + "..."
}

func formatName(name string) string {
	if format, ok := ir.FormatNamed(name); ok {
		return format.Words
	}
	return "format " + name
}

func require(r *ir.Require) words {
	switch r.How {
	case ir.RequireAny:
		return append(plain("at least one of "), listed(r.Fields)...)
	case ir.RequireOne:
		return append(plain("exactly one of "), listed(r.Fields)...)
	}
	all := append(code(r.Fields[0]), word{Text: " only together with "})
	return append(all, listed(r.Fields[1:])...)
}

// listed is a line of names.
func listed(names []string) words {
	var all words
	for i, name := range names {
		if i > 0 {
			all = append(all, word{Text: ", "})
		}
		all = append(all, word{Text: name, Code: true})
	}
	return all
}
