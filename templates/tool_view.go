package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

func mcpview(name string) *jen.Statement { return jen.Qual(mcpviewPath, name) }

// viewVar is the variable of the view of a tool.
func (n *names) viewVar(t *tool) string { return n.hiddenName(t.name, "View") }

// emitView writes the view of a tool, if it has one.
func (w *toolWriter) emitView(f *jen.File, t *tool) {
	if t.View == nil {
		return
	}
	name := w.names.viewVar(t)
	boundary(f)
	remark(f, name+" is what of the output of "+t.Name+" its callers get.")
	f.Var().Id(name).Op("=").Add(mcpview("View")).ValuesFunc(func(g *jen.Group) {
		set := func(name string, is bool, value jen.Code) {
			if is {
				g.Line().Id(name).Op(":").Add(value)
			}
		}
		v := t.View
		set("Tool", true, jen.Id("Tool"+t.name))
		set("Show", v.Show != nil, nameList(v.Show))
		set("Choose", v.Choose != "", jen.Lit(v.Choose))
		set("Budget", v.Budget > 0, jen.Lit(v.Budget))
		set("Over", v.Over != ir.OverError, mcpview(map[ir.Over]string{ir.OverCut: "Cut", ir.OverOmit: "Omit"}[v.Over]))
		set("Items", v.Items != "", jen.Lit(v.Items))
		set("Cursor", v.Cursor != "", jen.Lit(v.Cursor))
		set("Next", v.Next != "", jen.Lit(v.Next))
		g.Line()
	})
}

// continues takes the cursor of a call whose list may have been cut.
func (w *toolWriter) continues(g *jen.Group, t *tool) {
	if t.View == nil || t.View.Over != ir.OverCut {
		return
	}
	cursor := jen.Op("&").Id("in").Dot(w.inputField(t, t.View.Cursor))
	g.Id("page").Op(":=").Id(w.names.viewVar(t)).Dot("Continue").Call(jen.Id("c"), cursor)
	g.If(invoke("c", "Answered")).Block(jen.Return())
}

// inputField is the Go name of a member of the input.
func (w *toolWriter) inputField(t *tool, name string) string {
	return w.names.fields[ir.Underlying(t.Input).(*ir.Struct).Field(name)]
}

// returnView answers with what the view of a tool leaves of its output.
func (w *toolWriter) returnView(g *jen.Group, t *tool) {
	out, method := "out", "Return"
	var blocks []jen.Code
	if t.mixed() {
		checkBlocks(g, t, "out.Content")
		out, method, blocks = "out.Output", "ReturnContent", []jen.Code{blocksOf(t, "out.Content")}
	}
	w.calls.checkWhole(g, t.Output, out, "c")
	wanted := mcpview("Wanted").ValuesFunc(func(g *jen.Group) {
		if t.View.Choose != "" {
			g.Id("Chosen").Op(":").Add(mcpview("Chosen")).Call(jen.Id("in").Dot(w.inputField(t, t.View.Choose)))
		}
		if t.View.Over == ir.OverCut {
			g.Id("Page").Op(":").Id("page")
		}
	})
	answer := w.calls.appendTo(g, t.Output, out, mcpview("Buffer").Call())
	g.Id(w.names.viewVar(t)).Dot(method).Call(append([]jen.Code{jen.Id("c"), answer, wanted}, blocks...)...)
}
