package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitKeeps writes which results of what a side serves are kept.
func (w *serverWriter) emitKeeps(f *jen.File, s sideNames) {
	options := jen.Dict{}
	for _, named := range []struct {
		field string
		rules []jen.Code
	}{{"Methods", w.methodKeeps(s)}, {"Tools", w.toolKeeps(s)}} {
		if len(named.rules) > 0 {
			options[jen.Id(named.field)] = jen.Map(jen.String()).Add(cache("Rule")).Custom(
				jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, named.rules...)
		}
	}
	if len(options) == 0 {
		return
	}
	boundary(f)
	f.Comment(s.keeps + " returns which results the schema says to keep, and how long, for cache.New.")
	f.Func().Id(s.keeps).Params().Add(cache("Options")).Block(jen.Return(cache("Options").Values(options)))
}

func (w *serverWriter) methodKeeps(s sideNames) (all []jen.Code) {
	for _, m := range w.names.served(s) {
		if m.Keep != nil {
			all = append(all, jen.Id("Method"+m.name).Op(":").Add(keepValue(m.Keep)))
		}
	}
	return all
}

func (w *serverWriter) toolKeeps(s sideNames) (all []jen.Code) {
	if s != serverSide {
		return nil
	}
	for _, t := range w.names.tools {
		if t.Keep != nil {
			all = append(all, jen.Id("Tool"+t.name).Op(":").Add(keepValue(t.Keep)))
		}
	}
	return all
}

// keepValue is a rule without its type, as it stands in a map.
func keepValue(k *ir.Keep) jen.Code {
	all := []jen.Code{jen.Id("TTL").Op(":").Add(duration(k.TTL))}
	if len(k.Keys) > 0 {
		keys := ir.Each(k.Keys, func(key string) jen.Code { return jen.Lit(key) })
		all = append(all, jen.Id("Keys").Op(":").Index().String().Values(keys...))
	}
	if k.Public {
		all = append(all, jen.Id("Scope").Op(":").Add(cache("Public")))
	}
	return jen.Values(all...)
}
