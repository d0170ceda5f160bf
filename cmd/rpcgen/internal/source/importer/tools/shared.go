package tools

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// sharedDefinitions finds the definitions of the schemas of tools that become one type each, under their own names: they have the same text
// wherever the name occurs, and refer to nothing but each other. The others belong to their schemas.
func sharedDefinitions(tools source.Cursor) map[string]bool {
	count, parts, early := map[string]int{}, map[string]source.Cursor{}, map[string]bool{}
	taken := map[string]bool{}
	var differ []string
	for s, name := range toolSchemas(tools) {
		taken[name] = true
		for _, d := range definitionsOf(s) {
			taken[tree.NameOf(name+tree.JoinWords(d.Name))] = true
			draft7 := source.OnlyRef(s)
			if count[d.Name]++; count[d.Name] > 1 && (early[d.Name] != draft7 || parts[d.Name].String() != d.String()) {
				differ = append(differ, d.Name)
			}
			early[d.Name], parts[d.Name] = draft7, d.Cursor
		}
	}
	shared := map[string]bool{}
	for name := range count {
		shared[name] = !taken[tree.NameOf(tree.JoinWords(name))]
	}
	for _, name := range differ {
		shared[name] = false
	}
	for again := true; again; { // a type that refers to one of a single schema is of that schema, too
		again = false
		for name, d := range parts {
			if shared[name] && !refersWithin(d.Value, shared) {
				shared[name], again = false, true
			}
		}
	}
	unite(shared)
	return shared
}

// unite drops shared names that would become the same type.
func unite(shared map[string]bool) {
	by := map[string][]string{}
	for name, is := range shared {
		if is {
			by[tree.NameOf(tree.JoinWords(name))] = append(by[tree.NameOf(tree.JoinWords(name))], name)
		}
	}
	for _, names := range by {
		for _, name := range names {
			shared[name] = len(names) == 1
		}
	}
}

// toolSchemas yields the schemas of all tools, with the names of the types that they may become.
func toolSchemas(tools source.Cursor) func(yield func(s source.Cursor, name string) bool) {
	return func(yield func(s source.Cursor, name string) bool) {
		for _, tool := range tools.Elements() {
			for _, half := range []struct{ member, suffix string }{{"inputSchema", "Input"}, {"outputSchema", "Output"}} {
				s, ok := tool.Get(half.member)
				if ok && !yield(s, tree.JoinWords(tool.TextOf("name"))+half.suffix) {
					return
				}
			}
		}
	}
}

// definitionsOf returns the definitions of a tool's schema.
func definitionsOf(s source.Cursor) []source.Member {
	return slices.Concat(s.MembersOf("$defs"), s.MembersOf("definitions"))
}

// refersWithin reports whether all references of a schema lead to one of the given definitions.
func refersWithin(v ir.Value, names map[string]bool) bool {
	within := true
	jsonschema.Walk(v, func(p *jsonschema.Place) bool {
		for _, m := range p.Value.Fields {
			if jsonschema.KeywordOf(m.Name).Refers() {
				name := strings.TrimPrefix(strings.TrimPrefix(m.Value.Text, "#/$defs/"), "#/definitions/")
				within = within && name != m.Value.Text && names[name]
			}
		}
		return within
	})
	return within
}
