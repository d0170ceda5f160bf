package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// blockType is the Go type of the content blocks of a kind, in package mcp.
func blockType(k ir.ContentKind) string {
	return map[ir.ContentKind]string{
		ir.TextContent: "TextContent", ir.ImageContent: "ImageContent", ir.AudioContent: "AudioContent",
		ir.LinkContent: "ResourceLink", ir.ResourceContent: "EmbeddedResource",
	}[k]
}

// several reports whether the blocks of a tool are of several kinds, so that only their tags say which.
func several(t *tool) bool { return t.Content != nil && len(t.Content.Kinds) > 1 }

// blockTypes lists the types of the blocks of a tool, in words.
func blockTypes(t *tool) string {
	return text.Series(ir.Each(t.Content.Kinds, func(k ir.ContentKind) string { return "*mcp." + blockType(k) }), "and")
}

// contentType is what content blocks are in the results of a tool's handler and of the client.
func contentType(t *tool) jen.Code {
	kind, ok := t.Content.One()
	switch {
	case !ok:
		return jen.Index().Add(mcp("ContentBlock"))
	case t.Content.Many:
		return jen.Index().Add(mcp(blockType(kind)))
	}
	return mcp(blockType(kind))
}

// contentComment documents the content blocks of a tool that has an output.
func contentComment(t *tool) string {
	switch {
	case several(t):
		return "Content holds the blocks after that one, of the types " + blockTypes(t) + "."
	case t.Content.Any():
		return "Content holds the blocks after that one: text, images, sound, links and embedded resources."
	case t.Content.Many:
		return "Content holds the blocks after that one."
	}
	return "Content is the block after that one."
}

// checkBlocks fails a call whose handler gives a block of a kind that the schema does not declare. Where there is one kind, Go's types exclude that.
func checkBlocks(g *jen.Group, t *tool, x string) {
	if several(t) {
		g.If(jen.Err().Op(":=").Add(mcpgen("CheckKinds")).CallFunc(func(g *jen.Group) {
			g.Id(x)
			kinds(g, t)
		}), jen.Err().Op("!=").Nil()).
			Block(invoke("c", "Fail", jen.Err()), jen.Return())
	}
}

// blocksOf is what the handler gives, as a list of content blocks.
func blocksOf(t *tool, x string) jen.Code {
	_, one := t.Content.One()
	switch {
	case !one:
		return jen.Id(x)
	case t.Content.Many:
		return mcpgen("Blocks").Call(jen.Id(x))
	}
	return jen.Index().Add(mcp("ContentBlock")).Values(jen.Op("&").Id(x))
}

// receivedBlocks is what a client returns of the content blocks in a result.
func receivedBlocks(t *tool) *jen.Statement {
	kind, one := t.Content.One()
	switch {
	case !one:
		return selector("q", "Content").CallFunc(func(g *jen.Group) { kinds(g, t) })
	case t.Content.Many:
		return mcpclient("BlocksOf").Types(mcp(blockType(kind))).Call(jen.Id("q"))
	}
	return mcpclient("BlockOf").Types(mcp(blockType(kind))).Call(jen.Id("q"))
}

// kinds adds the tags of the blocks that a tool gives, as arguments.
func kinds(g *jen.Group, t *tool) {
	for _, k := range t.Content.Kinds {
		g.Lit(string(k))
	}
}
