package jsonschema

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// withBranches adds, for unions of what a side sends, their branches, each under its title or method, as generators for tagged enums write them.
func withBranches(all []*draft.Definition) []*draft.Definition {
	known := ir.Set(all, func(d *draft.Definition) string { return d.Name })
	for _, d := range slices.Clone(all) {
		if _, ok := sideOf[d.Name]; !ok {
			continue
		}
		suffix := "Request"
		if strings.HasSuffix(d.Name, "Notification") {
			suffix = "Notification"
		}
		for _, branch := range branchesOf(d.Cursor) {
			method := methodOf(branch)
			if method == "" || branch.Has("$ref") {
				continue
			}
			name := tree.JoinWords(method)
			if title := branch.TextOf("title"); title != "" {
				name = strings.TrimSuffix(tree.JoinWords(title), suffix)
			}
			if name += suffix; !known[name] {
				known[name] = true
				all = append(all, &draft.Definition{Member: source.Member{Name: name, Cursor: branch}, InPlace: true})
			}
		}
	}
	return all
}

// branchesOf are the branches of a union.
func branchesOf(s source.Cursor) []source.Cursor {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if all, ok := s.Get(keyword); ok {
			return all.Elements()
		}
	}
	return nil
}

// constantOf is the one text that a schema takes; empty if it is another schema.
func constantOf(s source.Cursor) string {
	if v, ok := s.Get("const"); ok && convert.IsWord(v.Value) {
		return v.Text
	}
	if all, ok := s.Get("enum"); ok && len(all.Items) == 1 && all.Items[0].Kind == ir.Text {
		return all.Items[0].Text
	}
	return ""
}
