package contract

import (
	"errors"
	"fmt"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// OpenRPC returns the methods of an OpenRPC document, and the title of the service. The methods are not known to be read-only: include those
// that may be called. The error says what the document lacks.
func OpenRPC(document []byte) (methods []Method, title string, err error) {
	doc, err := jsontree.Parse(document)
	if err != nil {
		return nil, "", err
	}
	list := doc.In("methods")
	if !list.Is(jsontree.Array) {
		return nil, "", errors.New("the document has no list `methods`, as OpenRPC has it")
	}
	for i, entry := range list.Parts() {
		entry = resolve(doc, entry)
		m := Method{Name: entry.In("name").Str(), Idempotent: entry.In("x-idempotent").True()}
		m.ReadOnly = m.Idempotent || entry.In("x-read-only").True() // a second call does no more
		if m.Name == "" {
			return nil, "", fmt.Errorf("/methods/%d: the method has no name", i)
		}
		m.params(doc, entry)
		if result := resolve(doc, entry.In("result")); result.In("schema") != nil {
			m.Result = within(doc, result.In("schema"))
		}
		if all := entry.In("errors"); all.Is(jsontree.Array) {
			m.Errors = map[int64][]byte{}
			for _, e := range all.Parts() {
				e = resolve(doc, e)
				if code, ok := e.In("code").Float(); ok && e.In("data").Is(jsontree.Object) && e.In("x-data-schema").True() {
					m.Errors[int64(code)] = within(doc, e.In("data"))
				}
			}
		}
		methods = append(methods, m)
	}
	return methods, doc.In("info").In("title").Str(), nil
}

// params makes an object of the params of a method.
func (m *Method) params(doc, entry *jsontree.Value) {
	schema := &jsontree.Value{Kind: jsontree.Object}
	properties, required := &jsontree.Value{Kind: jsontree.Object}, &jsontree.Value{Kind: jsontree.Array}
	if list := entry.In("params"); list.Is(jsontree.Array) {
		for _, p := range list.Parts() {
			p = resolve(doc, p)
			name := p.In("name").Str()
			properties = properties.With(name, p.In("schema"))
			if p.In("required").True() {
				required.Items = append(required.Items, *jsontree.NewText(name))
			}
			m.Positional = append(m.Positional, name)
		}
	}
	if entry.In("paramStructure").Str() != "by-position" {
		m.Positional = nil
	}
	schema = schema.With("type", jsontree.NewText("object")).With("properties", properties).With("required", required)
	m.Params = within(doc, schema)
}

// within is a schema with the definitions of its document.
func within(doc, schema *jsontree.Value) []byte {
	out := schema
	if out.Kind == jsontree.Boolean {
		return []byte(out.JSON())
	}
	for _, name := range []string{"components", "definitions", "$defs"} {
		if doc.In(name) != nil && out.In(name) == nil {
			out = out.With(name, doc.In(name))
		}
	}
	return []byte(out.JSON())
}

// resolve follows the reference that stands for an object of the document.
func resolve(doc, v *jsontree.Value) *jsontree.Value {
	for range 8 {
		ref := v.In("$ref").Str()
		if len(ref) < 2 || ref[0] != '#' {
			return v
		}
		v = doc.At(ref[1:])
	}
	return v
}
