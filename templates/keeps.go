package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitKeeps writes which results of what a side serves are kept.
func (w *serverWriter) emitKeeps(f *jen.File, s sideNames) {
	options := w.names.settings(s, cache("Rule"), func(m *ir.Method) jen.Code { return keepValue(m.Keep) }, func(t *ir.Tool) jen.Code { return keepValue(t.Keep) })
	if len(options) == 0 {
		return
	}
	boundary(f)
	f.Comment(s.keeps + " returns which results the schema says to keep, and how long, for cache.New.")
	f.Func().Id(s.keeps).Params().Add(cache("Options")).Block(jen.Return(cache("Options").Values(options)))
}

// keepValue is a rule without its type, as it stands in a map; nil for none.
func keepValue(k *ir.Keep) jen.Code {
	if k == nil {
		return nil
	}
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
