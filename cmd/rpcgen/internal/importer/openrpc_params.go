package importer

import (
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"slices"
	"strings"
)

func hasParams(m cursor) bool {
	p, _ := m.get("params")
	return len(p.Items) > 0 || m.has("x-params")
}

// structureOf is how the params of a method are sent, in the words of the language. What OpenRPC cannot describe, an export keeps.
func structureOf(method cursor) string {
	if by := method.text("x-paramsBy"); by != "" {
		return by
	}
	switch by := method.text("paramStructure"); by {
	case "by-name", "by-position":
		return strings.TrimPrefix(by, "by-")
	}
	return "either"
}

// structure decides how params are sent unless a method says otherwise: as all methods with params say, or as an export keeps it.
func (o *openRPC) structure(root cursor, methods []cursor) {
	o.paramsBy = "either"
	if p, ok := root.get("x-protocol"); ok {
		if positional, ok := p.get("positional"); ok && positional.Text == "false" {
			o.paramsBy = "name"
		} else if by := p.text("paramsBy"); by != "" {
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
	tree.Set(o.doc.Head, "protocol", p)
}
