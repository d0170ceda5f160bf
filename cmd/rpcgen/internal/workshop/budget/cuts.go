package budget

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Cut is something that a list says more often than once.
type Cut struct {
	Tokens int    `json:"tokens"` // that are saved if it is said once
	Says   string `json:"says"`
}

// What is worth mentioning: a saving of so many tokens, and so many cuts.
const (
	leastSaving = 10
	mostCuts    = 10
	leastSchema = 60 // bytes of a schema that is looked at
	mostTried   = 40 // candidates whose saving is computed: those that are said most often and at greatest length
)

// repetition is a kind of what is repeated.
type repetition uint8

const (
	description repetition = iota // of a property, in several tools
	definition                    // the same schema, in several tools
	within                        // the same schema, several times in one tool
)

// repeatedText is something that is said several times.
type repeatedText struct {
	kind  repetition
	names []string // of properties or definitions that it is said of
	tools []int    // the tools that say it, in order
	times int
	text  string // the description, or the schema
}

// weight is roughly what saying it once saves, in bytes.
func (r *repeatedText) weight() int { return (r.times - 1) * len(r.text) }

// cuts looks for what is said several times. A saving is the difference of the estimates of the list and of one that says it once: the description is
// left out, or a reference takes the place of the schema, in all places but the first.
func cuts(tools []ir.Value, code bool) []Cut {
	found := candidates(tools, code)
	var kept []*repeatedText
	all := []Cut{}
	for _, r := range found[:min(len(found), mostTried)] {
		if r.kind != description && slices.ContainsFunc(kept, func(outer *repeatedText) bool {
			return outer.kind == r.kind && outer.times >= r.times && strings.Contains(outer.text, r.text)
		}) {
			continue // a part of one that is named already
		}
		if saved := int(math.Round(r.tokensSaved(tools, code))); saved >= leastSaving {
			kept = append(kept, r)
			all = append(all, Cut{saved, r.says(tools)})
		}
	}
	slices.SortStableFunc(all, func(a, b Cut) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return all[:min(len(all), mostCuts)]
}

// candidates returns what is repeated, the heaviest first.
func candidates(tools []ir.Value, code bool) []*repeatedText {
	var all []*repeatedText
	at := map[string]*repeatedText{}
	note := func(kind repetition, key, property, text string, tool int) {
		r := at[key]
		if r == nil {
			r = &repeatedText{kind: kind, text: text}
			at[key] = r
			all = append(all, r)
		}
		r.times++
		if !slices.Contains(r.names, property) && len(r.names) < 4 {
			r.names = append(r.names, property)
		}
		if len(r.tools) == 0 || r.tools[len(r.tools)-1] != tool {
			r.tools = append(r.tools, tool)
		}
	}
	for i, t := range tools {
		inSchemas(t, code, func(property string, s ir.Value) ir.Value {
			if d, ok := s.Get("description"); ok && property != "" && d.Kind == ir.Text && d.Text != "" {
				note(description, property+"\x00"+d.Text, property, d.Text, i)
			}
			if _, object := s.Get("properties"); object && property != "" {
				if text := s.String(); len(text) >= leastSchema {
					note(definition, "\x01"+text, property, text, i)
					note(within, fmt.Sprintf("\x02%d %s", i, text), property, text, i)
				}
			}
			return s
		})
	}
	all = slices.DeleteFunc(all, func(r *repeatedText) bool { return r.times < 2 || r.kind != within && len(r.tools) < 2 })
	slices.SortStableFunc(all, func(a, b *repeatedText) int { return cmp.Compare(b.weight(), a.weight()) })
	return all
}

func (r *repeatedText) says(tools []ir.Value) string {
	names := strings.Join(r.names, ", ")
	switch r.kind {
	case description:
		return fmt.Sprintf("%s is explained in %d tools as %q: say it once, such as in the instructions", names, len(r.tools), text.Clip(r.text, 50))
	case definition:
		return fmt.Sprintf("%s: the same schema in %d tools: make one tool of some, or leave out what is seldom used; hosts read no definitions that tools "+
			"share", names, len(r.tools))
	}
	return fmt.Sprintf("%s: the same schema %d times in %s: declare a type, which is listed once; Gemini's function declarations refuse references",
		names, r.times, tools[r.tools[0]].Member("name").Text)
}

// once is a tool, or the rest of them, that says something once. Said reports whether it was said before, and is set when it is.
func (r *repeatedText) once(tool ir.Value, code bool, said *bool) ir.Value {
	out := inSchemas(tool, code, func(property string, s ir.Value) ir.Value {
		switch {
		case property == "":
			return s
		case r.kind == description:
			if d, ok := s.Get("description"); !ok || property != r.names[0] || d.Kind != ir.Text || d.Text != r.text {
				return s
			}
		case s.String() != r.text:
			return s
		}
		if !*said && r.kind != within {
			*said = true
			return s
		}
		*said = true
		if r.kind == description {
			return s.Without("description")
		}
		return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "$ref", Value: ir.Value{Kind: ir.Text, Text: "#/$defs/" + r.names[0]}}}}
	})
	if r.kind == within {
		for i, m := range out.Fields {
			if m.Name == "inputSchema" {
				out.Fields[i].Value = withDefinition(m.Value, r.names[0], r.text)
			}
		}
	}
	return out
}

// withDefinition returns a schema with one more definition.
func withDefinition(schema ir.Value, name, text string) ir.Value {
	one := ir.Member{Name: name, Value: ir.Value{Kind: ir.Number, Text: text}} // whose text is JSON
	schema.Fields = slices.Clone(schema.Fields)
	for i, m := range schema.Fields {
		if m.Name == "$defs" {
			schema.Fields[i].Value.Fields = append(slices.Clone(m.Value.Fields), one)
			return schema
		}
	}
	schema.Fields = append(schema.Fields, ir.Member{Name: "$defs", Value: ir.Value{Kind: ir.Object, Fields: []ir.Member{one}}})
	return schema
}

// tokensSaved returns how many tokens are saved if it is said once.
func (r *repeatedText) tokensSaved(tools []ir.Value, code bool) (saved float64) {
	said := false
	for _, i := range r.tools {
		saved += pieces(ModelView(tools[i], code)) - pieces(ModelView(r.once(tools[i], code, &said), code))
	}
	return saved
}

// inSchemas returns a tool in whose schemas, as far as a model sees them, each schema is what a function makes of it, outer ones first. The function gets
// the name of the property or definition that a schema describes; empty if there is none.
func inSchemas(tool ir.Value, code bool, do func(property string, schema ir.Value) ir.Value) ir.Value {
	tool.Fields = slices.Clone(tool.Fields)
	for i, m := range tool.Fields {
		if m.Name == "inputSchema" || m.Name == "outputSchema" && code {
			tool.Fields[i].Value = inParts(m.Value, do)
		}
	}
	return tool
}

func inParts(schema ir.Value, do func(property string, schema ir.Value) ir.Value) ir.Value {
	return jsonschema.Rewrite(schema, func(k *jsonschema.Keyword, name string, inner ir.Value) ir.Value {
		if k.Role != jsonschema.Property && k.Role != jsonschema.Definition {
			name = ""
		}
		return inParts(do(name, inner), do)
	})
}
