package templates

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Part is a declaration of a schema with the Go name that is in the names of all that follows from it.
type Part struct {
	Path string // such as types/Report
	Name string // of a Go identifier
	Pos  diag.Pos
}

// Parts lists what a document declares.
func Parts(doc *ir.Document) []Part {
	names, _ := NewNames(doc)
	var all []Part
	for _, d := range doc.Types {
		if name := names.Declared(d); name != "" {
			all = append(all, Part{"types/" + d.Name, name, d.Pos})
		}
	}
	for _, e := range doc.Errors {
		name, _ := names.Error(e)
		all = append(all, Part{"errors/" + e.Name, name, e.Pos})
	}
	for _, m := range doc.Methods {
		section := "methods/"
		if m.Notification {
			section = "notifications/"
		}
		all = append(all, Part{section + m.Name, names.Method(m), m.Pos})
	}
	return append(all, servedParts(doc, names)...)
}

// servedParts lists what a document declares for MCP. What a server says of itself is in the method Info.
func servedParts(doc *ir.Document, names *Names) []Part {
	var all []Part
	if doc.Server != nil {
		all = append(all, Part{"server", "Info", doc.Server.Pos})
	}
	for _, t := range doc.Tools {
		all = append(all, Part{"tools/" + t.Name, names.Tool(t), t.Pos})
		for _, e := range t.Errors {
			if name, _ := names.Error(e); e.OfTool {
				all = append(all, Part{"errors/" + e.Name, name, e.Pos})
			}
		}
	}
	for _, r := range doc.Resources {
		all = append(all, Part{"resources/" + r.Name, strings.TrimPrefix(names.Resource(r), "Read"), r.Pos})
	}
	for _, o := range doc.Prompts {
		all = append(all, Part{"prompts/" + o.Name, names.Prompt(o), o.Pos})
	}
	return all
}

// Within reports whether a path of the schema is that of the part, or lies in it.
func (p Part) Within(path string) bool {
	return p.Name != "" && (path == p.Path || strings.HasPrefix(path, p.Path+"/"))
}

// PartOf finds the part that a Go identifier follows from: the one with the longest name that the identifier holds, for everything
// that follows from a part has its name in it. The zero part is none.
func PartOf(owner string, parts []Part) Part {
	var best Part
	for _, p := range parts {
		if len(p.Name) > len(best.Name) && strings.Contains(strings.ToLower(owner), strings.ToLower(p.Name)) {
			best = p
		}
	}
	return best
}
