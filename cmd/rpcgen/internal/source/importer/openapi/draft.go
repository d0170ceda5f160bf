package openapi

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
)

// Import makes a draft of the inner document of a plan, whose root is given.
func Import(i *draft.Draft, root source.Cursor, p *Plan) {
	said := p.Said
	said.LeftOut = slices.Clone(p.Said.LeftOut)
	i.Conv.Report.API = &said
	i.Conv.Report.Definitions = said.Operations
	i.Doc.Head.Content = append(i.Doc.Head.Content, tree.Clone(p.Head).Content...)
	var types []*draft.Definition
	for at, d := range root.MembersOf("$defs") {
		types = append(types, &draft.Definition{Member: source.Member{Name: p.types[at].name, Cursor: d.Cursor}, IsType: true})
	}
	i.NameTypes(types)
	for _, d := range types {
		before := len(i.Conv.Faults)
		i.DeclareType(i.Conv.Names[d.Pointer], d.Cursor)
		if len(i.Conv.Faults) > before && i.Conv.Decisions.OpaqueAt[d.Pointer] == "" {
			i.Conv.Decisions.OpaqueAt[d.Pointer] = i.Conv.Faults[before].Message
			i.Conv.Faults = i.Conv.Faults[:before]
		}
	}
	tools, _ := root.Get("tools")
	failures, left := map[string]bool{}, slices.Clone(p.left)
	for _, t := range p.Tools {
		schemas, _ := tools.Get(t.Name)
		why := i.Conv.Decisions.Refused[schemas.Pointer]
		if why != nil && t.former != nil && !t.former.keep {
			i.Conv.Faults = append(i.Conv.Faults, t.former.loss(why.Message))
			continue
		}
		if why != nil {
			left = reportLeftOut(&said, left, t.label, &t.Operation, asReason(why).Error())
			said.Taken--
			continue
		}
		before := len(i.Conv.Faults)
		importTool(i, schemas, t, failures)
		if len(i.Conv.Faults) > before { // it is left out by the next attempt
			i.Conv.Decisions.Refused[schemas.Pointer] = i.Conv.Faults[before]
			i.Conv.Faults = i.Conv.Faults[:before]
		}
	}
	if said.Taken == 0 {
		i.Conv.Faults = append(i.Conv.Faults, left...)
	}
}

// importTool declares one tool. Failures are the names of the errors that tools have declared.
func importTool(i *draft.Draft, schemas source.Cursor, t *Tool, failures map[string]bool) {
	m := tree.Mapping()
	tree.SetSome(m, "title", tree.Text(t.Title))
	tree.Set(m, "description", tree.Text(t.Description))
	tree.Set(m, "hints", tree.Clone(t.Hints))
	tree.Set(m, "http", tree.Clone(t.HTTP))
	i.ListedAt["tools/"+t.Name] = schemas
	if input, ok := schemas.Get("input"); ok {
		importHalf(i, m, "input", t.Name, input, t.Places)
	}
	if output, ok := schemas.Get("output"); ok {
		importHalf(i, m, "output", t.Name, output, t.Read)
		tree.Set(m, "view", tree.Clone(t.View))
	}
	if len(t.failures) > 0 {
		tree.Set(m, "errors", declareFailures(i, schemas, t, failures))
	}
	tree.Set(m, noteKey, tree.Clone(t.Note))
	i.Declare("tools", t.Name, m, schemas)
}

// importHalf writes what a tool takes or gives: fields with their places, or the name of a type.
func importHalf(i *draft.Draft, m *yaml.Node, key, name string, s source.Cursor, places map[string]*yaml.Node) {
	whole := i.Conv.Schema(s, convert.Declared)
	fields := tree.Get(whole, "fields")
	if whole.Kind == yaml.ScalarNode && key == "output" {
		tree.Set(m, key, whole)
		return
	}
	if fields == nil {
		is := tree.NameOf(tree.JoinWords(name) + map[string]string{"input": "Input", "output": "Output"}[key])
		tree.Set(m, key, tree.Text(i.DeclareType(is, s)))
		return
	}
	for at := 0; at+1 < len(fields.Content); at += 2 {
		field := fields.Content[at].Value
		if n := len(field) - 1; n > 0 && field[n] == '?' {
			field = field[:n]
		}
		place := places[field]
		if place == nil {
			continue
		}
		value := fields.Content[at+1]
		if value.Kind == yaml.ScalarNode {
			with := tree.Mapping()
			tree.Set(with, "type", value)
			if origin, ok := i.Conv.Origins[value]; ok {
				i.Conv.Origins[with] = origin
			}
			value = with
			fields.Content[at+1] = with
		}
		tree.Set(value, "http", tree.Clone(place))
	}
	tree.Set(m, key, fields)
}
