package templates

import (
	"cmp"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Entries are the entries of the lists of a server, by the names in the schema.
type Entries struct{ Tools, Resources, Prompts map[string]string }

// Published returns the entries as they follow from a schema.
func Published(doc *ir.Document) Entries {
	p := newPlan(doc, Options{})
	w := newToolWriter(p)
	all := Entries{map[string]string{}, map[string]string{}, map[string]string{}}
	for _, t := range p.names.tools {
		_, _, _, e := w.toolEntry(t)
		all.Tools[t.Name] = e.String()
	}
	for _, r := range p.names.resources {
		_, _, _, e := w.resourceEntry(r)
		all.Resources[r.Name] = e.String()
	}
	for _, o := range p.names.prompts {
		_, _, _, e := w.promptEntry(o)
		all.Prompts[o.Name] = e.String()
	}
	return all
}

// Listed returns the list of tools that the server of a schema has, with the entries that are published word for word.
func Listed(doc *ir.Document) ([]ir.Value, error) {
	entries, all := Published(doc), []ir.Value(nil)
	for _, t := range doc.Tools {
		v, err := ir.ParseJSON([]byte(cmp.Or(t.Listed, entries.Tools[t.Name])))
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// emitTools writes what the document declares for MCP: names and URIs for both sides, and for a server what its clients learn of it, and how
// their requests find the server's methods.
func emitTools(p plan, f *jen.File) bool {
	w := newToolWriter(p)
	if !p.names.ownsServer() {
		return false
	}
	w.emitDeclaredNames(f)
	for _, r := range p.names.resources {
		if r.Template != nil {
			w.emitURI(f, r)
		}
	}
	w.emitHeaders(f)
	if p.needs.side == ClientOnly {
		return true
	}
	w.emitInfo(f)
	w.emitProfiles(f)
	w.emitCallTool(f)
	w.emitReadResource(f)
	w.emitGetPrompt(f)
	w.emitComplete(f)
	w.emitMethods(f)
	w.emitDeclaredCondition(f)
	for _, t := range w.names.tools {
		for _, a := range t.asks {
			w.emitAsk(f, t, a)
		}
	}
	return true
}

// emitDeclaredNames writes the constants of what is declared.
func (w *toolWriter) emitDeclaredNames(f *jen.File) {
	constants := func(comment string, all [][2]string) {
		if len(all) == 0 {
			return
		}
		boundary(f)
		f.Comment(comment)
		f.Const().DefsFunc(func(g *jen.Group) {
			for _, one := range all {
				g.Id(one[0]).Op("=").Lit(one[1])
			}
		})
	}
	constants("The tools, as clients call them.", ir.Each(w.names.tools, func(t *tool) [2]string { return [2]string{"Tool" + t.name, t.Name} }))
	w.names.emitExposed(f, ofTool, "tool", ir.Each(w.names.tools, func(t *tool) subject { return subject{"Tool" + t.name, &t.Meta} }))
	constants("The URIs of resources, and of those that a template stands for.", ir.Each(w.names.resources, func(r *resource) [2]string {
		if r.Template != nil {
			return [2]string{r.uriName(), r.Template.Text}
		}
		return [2]string{r.uriName(), r.URI}
	}))
	constants("The prompts, as clients get them.", ir.Each(w.names.prompts, func(o *prompt) [2]string { return [2]string{"Prompt" + o.name, o.Name} }))
}

func (w *toolWriter) emitCallTool(f *jen.File) {
	w.emitByName(f, "Tool", "Call", ir.Each(w.names.tools, func(t *tool) [2]string { return [2]string{t.Name, t.name} }))
	for _, t := range w.names.tools {
		w.emitView(f, t)
		w.servedBy(f, "call"+t.name, "ToolCall").BlockFunc(func(g *jen.Group) { w.callTool(g, t) })
		w.calls.flush()
	}
}

// callTool writes how one tool is called: decode, check, call, answer.
func (w *toolWriter) callTool(g *jen.Group, t *tool) {
	w.sentBy(g, t.Input, "in")
	call := selector("d", "server").Dot(t.name).Call(arguments(t.Input, "in")...)
	if t.Timeout > 0 {
		call = w.within(t, call)
	}
	if t.silent() {
		failure := jen.Err()
		if t.Timeout > 0 {
			failure = jen.List(jen.Id("_"), failure)
		}
		g.If(failure.Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(invoke("c", "Fail", jen.Err()), jen.Return())
		g.Add(invoke("c", "ReturnEmpty"))
		return
	}
	w.continues(g, t)
	w.orFail(g, "out", call)
	switch {
	case t.View != nil:
		w.returnView(g, t)
		return
	case t.mixed():
		checkBlocks(g, t, "out.Content")
		w.calls.checkWhole(g, t.Output, "out.Output", "c")
		answer := w.calls.appendTo(g, t.Output, "out.Output", invoke("c", "Structured"))
		g.Add(invoke("c", "ReturnContent", answer, blocksOf(t, "out.Content")))
		return
	case t.whole():
		g.Add(invoke("c", "ReturnWhole", jen.Op("&").Id("out")))
		return
	case t.Content != nil:
		checkBlocks(g, t, "out")
		g.Add(invoke("c", "ReturnBlocks", blocksOf(t, "out")))
		return
	}
	w.calls.checkWhole(g, t.Output, "out", "c")
	answer := w.calls.appendTo(g, t.Output, "out", invoke("c", "Structured"))
	g.Add(invoke("c", "Return", answer))
}

// within is a call of a tool's handler that is given up after the timeout of the tool.
func (w *toolWriter) within(t *tool, call *jen.Statement) *jen.Statement {
	gives, returns := jen.Add(w.handlers.toolGives(t)), jen.Return(call)
	if w.handlers.toolGives(t) == nil {
		gives, returns = jen.Struct(), jen.Return(jen.Struct().Values(), call)
	}
	return mcp("Within").Call(jen.Id("ctx"), jen.Id("c"), duration(t.Timeout),
		jen.Func().Params(jen.Id("ctx").Qual("context", "Context")).Params(gives, jen.Error()).Block(returns))
}

// emitMethods writes the handler of the methods that are not MCP's own.
func (w *toolWriter) emitMethods(f *jen.File) {
	boundary(f)
	f.Comment("Methods implements mcp.Declarations.")
	has, handler := len(w.names.methods) > 0, jen.Nil()
	if has {
		handler = jen.Id("NewHandler").Call(selector("d", "server"))
	}
	f.Func().Params(declarations(has)).Id("Methods").Params().Add(rt("Handler")).Block(jen.Return(handler))
}

// emitDeclaredCondition writes which declared error answers for a condition, whether or not there are methods that are not MCP's own.
func (w *toolWriter) emitDeclaredCondition(f *jen.File) {
	boundary(f)
	f.Comment("Condition implements mcp.Declarations.")
	c, answer := "_", jen.Nil()
	if w.names.hasConditions() {
		c, answer = "c", jen.Id("condition").Call(jen.Id("c"))
	}
	f.Func().Params(declarations(false)).Id("Condition").Params(jen.Id(c).Add(rt("Condition"))).Error().Block(jen.Return(answer))
}
