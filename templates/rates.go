package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// rated reports whether what a side serves has limits of rates.
func (n *names) rated(s sideNames) bool {
	return len(n.methodRates(s))+len(n.toolRates(s)) > 0
}

func (n *names) methodRates(s sideNames) (all []jen.Code) {
	for _, m := range n.served(s) {
		if m.Rate != nil {
			all = append(all, jen.Id("Method"+m.name).Op(":").Add(rateValue(m.Rate)))
		}
	}
	return all
}

func (n *names) toolRates(s sideNames) (all []jen.Code) {
	if s != serverSide {
		return nil
	}
	for _, t := range n.tools {
		if t.Rate != nil {
			all = append(all, jen.Id("Tool"+t.name).Op(":").Add(rateValue(t.Rate)))
		}
	}
	return all
}

// emitRates writes the limits of rates of what a side serves.
func (w *serverWriter) emitRates(f *jen.File, s sideNames) {
	if !w.names.rated(s) {
		return
	}
	limits := jen.Dict{}
	for _, named := range []struct {
		field string
		rates []jen.Code
	}{{"Methods", w.names.methodRates(s)}, {"Tools", w.names.toolRates(s)}} {
		if len(named.rates) > 0 {
			limits[jen.Id(named.field)] = jen.Map(jen.String()).Add(ratelimit("Rate")).Custom(
				jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, named.rates...)
		}
	}
	boundary(f)
	f.Comment(s.rates + " returns the limits of rates that the schema declares. They apply unless runtime.Options has a Limiter of its own.")
	f.Func().Id(s.rates).Params().Add(ratelimit("Limits")).Block(jen.Return(ratelimit("Limits").Values(limits)))
}

// newLimiter is a limiter with the rates of the schema.
func newLimiter(s sideNames) *jen.Statement { return ratelimit("New").Call(jen.Id(s.rates).Call()) }

// rateValue is a rate without its type, as it stands in a map.
func rateValue(r *ir.Rate) jen.Code {
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
