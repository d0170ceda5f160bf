package check

import (
	"cmp"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// moduleMCP gives a schema the keys of MCP servers, and the types of the protocol as mcp.X.
const moduleMCP = "mcp"

func modules() []string { return grammar.Document().Value("use").Words }

// use enters the modules of the language that a file uses.
func (c *names) use(e syntax.Entry) {
	for _, word := range c.words(e) {
		switch {
		case !slices.Contains(modules(), word.Text):
			help := cmp.Or(diag.DidYouMean(word.Text, modules()), "the modules are "+orList(modules()))
			c.report(diag.UnknownModule, word.Span, help, "there is no module %q", word.Text)
		case c.imports[word.Text] == nil:
			i := &ir.Import{Pos: word.Span.Pos, Alias: word.Text, Path: word.Text, Builtin: true}
			c.imports[word.Text] = &importEntry{entry: i, key: word}
			c.doc.Imports = append(c.doc.Imports, i)
		}
	}
}

// loadModule loads a module when something of it is used for the first time: its types are many, and most files need none.
func (c *names) loadModule(i *importEntry) {
	if !i.entry.Builtin || i.used {
		return
	}
	doc, goPath, err := c.importer.Module(i.entry.Alias)
	if err != nil {
		c.report(diag.UnknownModule, i.key.Span, "declare the types in this file", "%s", err)
	}
	i.entry.Doc, i.entry.GoPath = doc, goPath
}

// serverSections are the keys that only a file with the module of MCP may have.
var serverSections = []string{"server", "backends", "tools", "resources", "prompts"}

// needsServer reports MCP's sections in a file that does not use MCP, and a file that declares things for a server without saying which.
func (c *names) needsServer(root *syntax.Node) {
	uses := c.imports[moduleMCP] != nil
	for _, e := range root.Entries {
		switch {
		case !slices.Contains(serverSections, e.Key.Text):
		case !uses:
			c.report(diag.MissingModule, e.Key.Span, "add use: [mcp]", "%s belongs to the module mcp", e.Key.Text)
		case root.Get("server") == nil:
			c.report(diag.MissingServer, e.Key.Span, "add server: {name: ..., version: ...}", "the file declares %s of a server and not the server", e.Key.Text)
		}
	}
}

const completeHelp = "complete belongs to an argument of a prompt or a param of a resource"

// complete reads whether the server completes the values of a field.
func (c *typeChecker) complete(e syntax.Entry) bool {
	if !c.mayComplete {
		c.d.report(diag.MisplacedKey, e.Key.Span, completeHelp, "%q means nothing here", e.Key.Text)
	}
	return c.d.boolean(e)
}

// textFields lowers fields whose values travel as text, and which a server may complete.
func (c *typeChecker) textFields(e syntax.Entry) *ir.Struct {
	if !c.d.mapping(e, "write name: string") {
		return nil
	}
	c.mayComplete = true
	s := c.fieldsOf(e.Value)
	c.mayComplete = false
	return s
}
