package openrpc

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
)

func hasParams(m source.Cursor) bool {
	p, _ := m.Get("params")
	return len(p.Items) > 0 || m.Has("x-params")
}

// structureOf is how the params of a method are sent, in the words of the language. What OpenRPC cannot describe, an export keeps.
func structureOf(method source.Cursor) string {
	if by := method.TextOf("x-paramsBy"); by != "" {
		return by
	}
	switch by := method.TextOf("paramStructure"); by {
	case "by-name", "by-position":
		return strings.TrimPrefix(by, "by-")
	}
	return "either"
}

// structure decides how params are sent unless a method says otherwise: as all methods with params say, or as an export keeps it.
func (o *openRPC) structure(root source.Cursor, methods []source.Cursor) {
	o.paramsBy = "either"
	if p, ok := root.Get("x-protocol"); ok {
		if positional, ok := p.Get("positional"); ok && positional.Text == "false" {
			o.paramsBy = "name"
		} else if by := p.TextOf("paramsBy"); by != "" {
			o.paramsBy = by
		}
		return
	}
	var all []string
	for _, m := range methods {
		if hasParams(m) {
			all = append(all, structureOf(m))
		}
	}
	if all = slices.Compact(all); len(all) != 1 || all[0] == "either" {
		return
	}
	o.paramsBy = all[0]
	p := tree.Mapping()
	if o.paramsBy == "name" {
		tree.Set(p, "positional", tree.Plain("false"))
	} else {
		tree.Set(p, "paramsBy", tree.Text(o.paramsBy))
	}
	tree.Set(o.d.Doc.Head, "protocol", p)
}
