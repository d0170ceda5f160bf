package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// content is how a resource's content travels.
type content uint8

const (
	contentJSON  content = iota // text that is JSON
	contentText                 // text
	contentBlob                 // base64
	contentWhole                // the handler gives a whole ReadResourceResult
)

func contentOf(r *resource) content {
	if _, any := r.Content.(*ir.Any); any {
		return contentWhole
	}
	switch ir.Underlying(r.Content).(type) {
	case *ir.String:
		return contentText
	case *ir.Bytes:
		return contentBlob
	}
	return contentJSON
}

// contentType is how a resource's content is held.
func (w *serverWriter) contentType(r *resource) jen.Code {
	if contentOf(r) == contentWhole {
		return mcp("ReadResourceResult")
	}
	return w.names.goType(r.Content)
}

// mimeType is what a resource's content is, as far as it is known.
func mimeType(r *resource) string {
	if r.MIMEType == "" && contentOf(r) == contentJSON {
		return "application/json"
	}
	return r.MIMEType
}

func (w *toolWriter) emitReadResource(f *jen.File) {
	constant, templates := w.names.byKind()
	w.implements(f, "ReadResource", "ResourceCall", len(w.names.resources) > 0).BlockFunc(func(g *jen.Group) {
		if len(w.names.resources) > 0 {
			g.Id("asked").Op(":=").Id("c").Dot("URI").Call() // once, as in routeByNumber
		}
		if len(constant) > 0 {
			g.Switch(jen.Id("asked")).BlockFunc(func(g *jen.Group) {
				for _, r := range constant {
					g.Case(jen.Id(r.uriName())).Block(invoke("d", "read"+r.name, jen.Id("ctx"), jen.Id("c")), jen.Return())
				}
			})
		}
		for _, r := range templates {
			g.If(jen.List(jen.Id("params"), jen.Id("ok")).Op(":=").Id(w.names.matcher(r)).Call(jen.Id("asked")), jen.Id("ok")).Block(
				invoke("d", "read"+r.name, jen.Id("ctx"), jen.Id("c"), jen.Id("params")), jen.Return())
		}
		g.Add(invoke("c", "NotFound", nameList(ir.Each(constant, func(r *resource) string { return r.URI }))))
	})
	for _, r := range w.names.resources {
		w.emitRead(f, r)
	}
	for _, r := range templates {
		w.emitMatch(f, r)
	}
}

// emitRead writes how one resource is read.
func (w *toolWriter) emitRead(f *jen.File, r *resource) {
	boundary(f)
	f.Func().Params(declarations(true)).Id("read" + r.name).ParamsFunc(func(g *jen.Group) {
		g.Id("ctx").Qual("context", "Context")
		g.Id("c").Op("*").Add(mcp("ResourceCall"))
		if r.Params != nil {
			g.Id("params").Add(w.names.goType(r.Params))
		}
	}).BlockFunc(func(g *jen.Group) {
		w.orFail(g, "content", selector("d", "server").Dot("Read"+r.name).CallFunc(func(g *jen.Group) {
			g.Id("ctx")
			if r.Params != nil {
				g.Id("params")
			}
		}))
		w.answerContent(g, r)
	})
}

func (w *toolWriter) answerContent(g *jen.Group, r *resource) {
	kind := contentOf(r)
	if kind == contentWhole {
		g.Add(invoke("c", "ReturnResult", jen.Op("&").Id("content")))
		return
	}
	w.calls.checkWhole(g, r.Content, "content", "c")
	if r.MetaData != nil {
		g.Add(invoke("c", "SetMeta", jsonConstant(jsonText(*r.MetaData), false)))
	}
	mime := jen.Lit(mimeType(r))
	switch kind {
	case contentText:
		g.Add(invoke("c", "ReturnText", mime, w.plainText(r.Content, "content")))
	case contentBlob:
		g.Add(invoke("c", "ReturnBlob", mime, jen.Id("content")))
	default:
		answer := w.calls.appendTo(g, r.Content, "content", invoke("c", "JSON"))
		g.Add(invoke("c", "ReturnJSON", mime, answer))
	}
}
