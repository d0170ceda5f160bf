package openapi

import (
	_ "embed" // the table
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
)

//go:embed fields.txt
var fieldsText string

// Fields says what becomes of the fields of a description.
var Fields = source.ReadFields(fieldsText)

// Aside is the use of keywords of schemas that are read, and that no type needs.
const Aside source.Use = "aside"

// unusedFields are the fields of a description that say nothing to tools: of the whole, and of what the operations reach that became tools.
func (d *description) unusedFields(tools []*operation) (pointers []string) {
	visit := func(p source.Part) {
		pointers = append(pointers, strings.TrimPrefix(p.File()+"#"+p.Pointer, d.root.File()+"#"))
	}
	if d.ours {
		return nil
	}
	root := "OpenAPI"
	if d.two {
		root = "Swagger"
	}
	Fields().VisitUnused(d.follow, visit, source.Place{Part: d.root, Object: root})
	var places []source.Place
	for _, op := range tools {
		places = append(places, source.Place{Part: op.item, Object: "PathItem"}, source.Place{Part: op.Part, Object: "Operation"})
	}
	Fields().VisitUnused(d.follow, visit, places...)
	return pointers
}
