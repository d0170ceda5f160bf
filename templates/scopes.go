package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitScopes writes which scopes callers need.
func (w *serverWriter) emitScopes(f *jen.File) {
	seen := map[string]bool{}
	needs := w.names.settings(serverSide, jen.Index().String(), func(m *ir.Method) jen.Code {
		if seen[m.OnWire()] { // streams that share a name need the same
			return nil
		}
		seen[m.OnWire()] = true
		return someTexts(m.Scopes)
	}, func(t *ir.Tool) jen.Code { return someTexts(t.Scopes) })
	if len(needs) == 0 {
		return
	}
	boundary(f)
	remark(f, "scopes are those that callers need.")
	f.Var().Id("scopes").Op("=").Add(scope("Needs")).Values(needs)
}

// someTexts is a list of texts without its type; nil for none.
func someTexts(all []string) jen.Code {
	if len(all) == 0 {
		return nil
	}
	return texts(all)
}
