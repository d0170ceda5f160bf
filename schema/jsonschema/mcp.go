package jsonschema

import "github.com/rpcgen-go/rpcgen/schema/ir"

// mcp writes what the tools, resources and prompts of a document send and take.
func (e *exporter) mcp(doc *ir.Document) {
	for _, t := range doc.Tools {
		for _, err := range t.Errors {
			if err.OfTool && !e.defs.has(err.Name+" data") {
				e.part(err.Name+" data", err.Data, &err.Meta)
			}
		}
		e.closed = true // the input of a tool refuses members that it does not name
		e.part(t.Name+" input", t.Input, &t.Meta)
		e.closed = false
		e.part(t.Name+" output", t.Published(), &t.Meta)
	}
	for _, r := range doc.Resources {
		if r.Params != nil {
			e.part(r.Name+" params", r.Params, &r.Meta)
		}
		switch ir.NonNull(r.Content).(type) {
		case *ir.String, *ir.Bytes, *ir.Any: // these are not sent as JSON
		default:
			e.part(r.Name+" content", r.Content, &r.Meta)
		}
	}
	for _, p := range doc.Prompts {
		if p.Arguments != nil {
			e.part(p.Name+" arguments", p.Arguments, &p.Meta)
		}
	}
}
