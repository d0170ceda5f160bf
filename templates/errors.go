package templates

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitErrors writes a code and a Go error for every declared error, and how they come off the wire.
func emitErrors(p plan, f *jen.File) bool {
	values := p.values()
	w := &errorWriter{p.names, p.needs, values, &typeWriter{p.names, p.needs, values}}
	if len(p.names.errors) == 0 {
		return false
	}
	coded := p.names.codedErrors()
	if len(coded) > 0 {
		f.Comment("Codes of the declared errors.")
		f.Const().DefsFunc(func(g *jen.Group) {
			for _, e := range coded {
				g.Id(e.code).Op("=").Lit(e.Code)
			}
		})
	}
	for _, e := range p.names.errors {
		w.emitError(f, e)
	}
	w.emitToolErrors(f)
	if len(coded) > 0 {
		w.emitLookup(f, coded)
	}
	if p.needs.decodesErrors() {
		w.emitDecode(f, "decodeError", rt("Error"), "Code", coded, func(e *errorType) jen.Code { return jen.Id(e.code) },
			"decodeError turns an error that the peer answered into the declared one with its code; it returns others, and those", "whose data do not fit, as they are.")
	}
	ofServer := p.names.ownsServer() && p.needs.side != ClientOnly && p.names.hasConditions()
	if len(coded) > 0 && (p.needs.serves() || ofServer) {
		w.emitCondition(f)
	}
	return true
}

func (w *errorWriter) emitError(f *jen.File, e *errorType) {
	boundary(f)
	what := fmt.Sprintf("is the error %s, with the code %d.", e.Name, e.Code)
	if e.OfTool {
		what = "is the error " + e.Name + " of tools."
	}
	document(f, e.name, what, &e.Meta)
	if e.data != nil {
		f.Type().Id(e.name).Add(w.types.structType(e.data.typ.(*ir.Struct)))
		w.types.emitLogValue(f, e.data, e.data.typ.(*ir.Struct))
	} else {
		f.Type().Id(e.name).StructFunc(func(g *jen.Group) {
			if e.Data != nil {
				g.Id("Data").Add(w.names.goType(e.Data))
			}
		})
	}
	boundary(f)
	f.Func().Params(jen.Id("e").Op("*").Id(e.name)).Id("Error").Params().String().Block(jen.Return(w.message(e)))
	if e.OfTool {
		return
	}
	boundary(f)
	f.Comment("RPCError is what the peer is told.")
	f.Func().Params(jen.Id("e").Op("*").Id(e.name)).Id("RPCError").Params().Add(rt("ErrorObject")).Block(
		jen.Return(rt("ErrorObject").Values(jen.DictFunc(func(d jen.Dict) { w.errorObject(d, e) }))),
	)
}

func (w *errorWriter) errorObject(d jen.Dict, e *errorType) {
	setField(d, "Code", jen.Id(e.code))
	setField(d, "Message", invoke("e", "Error"))
	switch {
	case e.data != nil:
		setField(d, "AppendData", selector("e", "AppendJSON"))
	case e.Data != nil:
		d[jen.Id("AppendData")] = jen.Func().Params(jen.Id("b").Index().Byte()).Index().Byte().Block(
			jen.Return(w.values.appendExpr(e.Data, "e.Data")))
	}
	if e.HTTP != 0 {
		setField(d, "HTTPStatus", jen.Lit(e.HTTP))
	}
	if e.Retry {
		setField(d, "Retry", jen.True())
	}
	if e.Severity != "" {
		setField(d, "Severity", jen.Lit(e.Severity))
	}
	if e.Category != "" {
		setField(d, "Category", jen.Lit(e.Category))
	}
}

// message is the error's text, with the fields of its data filled in.
func (w *errorWriter) message(e *errorType) *jen.Statement {
	if len(e.Message) == 0 {
		return jen.Lit(e.Name)
	}
	if e.data == nil {
		return w.values.message(e.Message, "e.Data.")
	}
	return w.values.message(e.Message, "e.")
}

// message is a text with the fields of owner filled in.
func (w *valueWriter) message(all []ir.MessagePart, owner string) *jen.Statement {
	return sum(ir.Each(all, func(part ir.MessagePart) jen.Code {
		switch {
		case part.Field == nil:
			return jen.Lit(part.Text)
		case part.Field.Sensitive:
			return gen("Redacted")
		}
		return w.fieldText(part.Field, owner+w.names.field(part.Field))
	}), "+")
}

// fieldText is x, the field f of some struct, as text for people.
func (w *valueWriter) fieldText(f *ir.Field, x string) jen.Code {
	if s, ok := ir.Underlying(f.Type).(*ir.Literal); ok {
		return jen.Lit(s.Value.Text)
	}
	switch formOf(f) {
	case formPlain, formDefault:
		if text := w.asString(f.Type, x); text != nil {
			return text
		}
		if s, ok := ir.Underlying(f.Type).(*ir.Int); ok && s.Unsigned {
			return jen.Qual("strconv", "FormatUint").Call(jen.Uint64().Call(jen.Id(x)), jen.Lit(10))
		} else if ok {
			return jen.Qual("strconv", "FormatInt").Call(jen.Int64().Call(jen.Id(x)), jen.Lit(10))
		}
	case formOpt:
		return gen("MessageOpt").Call(w.appendFunc(f.Type), jen.Id(x))
	case formPointer:
		return gen("MessagePointer").Call(w.appendFunc(f.Type), jen.Id(x))
	}
	return gen("MessageText").Call(w.appendFunc(f.Type), jen.Id(x))
}

// conditionKinds are the names in package when for the words of `when:`.
var conditionKinds = map[string]string{
	"method_not_found": "MethodNotFound", "tool_not_found": "ToolNotFound", "resource_not_found": "ResourceNotFound",
	"prompt_not_found": "PromptNotFound", "timeout": "Timeout", "rate_limited": "RateLimited", "overloaded": "Overloaded", "forbidden": "Forbidden",
	"message_too_large": "MessageTooLarge", "batch_too_large": "BatchTooLarge", "budget_exceeded": "BudgetExceeded", "not_initialized": "NotInitialized",
	"already_initialized": "AlreadyInitialized", "shut_down": "ShutDown", "session_not_found": "SessionNotFound",
	"too_many_streams": "TooManyStreams", "stream_unsupported": "StreamUnsupported", "unsupported_version": "UnsupportedVersion", "cancelled": "Cancelled",
}

// fills are what the runtime knows of a condition, by the name of the data field that takes it.
var fills = map[string]string{
	"method": "Method", "tool": "Method", "uri": "Method", "prompt": "Method", "available": "Names()", "availableMethods": "Names()", "availableTools": "Names()",
	"availableResources": "Names()", "availablePrompts": "Names()", "suggestion": "Suggestion",
	"timeout": "Timeout.String()", "timeoutMs": "TimeoutMillis()", "limit": "Limit", "retryAfter": "RetrySeconds()",
	"inFlight": "InFlight", "maxSize": "MaxSize", "size": "Size", "unit": "Unit", "supported": "Supported", "missing": "Missing", "scopes": "Scopes",
	"requested": "Requested", "reason": "Reason",
}

// emitCondition writes which declared error answers for which condition of the runtime.
func (w *errorWriter) emitCondition(f *jen.File) {
	boundary(f)
	f.Comment("condition returns the error that the schema declares for what the runtime has to answer for, or nil.")
	f.Func().Id("condition").Params(jen.Id("c").Add(rt("Condition"))).Error().BlockFunc(func(g *jen.Group) {
		if !w.names.hasConditions() {
			g.Id("_").Op("=").Id("c")
			g.Return(jen.Nil())
			return
		}
		g.Switch(selector("c", "Kind")).BlockFunc(func(g *jen.Group) {
			for _, e := range w.names.errors {
				if len(e.When) > 0 {
					kinds := ir.Each(e.When, func(one string) jen.Code { return jen.Qual(whenPath, conditionKinds[one]) })
					g.Case(kinds...).Block(jen.Return(w.fillError(e)))
				}
			}
		})
		g.Return(jen.Nil())
	})
}

// fillError is the error e with what the runtime knows.
func (w *errorWriter) fillError(e *errorType) jen.Code {
	s, ok := shapeOrNil(e.Data).(*ir.Struct)
	if !ok {
		return jen.Op("&").Id(e.name).Values()
	}
	values := jen.Dict{}
	for _, f := range s.Fields {
		if source := fills[f.Name]; source != "" && formOf(f) != formConst && formOf(f) != formOptConst {
			values[jen.Id(w.names.field(f))] = w.fill(f, "c."+source, len(e.When) > 1)
		}
	}
	if e.data != nil {
		return jen.Op("&").Id(e.name).Values(values)
	}
	return jen.Op("&").Id(e.name).Values(jen.Dict{jen.Id("Data"): w.names.goType(e.Data).Values(values)})
}

// shapeOrNil is shape for a type that may be none.
func shapeOrNil(t ir.Type) ir.Type {
	if t == nil {
		return nil
	}
	return ir.Underlying(t)
}

// fill is the expression that fills the field f from what the runtime knows. Of several conditions, some know less than others.
func (w *errorWriter) fill(f *ir.Field, source string, several bool) jen.Code {
	value := w.convertFill(f.Type, source)
	if formOf(f) == formOpt {
		_, scalar := ir.Underlying(f.Type).(*ir.String)
		scalar = scalar || ir.Numeric(ir.Underlying(f.Type))
		if several && scalar || strings.HasPrefix(source, "c.Suggestion") || strings.HasPrefix(source, "c.Reason") {
			return gen("SomeNonZero").Call(value)
		}
		return rt("Some").Call(value)
	}
	return value
}

func (w *errorWriter) convertFill(t ir.Type, source string) jen.Code {
	x := jen.Id(source)
	own := w.names.of(t)
	switch s := ir.Underlying(t).(type) {
	case *ir.Nullable: // of a text, a number or a list: never boxed
		return rt("NotNull").Call(w.convertFill(s.Elem, source))
	case *ir.String:
		if w.names.isScalar(t) {
			return own.ident().Call(x)
		}
		return x
	case *ir.List:
		if elem := w.names.of(s.Elem); own != nil || elem != nil {
			return gen("Texts").Index(w.names.goType(t)).Call(x)
		}
		return x
	}
	if ir.Numeric(ir.Underlying(t)) {
		return w.values.fromInt(t, x)
	}
	switch source {
	case "c.Names()", "c.Supported":
		return wire("RawOf").Call(wire("AppendStrings").Call(jen.Nil(), x))
	case "c.Method", "c.Suggestion", "c.Timeout.String()", "c.Unit", "c.Requested", "c.Reason":
		return wire("RawOf").Call(wire("AppendString").Call(jen.Nil(), x))
	}
	return wire("RawOf").Call(wire("AppendInt").Call(jen.Nil(), jen.Int64().Call(x)))
}
