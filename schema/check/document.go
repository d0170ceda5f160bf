package check

import (
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

func (c *checker) document(root *syntax.Node) {
	if root.Kind != syntax.Mapping {
		c.d.report(diag.WrongKind, root.Span, "begin with rpcgen: v1", "a schema must be a mapping, not %s", describe(root))
		return
	}
	if !c.version(root) {
		return
	}
	c.d.keys(root, "a schema file", grammar.Document())
	c.header(root)
	c.names.needsServer(root)
	c.errors.serves = root.Entry("server") != nil
	if !c.fewDeclarations(root) {
		return
	}
	c.names.declare(root)
	for _, e := range root.Entries {
		c.section(e)
	}
	c.errors.shareToolErrors()
	if c.containment.contain() {
		for _, action := range c.d.settling {
			action()
		}
		c.methods.structure()
		c.methods.streams()
		c.d.reportUnplaced()
	}
	c.names.unusedImports()
	p := &c.doc.Protocol
	p.StrictIDs = c.ids == "strict" || c.ids == "" && p.Name == moduleMCP
	p.NullsAbsent = c.nulls == "absent" || c.nulls == "" && (p.Name == moduleMCP || c.names.imports[moduleMCP] != nil)
}

// fewDeclarations reports sections that are larger than any schema needs.
func (c *checker) fewDeclarations(root *syntax.Node) bool {
	few := true
	for _, e := range root.Entries {
		place := grammar.Document().Value(e.Key.Text)
		if place != nil && place.Each != nil && len(e.Value.Entries) > grammar.MostDeclared {
			c.d.report(diag.TooLarge, e.Key.Span, "split it into files and import them", "%s has more than %d declarations", e.Key.Text, grammar.MostDeclared)
			few = false
		}
	}
	return few
}

// version asks for `rpcgen: v1` before anything else: what another version means is not for this rpcgen to judge.
func (c *checker) version(root *syntax.Node) bool {
	e := root.Entry("rpcgen")
	switch {
	case e == nil:
		at := root.Span
		if len(root.Entries) > 0 {
			at = root.Entries[0].Key.Span
		}
		c.d.report(diag.MissingVersion, at, "begin with rpcgen: v1", "the schema does not say its language version")
	case e.Value.Text != "v1":
		c.d.report(diag.UnsupportedVersion, valueSpan(*e), "this rpcgen reads v1", "unsupported language version %s", sourceText(e.Value))
	case root.Entries[0].Key.Text != "rpcgen":
		c.d.report(diag.MissingVersion, e.Key.Span, "move it to the top", "rpcgen must be the first key")
	default:
		return true
	}
	return false
}

func (c *checker) header(root *syntax.Node) {
	own := slices.DeleteFunc(slices.Clone(root.Entries), func(e syntax.Entry) bool {
		return e.Key.Text == "go" || e.Key.Text == "deprecated" // at the top, go is the naming of the whole file
	})
	c.doc.Meta = c.d.meta(&syntax.Node{Kind: syntax.Mapping, Entries: own}, root.Span.Pos)
	c.doc.Package = packageName(c.file)
	c.doc.Protocol = ir.Protocol{Batch: true, Positional: true}
	for _, e := range root.Entries {
		switch e.Key.Text {
		case "package":
			c.packageKey(e)
		case "protocol":
			c.protocol(e)
		case "expose":
			c.expose(e)
		case "go":
			c.naming(e)
		case "lint":
			c.lint(e)
		case "use":
			c.names.use(e)
		}
	}
}

func (c *checker) packageKey(e syntax.Entry) {
	name := c.d.text(e)
	if name == "" {
		return
	}
	if !token.IsIdentifier(name) || name == "_" || strings.ToLower(name) != name {
		c.d.report(diag.InvalidGoName, e.Value.Span, "use lower-case letters and digits", "%q is not the name of a Go package", name)
	}
	c.doc.Package = name
}

// packageName is the name of the directory, without what a package name may not hold.
func packageName(file string) string {
	base := strings.ToLower(path.Base(path.Dir(file)))
	name := regexp.MustCompile(`[^a-z0-9]`).ReplaceAllString(base, "")
	if name = strings.TrimLeft(name, "0123456789"); name == "" || token.IsKeyword(name) {
		return "rpc"
	}
	return name
}

func (c *checker) protocol(e syntax.Entry) {
	p := &c.doc.Protocol
	p.Pos = e.Key.Span.Pos
	place := grammar.Document().Value("protocol")
	for _, e := range c.d.keyedEntries(e, "write name: and revision: below it", "protocol", place) {
		switch e.Key.Text {
		case "paramsBy":
			p.ParamsBy = ir.ParamsBy(c.d.choice(e, place.Value("paramsBy")))
			c.d.settle(func() { c.methods.positionalAllowed(p.ParamsBy, e) })
		case "ids":
			c.ids = c.d.word(e, place.Value("ids").Words...)
		case "nulls":
			c.nulls = c.d.word(e, place.Value("nulls").Words...)
		case "cancel":
			c.cancel(e)
		case "progress":
			c.progress(e)
		case "items":
			c.methods.howItems(&c.methods.defaults, e, place.Value("items"))
		case "initialize":
			p.Handshake.Initialize = c.d.text(e)
			c.d.settle(func() { c.ofHandshake(e, p.Handshake.Initialize, false) })
		case "shutdown":
			p.Handshake.Shutdown = c.d.text(e)
			c.d.settle(func() { c.ofHandshake(e, p.Handshake.Shutdown, false) })
		case "exit":
			p.Handshake.Exit = c.d.text(e)
			c.d.settle(func() { c.ofHandshake(e, p.Handshake.Exit, true) })
		case "session":
			p.Session = ir.Session(c.d.choice(e, place.Value("session")))
		default:
			c.d.plain(e, map[string]any{"name": &p.Name, "revision": &p.Revision, "batch": &p.Batch, "positional": &p.Positional})
		}
	}
}

// cancel reads which notification cancels a request.
func (c *checker) cancel(e syntax.Entry) {
	p := &c.doc.Protocol
	for _, e := range c.d.keyedEntries(e, "write method: $/cancelRequest below it", "cancel", grammar.Document().Value("protocol").Value("cancel")) {
		switch e.Key.Text {
		case "method":
			p.CancelMethod = c.d.text(e)
			c.d.settle(func() { c.checkCancel(e) })
		case "id":
			p.CancelID = c.d.text(e)
		}
	}
	if p.CancelMethod != "" && p.CancelID == "" {
		p.CancelID = "id"
	}
}

// checkCancel checks a notification that cancels requests, if it is declared as well: the runtime handles it, and the server gets it too.
func (c *checker) checkCancel(e syntax.Entry) {
	p := c.doc.Protocol
	m := c.methods.byName[p.CancelMethod]
	switch {
	case m == nil:
	case !m.Notification:
		c.d.report(diag.UnknownMethod, e.Value.Span, "declare it under notifications, or not at all", "%q is a method, and no notification", p.CancelMethod)
	case len(structsOf(m.Params)) == 0 || structsOf(m.Params)[0].Field(p.CancelID) == nil:
		c.d.report(diag.InvalidPath, e.Value.Span, "say id: with the name of the member that is the id of a request", "the params of %q have no %q",
			p.CancelMethod, p.CancelID)
	}
}

// ofHandshake checks a method that opens or ends sessions: a client must be able to send it.
func (c *checker) ofHandshake(e syntax.Entry, name string, notification bool) {
	if name == "" {
		return
	}
	p, m, section := c.doc.Protocol, c.methods.byName[name], "methods"
	if notification {
		section = "notifications"
	}
	switch {
	case p.Session != ir.SessionHandshake:
		c.d.report(diag.MissingKey, e.Key.Span, "add session: handshake", "%s needs session: handshake", e.Key.Text)
	case p.Handshake.Initialize == "":
		c.d.report(diag.MissingKey, e.Key.Span, "add initialize: with the name of the request that comes first", "%s needs initialize", e.Key.Text)
	case m == nil:
		c.d.report(diag.UnknownMethod, e.Value.Span, "declare it under "+section, "%q is not declared", name)
	case m.Notification != notification:
		c.d.report(diag.UnknownMethod, e.Value.Span, "declare it under "+section, "%q is not declared under %s", name, section)
	case e.Key.Text == "shutdown" && name == p.Handshake.Initialize:
		c.d.report(diag.UnknownMethod, e.Value.Span, "declare a method of its own, or leave shutdown out", "%q opens the session, and cannot shut it down", name)
	case m.From == ir.FromServer:
		c.d.report(diag.UnknownMethod, e.Value.Span, "declare it with from: client", "%q is sent by the server, and sessions are opened by the client", name)
	}
}

func (c *checker) naming(e syntax.Entry) {
	for _, e := range c.d.keyedEntries(e, "write codec:, json:, initialisms:, rename: or import: below it", "go", grammar.Document().Value("go")) {
		switch e.Key.Text {
		case "codec":
			c.codecOfFile(e)
		case "json":
			c.jsonOfFile(e)
		case "initialisms":
			c.doc.Naming.Initialisms = texts(c.d.words(e))
		case "rename":
			c.renames(e)
		}
	}
}

func (c *checker) renames(e syntax.Entry) {
	for _, e := range c.d.entries(e, "write path: GoName") {
		to := c.d.text(e)
		if to != "" {
			c.d.goIdentifier(e.Value)
			c.doc.Naming.Rename = append(c.doc.Naming.Rename, ir.Rename{Pos: e.Key.Span.Pos, From: e.Key.Text, To: to})
		}
	}
}

func (c *checker) lint(e syntax.Entry) {
	if !c.d.mapping(e, "write ignore: [{rule: ..., at: ...}]") {
		return
	}
	c.d.keys(e.Value, "lint", grammar.Document().Value("lint"))
	ignore := e.Value.Entry("ignore")
	if ignore == nil || !c.d.sequence(*ignore, "write [{rule: ..., at: ...}]") {
		return
	}
	for _, item := range ignore.Value.Items {
		c.ignore(item)
	}
}

func (c *checker) ignore(n *syntax.Node) {
	if n.Kind != syntax.Mapping {
		c.d.report(diag.WrongKind, n.Span, "write {rule: ..., at: ...}", "an entry of ignore must be a mapping, not %s", describe(n))
		return
	}
	c.d.keys(n, "an entry of lint.ignore", grammar.Document().Value("lint").Value("ignore").Items)
	ignore := ir.Ignore{Pos: n.Span.Pos}
	for _, e := range n.Entries {
		c.d.plain(e, map[string]any{"rule": &ignore.Rule, "at": &ignore.At, "reason": &ignore.Reason})
	}
	if n.Get("rule") == nil || n.Get("at") == nil {
		c.d.report(diag.MissingKey, n.Span, "write {rule: ..., at: ...}", "an entry of lint.ignore needs rule and at")
		return
	}
	c.doc.Ignores = append(c.doc.Ignores, ignore)
}
