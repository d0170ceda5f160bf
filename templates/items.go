package templates

import (
	"github.com/dave/jennifer/jen"
)

// emitOut writes the type that a handler sends items with.
func (w *serverWriter) emitOut(f *jen.File, m *method) {
	name, item := m.name+streamOf, w.names.goType(m.Items.Type)
	receiver := jen.Id("s").Id(name)
	boundary(f)
	remark(f, name+" sends the items of "+m.Name+" to its caller. Goroutines may use it at the same time, until the handler returns.")
	f.Type().Id(name).Struct(jen.Id("out").Op("*").Add(stream("Out")))
	boundary(f)
	say(f, "Send sends an item. It waits while the connection takes no more, until ctx or the stream ends. The error is that of the context then, or that of "+
		"an item that breaks the schema.")
	ctx := jen.Id("ctx").Qual("context", "Context")
	f.Func().Params(receiver).Id("Send").Params(ctx, jen.Id("item").Add(item)).Params(jen.Err().Error()).BlockFunc(func(g *jen.Group) {
		g.Id("q").Op(":=").Id("s.out").Dot("Begin").Call()
		g.Defer().Id("q").Dot("Close").Call(jen.Op("&").Err())
		w.calls.checkWhole(g, m.Items.Type, "item", "q")
		message := w.calls.appendTo(g, m.Items.Type, "item", invoke("s.out", "Text", jen.Id("q")))
		g.Return(invoke("s.out", "Send", jen.Id("ctx"), jen.Id("q"), message))
	})
	w.emitEncode(f, m, name, item)
	if m.Items.First {
		boundary(f)
		say(f, "Open answers the request with the id of the stream, as the first Send does: for a stream that may have no item for long.")
		f.Func().Params(receiver).Id("Open").Params().Error().Block(jen.Return(invoke("s.out", "Open")))
	}
}

// emitEncode writes what sends one item to many streams.
func (w *serverWriter) emitEncode(f *jen.File, m *method, name string, item jen.Code) {
	encoded := stream("Encoded").Index(jen.Id(name))
	boundary(f)
	remark(f, "SendEncoded is Send for an item of "+encodesItem+m.name+".")
	f.Func().Params(jen.Id("s").Id(name)).Id("SendEncoded").Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("item").Add(encoded)).Error().Block(
		jen.Return(stream("SendEncoded").Call(jen.Id("ctx"), jen.Id("s.out"), jen.Id("item"))))
	boundary(f)
	say(f, encodesItem+m.name+" checks and encodes an item once, for many streams of "+m.Name+". The error is that of an item that breaks the schema.")
	f.Func().Id(encodesItem+m.name).Params(jen.Id("item").Add(item)).Params(jen.Id("_").Add(encoded), jen.Err().Error()).BlockFunc(func(g *jen.Group) {
		g.Id("q").Op(":=").Id(formName(m)).Dot("Begin").Call()
		g.Defer().Id("q").Dot("Close").Call(jen.Op("&").Err())
		w.calls.checkWhole(g, m.Items.Type, "item", "q")
		text := w.calls.appendTo(g, m.Items.Type, "item", jen.Index().Byte().Parens(jen.Nil()))
		g.Return(stream("Encode").Index(jen.Id(name)).Call(jen.Op("&").Id(formName(m)), jen.Id("q"), text))
	})
}

// begin makes the call a stream.
func (w *serverWriter) begin(g *jen.Group, m *method) {
	g.List(jen.Id("ctx"), jen.Id("out")).Op(":=").Add(stream("Serve")).Call(jen.Id("ctx"), jen.Id("c"), jen.Op("&").Id(formName(m)))
	g.If(jen.Id("out").Op("==").Nil()).Block(jen.Return())
	g.Defer().Id("out").Dot("Close").Call()
}

// endings serves the methods that end streams, which no schema declares.
func (w *serverWriter) endings(g *jen.Group, s sideNames) {
	for name, id := range ends(w.names.servedMethods(s)) {
		g.If(invoke("c", "Method").Op("==").Lit(name)).Block(stream("End").Call(jen.Id("ctx"), jen.Id("c"), jen.Lit(id)), jen.Return())
	}
}

// ends are the methods that end streams, each with the member of its params that is the id.
func ends(methods []*method) func(yield func(name, id string) bool) {
	return func(yield func(name, id string) bool) {
		seen := map[string]bool{}
		for _, m := range methods {
			if i := m.Items; i != nil && i.First && !seen[i.End] {
				seen[i.End] = true
				id := i.EndID
				if id == "" {
					id = "id"
				}
				if !yield(i.End, id) {
					return
				}
			}
		}
	}
}

// emitStreams writes the methods of a client that open streams.
func (w *callWriter) emitStreams(f *jen.File, s sideNames) {
	for _, m := range w.names.servedMethods(s) {
		if m.Items != nil {
			w.emitOpen(f, s, m)
		}
	}
}

// emitOpen writes the two methods of a client that open a stream.
func (w *callWriter) emitOpen(f *jen.File, s sideNames, m *method) {
	item, result := w.names.goType(m.Items.Type), jen.Code(jen.Struct())
	if m.Result != nil {
		result = w.names.goType(m.Result)
	}
	params, args := []jen.Code{jen.Id("ctx").Qual("context", "Context")}, []jen.Code{jen.Id("ctx")}
	if m.Params != nil {
		params, args = append(params, jen.Id("p").Add(w.names.goType(m.Params))), append(args, jen.Id("p"))
	}
	receiver := jen.Id("c").Op("*").Id(s.client)
	boundary(f)
	w.documentMethod(f, m, "calls")
	f.Comment("")
	say(f, "The loop over the items opens the stream, and ends it when it is left. At most one error follows the items.")
	f.Func().Params(receiver).Id(m.name).Params(params...).Qual("iter", "Seq2").Index(jen.List(item, jen.Error())).Block(
		jen.Return(jen.Func().Params(jen.Id("yield").Func().Params(item, jen.Error()).Bool()).Block(
			invoke("c", opensStream+m.name, args...).Dot("All").Call().Call(jen.Id("yield")))))
	boundary(f)
	say(f, opensStream+m.name+" calls "+m.Name+" at once, for callers that need the result of the stream, or how many items they have missed. "+
		"The loop over All has to run, or ctx to end.")
	f.Func().Params(receiver).Id(opensStream + m.name).Params(params...).Op("*").Add(stream("Items")).Index(jen.List(item, result)).BlockFunc(func(g *jen.Group) {
		g.Return(stream("Open").Call(jen.Id("ctx"), jen.Id("c.conn"), jen.Id("Method"+m.name), jen.Op("&").Id(formName(m)), w.itemCodec(m, item, result),
			jen.Func().Params(jen.Id("q").Op("*").Add(gen("Request"))).BlockFunc(func(g *jen.Group) { w.send(g, m) })))
	})
}

// itemCodec reads the values of a stream.
func (w *callWriter) itemCodec(m *method, item, result jen.Code) jen.Code {
	pointer := func(name string, t jen.Code) jen.Code { return jen.Id(name).Op("*").Add(t) }
	t := m.Items.Type
	d := jen.Dict{jen.Id("Item"): jen.Func().Params(pointer("r", wire("Reader")), pointer("item", item)).BlockFunc(func(g *jen.Group) {
		w.decodePointer(g, t, "item")
	})}
	if w.forms.needsCheck(t) {
		setField(d, "Check", jen.Func().Params(violations(), pointer("item", item)).BlockFunc(func(g *jen.Group) { w.checkInto(g, t, "(*item)") }))
	}
	if m.Result != nil {
		d[jen.Id("Result")] = jen.Func().Params(pointer("r", wire("Reader")), w.violationsFor(m.Result), pointer("result", result)).BlockFunc(func(g *jen.Group) {
			w.decodePointer(g, m.Result, "result")
			w.checkInto(g, m.Result, "(*result)")
		})
	}
	if len(w.names.codedErrors()) > 0 {
		setField(d, "Errors", w.decodeErrors())
	}
	return stream("Codec").Index(jen.List(item, result)).Values(d)
}
