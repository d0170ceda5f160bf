package source

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// IsDraft7 reports whether a source follows draft-07, in which no sibling of $ref counts.
func IsDraft7(root Cursor) bool {
	return strings.TrimSuffix(root.TextOf("$schema"), "#") == "http://json-schema.org/draft-07/schema"
}

// isEarly reports whether a source follows a draft before 2019-09.
func isEarly(root Cursor) bool {
	dialect := strings.TrimSuffix(root.TextOf("$schema"), "#")
	return strings.Contains(dialect, "json-schema.org/draft-0") || strings.HasSuffix(dialect, "json-schema.org/schema")
}

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

// IsMetaModel reports whether a source is a meta model, the format in which the Language Server Protocol describes itself
// (metaModel.json, since 3.17).
func IsMetaModel(root Cursor) bool {
	return !slices.ContainsFunc([]string{"requests", "notifications", "structures"}, func(key string) bool {
		list, _ := root.Get(key)
		return list.Kind != ir.Array
	})
}
