package jsonschema

import "github.com/rpcgen-go/rpcgen/schema/ir"

// mcp writes what the tools, resources and prompts of a document send and take.
func (e *exporter) mcp(doc *ir.Document) {
	for _, t := range doc.Tools {
		for _, err := range t.Errors {
			if err.OfTool && err.Data != nil && !e.defs.has(err.Name+" data") {
				e.define(err.Name+" data", e.said(e.schema(err.Data), &err.Meta))
			}
		}
		if t.Input != nil {
			e.define(t.Name+" input", e.said(e.input(t.Input), &t.Meta))
		}
		if output := t.Published(); output != nil {
			e.define(t.Name+" output", e.said(e.schema(output), &t.Meta))
		}
	}
	for _, r := range doc.Resources {
		if r.Params != nil {
			e.define(r.Name+" params", e.said(e.schema(r.Params), &r.Meta))
		}
		switch ir.NonNull(r.Content).(type) {
		case *ir.String, *ir.Bytes, *ir.Any: // these are not sent as JSON
		default:
			e.define(r.Name+" content", e.said(e.schema(r.Content), &r.Meta))
		}
	}
	for _, p := range doc.Prompts {
		if p.Arguments != nil {
			e.define(p.Name+" arguments", e.said(e.schema(p.Arguments), &p.Meta))
		}
	}
}

// input is the input of a tool, which refuses members that it does not name.
func (e *exporter) input(t ir.Type) *object {
	e.closed = true
	defer func() { e.closed = false }()
	return e.schema(t)
}
