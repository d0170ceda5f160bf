package importer

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// withBranches adds the requests and notifications that are branches in place of the unions of what a side sends, each under its title or its
// method, as generators for tagged enums write them.
func withBranches(all []*definition) []*definition {
	known := map[string]bool{}
	for _, d := range all {
		known[d.name] = true
	}
	for _, d := range slices.Clone(all) {
		if _, ok := sideOf[d.name]; !ok {
			continue
		}
		suffix := "Request"
		if strings.HasSuffix(d.name, "Notification") {
			suffix = "Notification"
		}
		for _, branch := range branchesOf(d.cursor) {
			method := methodOf(branch)
			if method == "" || branch.has("$ref") {
				continue
			}
			name := tree.JoinWords(method)
			if title := branch.text("title"); title != "" {
				name = strings.TrimSuffix(tree.JoinWords(title), suffix)
			}
			if name += suffix; !known[name] {
				known[name] = true
				all = append(all, &definition{named: named{name, branch}, inPlace: true})
			}
		}
	}
	return all
}

// branchesOf are the branches of a union.
func branchesOf(s cursor) []cursor {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if all, ok := s.get(keyword); ok {
			return all.items()
		}
	}
	return nil
}

// constantOf is the one text that a schema takes; empty if it is another schema.
func constantOf(s cursor) string {
	if v, ok := s.get("const"); ok && isWord(v.Value) {
		return v.Text
	}
	if all, ok := s.get("enum"); ok && len(all.Items) == 1 && all.Items[0].Kind == ir.Text {
		return all.Items[0].Text
	}
	return ""
}
