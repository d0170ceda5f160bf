package contract

import (
	"errors"
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime/internal/jsontree"
)

// OpenRPC returns the methods of an OpenRPC document, and the title of the service. The methods are not known to be read-only: include those
// that may be called. The error says what the document lacks.
func OpenRPC(document []byte) (methods []Method, title string, err error) {
	doc, err := jsontree.Parse(document)
	if err != nil {
		return nil, "", err
	}
	list := doc.Get("methods")
	if !list.Is(jsontree.List) {
		return nil, "", errors.New("the document has no list `methods`, as OpenRPC has it")
	}
	for i, entry := range list.Items {
		entry = resolve(doc, entry)
		m := Method{Name: entry.Get("name").Str(), ReadOnly: entry.Get("x-read-only").True(), Idempotent: entry.Get("x-idempotent").True()}
		if m.Name == "" {
			return nil, "", fmt.Errorf("/methods/%d: the method has no name", i)
		}
		m.params(doc, entry)
		if result := resolve(doc, entry.Get("result")); result.Get("schema") != nil {
			m.Result = within(doc, result.Get("schema"))
		}
		if all := entry.Get("errors"); all.Is(jsontree.List) {
			m.Errors = map[int64][]byte{}
			for _, e := range all.Items {
				e = resolve(doc, e)
				if code, ok := e.Get("code").Float(); ok && e.Get("data").Is(jsontree.Object) && e.Get("x-data-schema").True() {
					m.Errors[int64(code)] = within(doc, e.Get("data"))
				}
			}
		}
		methods = append(methods, m)
	}
	return methods, doc.Get("info").Get("title").Str(), nil
}

// params makes an object of the params of a method.
func (m *Method) params(doc, entry *jsontree.Value) {
	schema := &jsontree.Value{Kind: jsontree.Object}
	properties, required := &jsontree.Value{Kind: jsontree.Object}, &jsontree.Value{Kind: jsontree.List}
	if list := entry.Get("params"); list.Is(jsontree.List) {
		for _, p := range list.Items {
			p = resolve(doc, p)
			name := p.Get("name").Str()
			properties = properties.With(name, p.Get("schema"))
			if p.Get("required").True() {
				required.Items = append(required.Items, p.Get("name"))
			}
			m.Positional = append(m.Positional, name)
		}
	}
	if entry.Get("paramStructure").Str() != "by-position" {
		m.Positional = nil
	}
	schema = schema.With("type", jsontree.String("object")).With("properties", properties).With("required", required)
	m.Params = within(doc, schema)
}

// within is a schema with the definitions of its document.
func within(doc, schema *jsontree.Value) []byte {
	out := schema
	if out.Kind == jsontree.Bool {
		return []byte(out.JSON())
	}
	for _, name := range []string{"components", "definitions", "$defs"} {
		if doc.Get(name) != nil && out.Get(name) == nil {
			out = out.With(name, doc.Get(name))
		}
	}
	return []byte(out.JSON())
}

// resolve follows the reference that stands for an object of the document.
func resolve(doc, v *jsontree.Value) *jsontree.Value {
	for range 8 {
		ref := v.Get("$ref").Str()
		if len(ref) < 2 || ref[0] != '#' {
			return v
		}
		v = doc.At(ref[1:])
	}
	return v
}
