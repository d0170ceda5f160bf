package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// settings are the fields Methods and Tools of options, each a map from the constants of what a side serves to values of a type. A nil value is left out.
func (n *names) settings(s sideNames, t jen.Code, ofMethod func(*ir.Method) jen.Code, ofTool func(*ir.Tool) jen.Code) jen.Dict {
	var methods, tools []jen.Code
	add := func(all *[]jen.Code, name string, value jen.Code) {
		if value != nil {
			*all = append(*all, jen.Id(name).Op(":").Add(value))
		}
	}
	for _, m := range n.servedMethods(s) {
		add(&methods, "Method"+m.name, ofMethod(m.Method))
	}
	for _, own := range n.tools {
		if s == serverSide {
			add(&tools, "Tool"+own.name, ofTool(own.Tool))
		}
	}
	options := jen.Dict{}
	for field, all := range map[string][]jen.Code{"Methods": methods, "Tools": tools} {
		if len(all) > 0 {
			setField(options, field, jen.Map(jen.String()).Add(t).Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, all...))
		}
	}
	return options
}

// limits are the limits of rates of what a side serves.
func (n *names) limits(s sideNames) jen.Dict {
	return n.settings(s, ratelimit("Rate"), func(m *ir.Method) jen.Code { return rateValue(m.Rate) }, func(t *ir.Tool) jen.Code { return rateValue(t.Rate) })
}

// rated reports whether what a side serves has limits of rates.
func (n *names) rated(s sideNames) bool { return len(n.limits(s)) > 0 }

// emitRates writes the limits of rates of what a side serves.
func (w *serverWriter) emitRates(f *jen.File, s sideNames) {
	limits := w.names.limits(s)
	if len(limits) == 0 {
		return
	}
	boundary(f)
	f.Comment(s.rates + " returns the limits of rates that the schema declares. They apply unless runtime.Options has a Limiter of its own.")
	f.Func().Id(s.rates).Params().Add(ratelimit("Limits")).Block(jen.Return(ratelimit("Limits").Values(limits)))
}

// newLimiter is a limiter with the rates of the schema.
func newLimiter(s sideNames) *jen.Statement { return ratelimit("New").Call(jen.Id(s.rates).Call()) }

// rateValue is a rate without its type, as it stands in a map; nil for none.
func rateValue(r *ir.Rate) jen.Code {
	if r == nil {
		return nil
	}
	member := func(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }
	all := []jen.Code{member("Calls", jen.Lit(r.Calls)), member("Per", duration(r.Per))}
	if r.Burst > 0 {
		all = append(all, member("Burst", jen.Lit(r.Burst)))
	}
	switch r.Each {
	case ir.EachSession:
		all = append(all, member("Each", ratelimit("EachSession")))
	case ir.WholeServer:
		all = append(all, member("Each", ratelimit("WholeServer")))
	}
	return jen.Values(all...)
}
