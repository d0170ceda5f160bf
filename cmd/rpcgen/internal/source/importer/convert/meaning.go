package convert

import (
	"sort"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// Meanings are the exported definitions of a document, each in one form whatever the order of its members.
func Meanings(doc *ir.Document) map[string]string {
	all := map[string]string{}
	exported, err := jsonschema.Export(doc, jsonschema.Options{})
	if err != nil {
		return all
	}
	root, _, fault := source.ParseJSON("", exported)
	if fault != nil {
		return all
	}
	for _, d := range (source.Cursor{Value: root}).MembersOf("$defs") {
		all[d.Name] = Sort(jsonschema.WithoutWords(d.Value)).String()
	}
	return all
}

// Sort orders members, and the names under required.
func Sort(v ir.Value) ir.Value {
	fields := make([]ir.Member, len(v.Fields))
	for i, m := range v.Fields {
		fields[i] = ir.Member{Name: m.Name, Value: Sort(m.Value)}
		if m.Name == "required" {
			names := fields[i].Value.Items
			sort.SliceStable(names, func(i, j int) bool { return names[i].Text < names[j].Text })
		}
	}
	sort.SliceStable(fields, func(i, j int) bool { return fields[i].Name < fields[j].Name })
	v.Fields, v.Items = fields, ir.Each(v.Items, Sort)
	return v
}
