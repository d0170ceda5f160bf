package openrpc

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/sample"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// params are the params of a method, one by one.
type params struct {
	structure   string
	descriptors []ir.Value
	whole       bool // they are more than that: their schema is kept as well
}

func (e *exporter) params(m *ir.Method) params {
	p := params{structure: "by-name"}
	s, ok := structure(m.Params)
	tuple, isTuple := ir.Underlying(m.Params).(*ir.Tuple)
	switch {
	case m.Params == nil:
		return params{}
	case isTuple:
		return e.tupleParams(m, tuple)
	case !ok:
		e.warn(m.Name, "OpenRPC describes params one by one, and these are "+ir.Describe(m.Params)+"; kept as x-params")
		p.whole = true
		if _, list := ir.Underlying(m.Params).(*ir.List); list {
			p.structure = "by-position"
		}
		return p
	}
	p.structure = e.structure(m)
	p.whole = e.lost(m, s)
	fields := requiredFirst(s.Fields)
	switch {
	case slices.Equal(fields, s.Fields):
	case p.structure == "either":
		e.warn(m.Name, "OpenRPC wants required params before optional ones, so by position these cannot be described; kept as x-paramsBy")
		p.structure = "by-name"
	case p.structure == "by-position":
		e.warn(m.Name, "OpenRPC wants required params before optional ones; by position these stay as they are")
		fields = s.Fields
	}
	p.descriptors = ir.Each(fields, e.param)
	return p
}

// tupleParams describes each element as a param. That they are a tuple is said as well.
func (e *exporter) tupleParams(m *ir.Method, t *ir.Tuple) params {
	p := params{structure: "by-position", whole: true}
	if t.Rest != nil {
		e.warn(m.Name, "OpenRPC has no words for further params without names; kept as x-params")
	}
	p.descriptors = ir.Each(t.Items, e.param)
	return p
}

// structure is how params are sent, in OpenRPC's words.
func (e *exporter) structure(m *ir.Method) string {
	switch {
	case m.ParamsBy == ir.ByPosition:
		return "by-position"
	case m.ParamsBy == ir.ByName || !e.doc.Protocol.Positional:
		return "by-name"
	}
	return "either"
}

// lost reports whether params have rules as a whole, which no single one of them can hold.
func (e *exporter) lost(m *ir.Method, s *ir.Struct) bool {
	if ref, ok := m.Params.(*ir.Ref); len(s.Rules) > 0 || ok && len(ref.Rules) > 0 || !s.Additional.Drops() {
		e.warn(m.Name, "OpenRPC has no rules for params as a whole; kept as x-params")
		return true
	}
	if m.ParamsOptional && slices.ContainsFunc(s.Fields, func(f *ir.Field) bool { return !f.Optional }) {
		e.warn(m.Name, "OpenRPC does not say that params may be left out although one of them is required")
	}
	return false
}

// requiredFirst puts what is required first, as OpenRPC demands.
func requiredFirst(fields []*ir.Field) []*ir.Field {
	return slices.SortedStableFunc(slices.Values(fields), func(a, b *ir.Field) int {
		switch {
		case a.Optional == b.Optional:
			return 0
		case a.Optional:
			return 1
		}
		return -1
	})
}

func (e *exporter) param(f *ir.Field) ir.Value {
	bare := *f
	bare.Meta = ir.Meta{} // the descriptor says it
	schema, err := e.parts.Field(&bare)
	e.fail(err)
	o := new(object)
	o.set("name", ir.Value{Kind: ir.Text, Text: f.Name})
	o.text("summary", f.Title)
	o.text("description", f.Doc)
	o.flag("required", !f.Optional)
	o.flag("deprecated", f.Deprecated != nil)
	o.set("schema", schema)
	o.object("x-deprecated", deprecation(f.Deprecated))
	o.ext(f.Ext)
	return o.value()
}

func structure(t ir.Type) (*ir.Struct, bool) {
	s, ok := ir.Underlying(t).(*ir.Struct)
	return s, ok
}

// pairing is an example of a call, where one can be made up that OpenRPC can hold.
func pairing(m *ir.Method) (ir.Value, bool) {
	if m.Items != nil && m.Items.First {
		return ir.Value{}, false // the result is an id that the server makes
	}
	o := new(object)
	var all []ir.Value
	o.text("name", "example")
	if m.Params != nil {
		v, ok := sample.Of(m.Params)
		if _, fields := structure(m.Params); !ok || !fields {
			return ir.Value{}, false
		}
		all = ir.Each(v.Fields, func(member ir.Member) ir.Value { return namedObject(member.Name, "value", member.Value) })
	}
	o.set("params", array(all))
	result := ir.Value{Kind: ir.Object}
	if m.Result != nil {
		var ok bool
		if result, ok = sample.Of(m.Result); !ok {
			return ir.Value{}, false
		}
	}
	if !m.Notification {
		o.set("result", namedObject("result", "value", result))
	}
	return o.value(), true
}
