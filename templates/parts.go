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
	add := func(path, name string, pos diag.Pos) { all = append(all, Part{path, name, pos}) }
	for _, d := range doc.Types {
		if name := names.Declared(d); name != "" {
			add("types/"+d.Name, name, d.Pos)
		}
	}
	addError := func(e *ir.Error) {
		name, _ := names.Error(e)
		add("errors/"+e.Name, name, e.Pos)
	}
	for _, e := range doc.Errors {
		addError(e)
	}
	for _, m := range doc.Methods {
		section := "methods/"
		if m.Notification {
			section = "notifications/"
		}
		add(section+m.Name, names.Method(m), m.Pos)
	}
	if doc.Server != nil { // what it says of itself is in the method Info
		add("server", "Info", doc.Server.Pos)
	}
	for _, t := range doc.Tools {
		add("tools/"+t.Name, names.Tool(t), t.Pos)
		for _, e := range ir.Where(t.Errors, func(e *ir.Error) bool { return e.OfTool }) {
			addError(e)
		}
	}
	for _, r := range doc.Resources {
		add("resources/"+r.Name, strings.TrimPrefix(names.Resource(r), "Read"), r.Pos)
	}
	for _, o := range doc.Prompts {
		add("prompts/"+o.Name, names.Prompt(o), o.Pos)
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
