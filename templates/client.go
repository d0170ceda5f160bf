package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitStub writes the client that calls a side, and its batches.
func (w *callWriter) emitStub(f *jen.File, s sideNames) {
	methods := ir.Where(w.names.servedMethods(s), func(m *method) bool { return m.Items == nil })
	boundary(f)
	f.Comment(s.client + " calls a " + s.what + ". It may be used by many goroutines at once.")
	f.Type().Id(s.client).Struct(jen.Id("conn").Add(rt("Conn")))
	boundary(f)
	f.Comment(s.newClient + " returns a client that calls over conn.")
	f.Func().Id(s.newClient).Params(jen.Id("conn").Add(rt("Conn"))).Op("*").Id(s.client).Block(
		jen.Return(jen.Op("&").Id(s.client).Values(w.conn())))
	for _, m := range methods {
		w.emitCall(f, s, m)
		w.flush()
	}
	if w.names.doc.Protocol.Batch && len(methods) > 0 {
		w.emitBatch(f, s, methods)
	}
}

// conn is the connection of a client, which cancels calls as the protocol does.
func (w *callWriter) conn() jen.Code {
	proto := w.names.doc.Protocol
	if proto.CancelMethod == "" {
		return jen.Id("conn")
	}
	return gen("CancelBy").Call(jen.Id("conn"), jen.Lit(proto.CancelMethod), jen.Lit(proto.CancelID))
}

func (w *callWriter) emitCall(f *jen.File, s sideNames, m *method) {
	boundary(f)
	verb := "calls"
	if m.Notification {
		verb = "sends"
	}
	w.documentMethod(f, m, verb)
	f.Func().Params(jen.Id("c").Op("*").Id(s.client)).Id(m.name).ParamsFunc(func(g *jen.Group) {
		g.Id("ctx").Qual("context", "Context")
		if m.Params != nil {
			g.Id("p").Add(w.names.goType(m.Params))
		}
	}).ParamsFunc(func(g *jen.Group) {
		if m.Result != nil {
			g.Id("result").Add(w.names.goType(m.Result))
		}
		g.Err().Error()
	}).BlockFunc(func(g *jen.Group) {
		if s == serverSide {
			w.asks(g, m)
		}
		if w.needs.invokesWhole(m) {
			g.Err().Op("=").Add(gen("Invoke")).Call(jen.Id("ctx"), jen.Id("c.conn"), jen.Id("Method"+m.name),
				jen.Op("&").Id("p"), jen.Op("&").Id("result"), w.decodeErrors())
			g.Return(jen.Id("result"), jen.Err())
			return
		}
		begin := "NewRequest"
		if m.Notification {
			begin = "NewNotification"
		}
		g.Id("q").Op(":=").Add(gen(begin)).Call(jen.Id("c.conn"), jen.Id("Method"+m.name))
		g.Defer().Id("q").Dot("Close").Call(jen.Op("&").Err())
		w.send(g, m)
		w.receive(g, m)
	})
}

func (w *callWriter) send(g *jen.Group, m *method) {
	if m.Params == nil {
		g.Add(invoke("q", "SendEmpty", jen.Id("ctx")))
		return
	}
	w.checkWhole(g, m.Params, "p", "q")
	if byPosition(m) {
		g.Id("b").Op(":=").Id("q").Dot("Params").Call()
		g.Add(invoke("q", "Send", jen.Id("ctx"), w.inOrder(m, "p")))
		return
	}
	message := w.appendTo(g, m.Params, "p", invoke("q", "Params"))
	g.Add(invoke("q", "Send", jen.Id("ctx"), message))
}

// inOrder is an expression that appends x, params by position, to b.
func (w *callWriter) inOrder(m *method, x string) jen.Code {
	s, _ := ir.Underlying(m.Params).(*ir.Struct)
	return gen("ByPosition").Call(jen.Id("b"), w.values.appendExpr(m.Params, x), w.fieldKeys(w.names.of(m.Params), s))
}

func (w *callWriter) receive(g *jen.Group, m *method) {
	switch {
	case m.Notification:
		g.Return(invoke("q", "Err"))
	case m.Result == nil:
		g.Add(invoke("q", "NoResult", w.decodeErrors()))
		g.Return(invoke("q", "Err"))
	default:
		g.For(invoke("q", "Result", w.decodeErrors())).BlockFunc(func(g *jen.Group) {
			w.decodeWith(g, m.Result, "result", invoke("q", "Reader"))
			w.checkWhole(g, m.Result, "result", "q")
		})
		g.Return(jen.Id("result"), invoke("q", "Err"))
	}
}

func (w *callWriter) emitBatch(f *jen.File, s sideNames, methods []*method) {
	boundary(f)
	f.Comment(s.batch + " collects calls of a " + s.client + ", to be sent as one message. It is used by one goroutine.")
	f.Type().Id(s.batch).Struct(jen.Id("batch").Op("*").Add(gen("Batch")))
	newBatch := gen("NewBatch")
	if slices.ContainsFunc(methods, func(m *method) bool { return w.needs.small(m, m.Params) || w.needs.small(m, m.Result) }) {
		newBatch = jen.Qual(compactPath, "NewBatch")
	}
	boundary(f)
	f.Comment("Batch begins a batch.")
	f.Func().Params(jen.Id("c").Op("*").Id(s.client)).Id("Batch").Params().Op("*").Id(s.batch).Block(
		jen.Return(jen.Op("&").Id(s.batch).Values(newBatch.Call(jen.Id("c.conn")))))
	boundary(f)
	f.Comment("Send sends the batch and waits for its results. Errors of single calls are theirs.")
	f.Func().Params(jen.Id("b").Op("*").Id(s.batch)).Id("Send").Params(jen.Id("ctx").Qual("context", "Context")).Error().Block(
		jen.Return(invoke("b.batch", "Send", jen.Id("ctx"))))
	for _, m := range methods {
		w.emitBatchCall(f, s, m)
		w.flush()
	}
}

func (w *callWriter) emitBatchCall(f *jen.File, s sideNames, m *method) {
	boundary(f)
	remark(f, m.name+" adds "+m.Name+" to the batch.")
	decl := f.Func().Params(jen.Id("b").Op("*").Id(s.batch)).Id(m.name).ParamsFunc(func(g *jen.Group) {
		if m.Params != nil {
			g.Id("p").Add(w.names.goType(m.Params))
		}
		if m.Result != nil {
			g.Id("result").Op("*").Add(w.names.goType(m.Result))
		}
	})
	if m.Notification && !byPosition(m) && w.names.speaksForItself(m.Params) {
		decl.Block(invoke("b.batch", "AddNote", jen.Id("Method"+m.name), w.selfParams(m)))
		return
	}
	if m.Notification {
		decl.Block(invoke("b.batch", "AddNotification", jen.Id("Method"+m.name), w.batchParams(m)))
		return
	}
	decl.Op("*").Add(gen("Pending"))
	add, params, result, decode := gen("AddRequest"), w.batchParams(m), jen.Nil(), w.batchResult(m)
	if !byPosition(m) && w.names.speaksForItself(m.Params) && w.names.speaksForItself(m.Result) {
		add, params, decode = gen("AddCall"), w.selfParams(m), jen.Null()
	}
	if m.Result != nil {
		result = jen.Id("result")
	} else {
		add.Index(jen.Struct())
	}
	decl.Block(jen.Return(add.Call(jen.Id("b.batch"), jen.Id("Method"+m.name), params, result, decode, w.decodeErrors())))
}

// selfParams are params that know how to write themselves.
func (w *callWriter) selfParams(m *method) jen.Code {
	if m.Params == nil {
		return jen.Nil()
	}
	return jen.Op("&").Id("p")
}

// batchParams is the function that writes and checks the params of a call in a batch.
func (w *callWriter) batchParams(m *method) jen.Code {
	if m.Params == nil {
		return jen.Nil()
	}
	return jen.Func().Params(jen.Id("b").Index().Byte(), w.violationsFor(m.Params)).Index().Byte().BlockFunc(func(g *jen.Group) {
		w.checkInto(g, m.Params, "p")
		if byPosition(m) {
			g.Return(w.inOrder(m, "p"))
			return
		}
		g.Return(w.values.appendExpr(m.Params, "p"))
	})
}

// batchResult is the function that reads a result into its variable, and checks it.
func (w *callWriter) batchResult(m *method) jen.Code {
	if m.Result == nil {
		return jen.Nil()
	}
	return jen.Func().Params(jen.Id("r").Op("*").Add(wire("Reader")), w.violationsFor(m.Result)).BlockFunc(func(g *jen.Group) {
		w.decodePointer(g, m.Result, "result")
		w.checkInto(g, m.Result, "(*result)")
	})
}

// violationsFor is the parameter that takes the violations of a value of t; it has no name when there can be none.
func (w *callWriter) violationsFor(t ir.Type) *jen.Statement {
	if w.forms.needsCheck(t) {
		return violations()
	}
	return jen.Id("_").Op("*").Add(rule("Violations"))
}

// decodePointer reads into the pointer v from r.
func (w *callWriter) decodePointer(g *jen.Group, t ir.Type, v string) {
	if w.names.ownMethods(t) {
		g.Id(v).Dot("DecodeJSON").Call(jen.Id("r"))
		return
	}
	w.values.decodeInto(g, t, "*"+v)
}

// checkInto checks x, a value of t, and reports to vs.
func (w *callWriter) checkInto(g *jen.Group, t ir.Type, x string) {
	if w.forms.needsCheck(t) {
		w.values.checker("").check(g, t, x, "")
	}
}
