package importer

import (
	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// toolsOf finds the list of tools of an answer to tools/list: the result alone, or the whole response.
func toolsOf(root cursor) (cursor, bool) {
	if result, ok := root.get("result"); ok {
		root = result
	}
	tools, ok := root.get("tools")
	return tools, ok && tools.Kind == ir.Array
}

// tools imports the answer of an MCP server to tools/list. The schemas of a tool become types, whose references lead nowhere but
// into the schema itself.
func (i *importer) tools(tools cursor) {
	i.report.Layout = ToolsList
	i.report.Definitions = len(tools.Items)
	set(i.doc.head, "use", texts([]string{"mcp"}))
	for _, tool := range tools.items() {
		name := tool.text("name")
		if name == "" {
			i.fault(tool, "", "a tool needs a name")
			continue
		}
		m := mapping()
		annotations, _ := tool.get("annotations")
		for _, key := range []string{"title", "description"} {
			t := tool.text(key)
			if t == "" && key == "title" {
				t = annotations.text(key)
			}
			if t != "" {
				set(m, key, text(t))
			}
		}
		i.hints(m, annotations)
		if icons, ok := tool.get("icons"); ok {
			set(m, "icons", valueNode(icons.Value))
		}
		for _, part := range []struct{ member, key, suffix string }{{"inputSchema", "input", "Input"}, {"outputSchema", "output", "Output"}} {
			if s, ok := tool.get(part.member); ok {
				set(m, part.key, i.toolType(joinWords(name), part.suffix, s))
			}
		}
		if meta, ok := tool.get("_meta"); ok {
			set(m, "meta", valueNode(meta.Value))
		}
		i.otherTool(tool)
		if !i.doc.declare("tools", name, m) {
			i.fault(tool, "", "the tool %q is there twice", name)
		}
	}
}

// hints are the annotations that say how a tool behaves.
func (i *importer) hints(m *yaml.Node, annotations cursor) {
	known := map[string]string{"readOnlyHint": "readOnly", "destructiveHint": "destructive", "idempotentHint": "idempotent", "openWorldHint": "openWorld"}
	hints := mapping()
	for _, a := range annotations.members() {
		if key := known[a.name]; key != "" && a.Kind == ir.Boolean {
			set(hints, key, plain(a.Text))
		} else if a.name != "title" {
			i.report.ignore(a.pointer)
		}
	}
	if len(hints.Content) > 0 {
		set(m, "hints", hints)
	}
}

func (i *importer) otherTool(tool cursor) {
	for _, m := range tool.members() {
		switch m.name {
		case "name", "title", "description", "annotations", "icons", "inputSchema", "outputSchema", "_meta":
		default:
			i.report.ignore(m.pointer)
		}
	}
}

// toolType declares the type of a schema and those of its definitions.
func (i *importer) toolType(tool, suffix string, s cursor) *yaml.Node {
	i.base, i.draft7 = s, isDraft7(s)
	types := []*definition{{named: named{tool + suffix, s}, isType: true}}
	for _, container := range []string{"$defs", "definitions"} {
		defs, _ := s.get(container)
		for _, d := range defs.members() {
			types = append(types, &definition{named: named{tool + suffix + joinWords(d.name), d.cursor}, isType: true})
		}
	}
	i.nameTypes(types)
	for _, d := range types {
		if d.isType {
			i.declareType(i.names[d.pointer], d.cursor)
		}
	}
	return text(tool + suffix)
}
