package lint

import (
	"fmt"
	"slices"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/subschema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// PublishedInput is a schema that promises what the server does not take.
const PublishedInput diag.Code = "PublishedInput"

func (p *pass) publishedInput() {
	for _, t := range p.doc.Tools {
		if t.Schema == nil {
			continue
		}
		want := ir.Value{Kind: ir.Object}
		if t.Input != nil {
			text, err := jsonschema.ExportInput(p.doc, t.Input)
			if err != nil {
				continue // the command that writes it reports it
			}
			if want, err = ir.ParseJSON(text); err != nil {
				continue
			}
		}
		p.comparePublished(t, *t.Schema, want)
	}
}

// comparePublished compares what is published with the schema of what is read.
func (p *pass) comparePublished(t *ir.Tool, have, want ir.Value) {
	path := "tools." + t.Name + ".inputSchema"
	published, hasProperties := have.Get("properties")
	if !hasProperties {
		if len(want.Fields) > 0 && !subschema.Within(have, want) {
			p.report(path, span(have.Pos, ""), "write properties and required as input has them", "not every call that fits inputSchema is known to fit input")
		}
		return
	}
	read, additional := want.Member("properties"), want.Member("additionalProperties")
	for _, m := range published.Fields {
		at, where := path+".properties."+m.Name, span(m.Value.Pos, "")
		field, known := read.Get(m.Name)
		switch {
		case !known && additional.Text == "false":
			p.report(at, where, "add it to input, or take it out", fmt.Sprintf("inputSchema has the property %q, and a call with it is refused: input has no "+
				"such field", m.Name))
		case known && !subschema.Within(withDefinitions(have, m.Value), withDefinitions(want, field)):
			p.report(at, where, "write it as input has it", fmt.Sprintf("not every value that inputSchema allows for %q is known to fit input", m.Name))
		}
	}
	needed := requiredMembers(have, nil)
	for _, name := range want.Member("required").Items {
		if !slices.Contains(needed, name.Text) {
			p.report(path+".required."+name.Text, span(have.Pos, ""), "add it to required",
				fmt.Sprintf("inputSchema does not require %q, and a call without it is refused", name.Text))
		}
	}
}

// withDefinitions is a part of a schema that can be looked at alone: with the definitions of the whole.
func withDefinitions(whole, part ir.Value) ir.Value {
	if definitions, ok := whole.Get("$defs"); ok && part.Kind == ir.Object {
		part.Fields = append(slices.Clone(part.Fields), ir.Member{Name: "$defs", Value: definitions})
	}
	return part
}

// requiredMembers lists the members that a schema requires whatever the others are.
func requiredMembers(schema ir.Value, names []string) []string {
	names = append(names, schema.Member("required").Words()...)
	for _, part := range schema.Member("allOf").Items {
		names = requiredMembers(part, names)
	}
	return names
}
