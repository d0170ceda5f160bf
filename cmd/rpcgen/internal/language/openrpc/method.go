package openrpc

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// methods are those that a client calls, and apart from them those that only a server does.
func (e *exporter) methods() (called, callbacks []ir.Value) {
	for _, m := range e.doc.Methods {
		v := e.method(m)
		switch m.From {
		case ir.FromServer:
			e.warn(m.Name, "OpenRPC has no methods that the server calls; kept in x-callbacks")
			callbacks = append(callbacks, v)
		case ir.FromBoth:
			e.warn(m.Name, "OpenRPC does not say that the server calls this method as well; kept as x-from")
			called = append(called, v)
		default:
			called = append(called, v)
		}
	}
	return called, callbacks
}

func (e *exporter) method(m *ir.Method) ir.Value {
	o := new(object)
	o.text("name", m.Name)
	o.text("summary", m.Title)
	o.text("description", m.Doc)
	o.flag("deprecated", m.Deprecated != nil)
	p := e.params(m)
	o.text("paramStructure", p.structure)
	o.set("params", array(p.descriptors))
	switch {
	case m.Items != nil && m.Items.First:
		o.set("result", namedObject("result", "schema", ofTexts("type", "string").value()))
	case m.Result != nil:
		o.set("result", namedObject("result", "schema", e.schema(m.Result)))
	case !m.Notification:
		o.set("result", namedObject("result", "schema", ofTexts("type", "object").value()))
	}
	if m.Items != nil {
		what := "the items are"
		if m.Wire != "" {
			what = "the items and the name on the wire are"
		}
		e.warn(m.Name, "OpenRPC has no streams; "+what+" kept in x-items")
		o.set("x-items", e.items(m))
	}
	if len(m.Errors) > 0 {
		o.set("errors", array(ir.Each(m.Errors, func(f *ir.Error) ir.Value { return ofTexts("$ref", "#/components/errors/"+f.Name).value() })))
	}
	if example, ok := pairing(m); ok && !keptOfMethod["x-examples"].fits(*m.Extension("x-examples")) {
		o.set("examples", array([]ir.Value{example}))
		o.flag("x-sample", true) // it is made up
	}
	if m.From == ir.FromBoth {
		o.text("x-from", m.From.String())
	}
	if m.Params != nil && p.structure != e.structure(m) {
		o.text("x-paramsBy", m.ParamsBy.String())
	}
	if p.whole {
		o.set("x-params", e.schema(m.Params))
	}
	o.object("x-deprecated", deprecation(m.Deprecated))
	o.keepExtensions(m.Ext, keptOfMethod)
	e.protocolFacts(o, m)
	return o.value()
}

// items keeps what a stream sends, and how.
func (e *exporter) items(m *ir.Method) ir.Value {
	o, i := new(object), m.Items
	o.text("wire", m.Wire)
	o.set("schema", e.schema(i.Type))
	by := "request"
	if i.First {
		by = "id"
	}
	o.text("by", by)
	o.text("method", i.Method)
	o.text("id", i.ID)
	o.text("value", i.Value)
	o.text("end", i.End)
	o.text("endId", i.EndID)
	return o.value()
}

// protocolFacts keeps what authors of protocols say of a method.
func (e *exporter) protocolFacts(o *object, m *ir.Method) {
	if m.Timeout > 0 {
		o.text("x-timeout", m.Timeout.String())
	}
	o.object("x-rate", rate(m.Rate))
	if len(m.Scopes) > 0 {
		o.set("x-scopes", textList(m.Scopes))
	}
	o.text("x-capability", m.Capability)
	o.text("x-requires", m.Requires)
	o.flag("x-ordered", m.Ordered)
	o.flag("x-idempotent", m.Idempotent)
	o.flag("x-embedded", m.Embedded)
	o.text("x-page", m.Page)
	o.flag("x-cache", m.Cache)
	o.object("x-keep", keep(m.Keep))
	headers := new(object)
	for _, h := range m.Header {
		headers.text(h.Name, h.Path)
	}
	o.object("x-headers", headers)
	if len(m.Stream) > 0 {
		names := ir.Each(m.Stream, func(s *ir.Method) string { return s.Name })
		o.text("x-stream", strings.Join(names, " "))
	}
}

// rate keeps how often something may be called.
func rate(r *ir.Rate) *object {
	o := new(object)
	if r == nil {
		return o
	}
	o.set("calls", integer(r.Calls))
	o.text("per", r.Per.String())
	if r.Burst > 0 {
		o.set("burst", integer(r.Burst))
	}
	if r.Each != ir.EachPrincipal {
		o.text("each", r.Each.String())
	}
	return o
}

// keep keeps how long results are kept.
func keep(k *ir.Keep) *object {
	o := new(object)
	if k == nil {
		return o
	}
	o.text("ttl", k.TTL.String())
	if len(k.Keys) > 0 {
		o.set("keys", textList(k.Keys))
	}
	if k.Public {
		o.text("scope", "public")
	}
	return o
}

// deprecation keeps the words that OpenRPC has no member for.
func deprecation(d *ir.Deprecated) *object {
	if d == nil {
		return new(object)
	}
	return ofTexts("since", d.Since, "remove", d.Remove, "reason", d.Reason, "use", d.Use)
}

// namedObject is an object of a name and one other member.
func namedObject(name, member string, v ir.Value) ir.Value {
	o := new(object)
	o.set("name", ir.Value{Kind: ir.Text, Text: name})
	o.set(member, v)
	return o.value()
}
