package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// callWriter writes calls: the stubs that send them, and how params and results are read, checked and appended on either side.
type callWriter struct{ *valueWriter }

// emitStub writes the client that calls a side, and its batches.
func (p *callWriter) emitStub(f *jen.File, s side) {
	methods := p.served(s)
	boundary(f)
	f.Comment(s.client + " calls a " + s.what + ". It may be used by many goroutines at once.")
	f.Type().Id(s.client).Struct(jen.Id("conn").Add(rt("Conn")))
	boundary(f)
	f.Comment(s.newClient + " returns a client that calls over conn.")
	f.Func().Id(s.newClient).Params(jen.Id("conn").Add(rt("Conn"))).Op("*").Id(s.client).Block(
		jen.Return(jen.Op("&").Id(s.client).Values(p.conn())))
	for _, m := range methods {
		p.emitCall(f, s, m)
	}
	if p.doc.Protocol.Batch && len(methods) > 0 {
		p.emitBatch(f, s, methods)
	}
}

// conn is the connection of a client, which cancels calls as the protocol does.
func (p *callWriter) conn() jen.Code {
	proto := p.doc.Protocol
	if proto.CancelMethod == "" {
		return jen.Id("conn")
	}
	return gen("CancelBy").Call(jen.Id("conn"), jen.Lit(proto.CancelMethod), jen.Lit(proto.CancelID))
}

func (p *callWriter) emitCall(f *jen.File, s side, m *method) {
	boundary(f)
	verb := "calls"
	if m.Notification {
		verb = "sends"
	}
	p.documentMethod(f, m, verb)
	f.Func().Params(jen.Id("c").Op("*").Id(s.client)).Id(m.name).ParamsFunc(func(g *jen.Group) {
		g.Id("ctx").Qual("context", "Context")
		if m.Params != nil {
			g.Id("p").Add(p.goType(m.Params))
		}
	}).ParamsFunc(func(g *jen.Group) {
		if m.Result != nil {
			g.Id("result").Add(p.goType(m.Result))
		}
		g.Err().Error()
	}).BlockFunc(func(g *jen.Group) {
		if s == serverSide {
			p.asks(g, m)
		}
		if p.invokesWhole(m) {
			p.invoke(g, m)
			return
		}
		begin := "NewRequest"
		if m.Notification {
			begin = "NewNotification"
		}
		g.Id("q").Op(":=").Add(gen(begin)).Call(jen.Id("c.conn"), jen.Id("Method"+m.name))
		g.Defer().Id("q").Dot("Close").Call(jen.Op("&").Err())
		p.send(g, m)
		p.receive(g, m)
	})
}

// invokesWhole reports whether the runtime makes a whole call, see invoke.
func (p *callWriter) invokesWhole(m *method) bool {
	return p.small(m, m.Params) && p.small(m, m.Result) && !byPosition(m) && p.speaksForItself(m.Params) && p.speaksForItself(m.Result)
}

// decodesWhole reports whether the runtime decodes and checks the params of a call.
func (p *callWriter) decodesWhole(m *method) bool {
	return p.small(m, m.Params) && !m.ParamsOptional && p.speaksForItself(m.Params)
}

// repliesWhole reports whether the runtime checks and writes the result of a call.
func (p *callWriter) repliesWhole(m *method) bool {
	return p.small(m, m.Result) && p.speaksForItself(m.Result)
}

// small reports whether the compact codec is that of t, which m carries.
func (p *callWriter) small(m *method, t ir.Type) bool {
	return p.compact && t != nil && m.Codec != ir.CodecFast && !p.fast[p.of(t)]
}

// invoke has the runtime make a call whose params and result know how to write, read and check themselves.
func (p *callWriter) invoke(g *jen.Group, m *method) {
	g.Err().Op("=").Add(gen("Invoke")).Call(jen.Id("ctx"), jen.Id("c.conn"), jen.Id("Method"+m.name),
		jen.Op("&").Id("p"), jen.Op("&").Id("result"), p.decodeErrors())
	g.Return(jen.Id("result"), jen.Err())
}

func (p *callWriter) send(g *jen.Group, m *method) {
	if m.Params == nil {
		g.Id("q").Dot("SendEmpty").Call(jen.Id("ctx"))
		return
	}
	p.checkWhole(g, m.Params, "p", "q")
	if byPosition(m) {
		g.Id("b").Op(":=").Id("q").Dot("Params").Call()
		g.Id("q").Dot("Send").Call(jen.Id("ctx"), p.inOrder(m, "p"))
		return
	}
	message := p.appendTo(g, m.Params, "p", jen.Id("q").Dot("Params").Call())
	g.Id("q").Dot("Send").Call(jen.Id("ctx"), message)
}

// byPosition reports whether a client writes the fields of the params as an array.
func byPosition(m *method) bool {
	if m.Params == nil || m.ParamsBy != ir.ByPosition {
		return false
	}
	_, fields := ir.Underlying(m.Params).(*ir.Struct)
	return fields
}

// inOrder is an expression that appends x, params by position, to b.
func (p *callWriter) inOrder(m *method, x string) jen.Code {
	s, _ := ir.Underlying(m.Params).(*ir.Struct)
	return gen("ByPosition").Call(jen.Id("b"), p.appendExpr(m.Params, x), p.fieldKeys(p.of(m.Params), s))
}

func (p *callWriter) receive(g *jen.Group, m *method) {
	switch {
	case m.Notification:
		g.Return(jen.Id("q").Dot("Err").Call())
	case m.Result == nil:
		g.Id("q").Dot("NoResult").Call(p.decodeErrors())
		g.Return(jen.Id("q").Dot("Err").Call())
	default:
		g.For(jen.Id("q").Dot("Result").Call(p.decodeErrors())).BlockFunc(func(g *jen.Group) {
			p.decodeWith(g, m.Result, "result", jen.Id("q").Dot("Reader").Call())
			p.checkWhole(g, m.Result, "result", "q")
		})
		g.Return(jen.Id("result"), jen.Id("q").Dot("Err").Call())
	}
}

// decodeErrors is the function that recognises declared errors.
func (p *callWriter) decodeErrors() jen.Code {
	if len(p.coded()) == 0 {
		return jen.Nil()
	}
	return jen.Id("decodeError")
}

func (p *callWriter) emitBatch(f *jen.File, s side, methods []*method) {
	boundary(f)
	f.Comment(s.batch + " collects calls of a " + s.client + ", to be sent as one message. It is used by one goroutine.")
	f.Type().Id(s.batch).Struct(jen.Id("batch").Op("*").Add(gen("Batch")))
	boundary(f)
	f.Comment("Batch begins a batch.")
	f.Func().Params(jen.Id("c").Op("*").Id(s.client)).Id("Batch").Params().Op("*").Id(s.batch).Block(
		jen.Return(jen.Op("&").Id(s.batch).Values(gen("NewBatch").Call(jen.Id("c.conn")))))
	boundary(f)
	f.Comment("Send sends the batch and waits for its results. Errors of single calls are theirs.")
	f.Func().Params(jen.Id("b").Op("*").Id(s.batch)).Id("Send").Params(jen.Id("ctx").Qual("context", "Context")).Error().Block(
		jen.Return(jen.Id("b.batch").Dot("Send").Call(jen.Id("ctx"))))
	for _, m := range methods {
		p.emitBatchCall(f, s, m)
	}
}

func (p *callWriter) emitBatchCall(f *jen.File, s side, m *method) {
	boundary(f)
	remark(f, m.name+" adds "+m.Name+" to the batch.")
	decl := f.Func().Params(jen.Id("b").Op("*").Id(s.batch)).Id(m.name).ParamsFunc(func(g *jen.Group) {
		if m.Params != nil {
			g.Id("p").Add(p.goType(m.Params))
		}
	})
	if m.Notification && !byPosition(m) && p.speaksForItself(m.Params) {
		decl.Block(jen.Id("b.batch").Dot("AddNote").Call(jen.Id("Method"+m.name), p.selfParams(m)))
		return
	}
	if m.Notification {
		decl.Block(gen("AddNotification").Call(jen.Id("b.batch"), jen.Id("Method"+m.name), p.batchParams(m)))
		return
	}
	result := jen.Struct()
	if m.Result != nil {
		result = p.goType(m.Result)
	}
	if !byPosition(m) && p.speaksForItself(m.Params) && p.speaksForItself(m.Result) {
		value := jen.Nil()
		if m.Result != nil {
			value = jen.Op("&").Id("call.Value")
		}
		decl.Op("*").Add(gen("Pending")).Index(result).Block(
			jen.Id("call").Op(":=").New(gen("Pending").Index(result.Clone())),
			jen.Id("b.batch").Dot("AddCall").Call(jen.Op("&").Id("call.Call"), jen.Id("Method"+m.name), p.selfParams(m), value, p.decodeErrors()),
			jen.Return(jen.Id("call")),
		)
		return
	}
	decl.Op("*").Add(gen("Pending")).Index(result).Block(jen.Return(gen("AddRequest").Index(result.Clone()).Call(
		jen.Id("b.batch"), jen.Id("Method"+m.name), p.batchParams(m), p.batchResult(m), p.decodeErrors())))
}

// speaksForItself reports whether a value of t, or nothing at all, knows how to write, read and check itself.
func (p *callWriter) speaksForItself(t ir.Type) bool {
	if t == nil {
		return true
	}
	own := p.of(t)
	return own != nil && own.byPointer() && !isBound(t)
}

// selfParams are params that know how to write themselves.
func (p *callWriter) selfParams(m *method) jen.Code {
	if m.Params == nil {
		return jen.Nil()
	}
	return jen.Op("&").Id("p")
}

// batchParams is the function that writes and checks the params of a call in a batch.
func (p *callWriter) batchParams(m *method) jen.Code {
	if m.Params == nil {
		return jen.Nil()
	}
	return jen.Func().Params(jen.Id("b").Index().Byte(), p.violationsFor(m.Params)).Index().Byte().BlockFunc(func(g *jen.Group) {
		p.checkInto(g, m.Params, "p")
		if byPosition(m) {
			g.Return(p.inOrder(m, "p"))
			return
		}
		g.Return(p.appendExpr(m.Params, "p"))
	})
}

// batchResult is the function that reads and checks a result.
func (p *callWriter) batchResult(m *method) jen.Code {
	if m.Result == nil {
		return jen.Nil()
	}
	v := "v"
	if _, constant := ir.Underlying(m.Result).(*ir.Literal); constant && !isBound(m.Result) {
		v = "_" // it is read, and nothing is kept of it
	}
	return jen.Func().Params(jen.Id("r").Op("*").Add(wire("Reader")), jen.Id(v).Op("*").Add(p.goType(m.Result)), p.violationsFor(m.Result)).BlockFunc(func(g *jen.Group) {
		p.decodePointer(g, m.Result, "v")
		p.checkInto(g, m.Result, "(*v)")
	})
}

// violationsFor is the parameter that takes the violations of a value of t; it has no name when there can be none.
func (p *callWriter) violationsFor(t ir.Type) *jen.Statement {
	if p.needsCheck(t) {
		return violations()
	}
	return jen.Id("_").Op("*").Add(rule("Violations"))
}

// decodePointer reads into the pointer v from r.
func (p *callWriter) decodePointer(g *jen.Group, t ir.Type, v string) {
	if own := p.of(t); own != nil && !isBound(t) {
		switch own.kind() {
		case kindStruct, kindTuple, kindWrapper, kindList, kindMap:
			g.Id(v).Dot("DecodeJSON").Call(jen.Id("r"))
			return
		}
	}
	p.decodeInto(g, t, "*"+v)
}

// checkInto checks x, a value of t, and reports to vs.
func (p *callWriter) checkInto(g *jen.Group, t ir.Type, x string) {
	if !p.needsCheck(t) {
		return
	}
	w := checker{valueWriter: p.valueWriter}
	w.check(g, t, x, "")
}
