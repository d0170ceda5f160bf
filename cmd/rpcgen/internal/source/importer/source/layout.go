package source

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// OnlyRef reports whether a source follows a draft in which nothing next to $ref counts: 04, 06 or 07.
func OnlyRef(root Cursor) bool {
	at := draftOf(root)
	return at >= 0 && dialects[at].draft <= 7
}

// dialectOf is the dialect that a source names.
func dialectOf(root Cursor) string { return strings.TrimSuffix(root.TextOf("$schema"), "#") }

// ToolsOf finds the list of tools of an answer to tools/list: the list or the result alone, or the whole response.
func ToolsOf(root Cursor) (Cursor, bool) {
	if root.Kind == ir.Array {
		return root, true
	}
	if result, ok := root.Get("result"); ok {
		root = result
	}
	tools, ok := root.Get("tools")
	return tools, ok && tools.Kind == ir.Array
}

// IsMetaModel reports whether a source is a meta model, the format in which the Language Server Protocol describes itself (metaModel.json, since 3.17).
func IsMetaModel(root Cursor) bool {
	return !slices.ContainsFunc([]string{"requests", "notifications", "structures"}, func(key string) bool {
		list, _ := root.Get(key)
		return list.Kind != ir.Array
	})
}
