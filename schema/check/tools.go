package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/foreign"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// MCP, server/tools: the names of tools.
var toolName = text.Pattern(`^[A-Za-z0-9_.-]{1,128}$`)

func (c *serverChecker) toolsKey(section syntax.Entry) {
	for _, e := range c.d.entries(section, "write name: {input: ..., output: ...}") {
		if !toolName().MatchString(e.Key.Text) {
			c.d.report(diag.InvalidToolName, e.Key.Span, "use 1 to 128 letters, digits, _, - and .", "%q cannot name a tool", e.Key.Text)
			continue
		}
		c.doc.Tools = append(c.doc.Tools, c.tool(e))
	}
}

func (c *serverChecker) tool(entry syntax.Entry) *ir.Tool {
	t := &ir.Tool{Name: entry.Key.Text, Meta: c.d.meta(entry.Value, entry.Key.Span.Pos)}
	if entry.Value.IsEmpty() || !c.d.mapping(entry, "write {input: ..., output: ...}") {
		return t
	}
	c.d.keys(entry.Value, "a tool", grammar.Tool())
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "hints":
			c.hints(&t.Hints, e)
		case "icons":
			t.Icons = c.icons(e)
		case "input":
			c.toolInput(t, e)
		case "unknown":
			c.types.readUnknown(e, entry.Value.Entry("input"), func() ir.Type { return t.Input },
				map[string]ir.Additional{"ignore": ir.AdditionalSkipped})
		case "inputSchema":
			c.toolSchema(t, e)
		case "output":
			c.toolOutput(t, e)
		case "view":
			readView(c, t, e)
		case "http":
			c.http(t, e)
		case "content":
			c.toolContent(t, e)
		case "errors":
			c.errors.toolErrors(t, e)
		case "timeout":
			t.Timeout = c.d.duration(e, "timeout")
		case "rate":
			t.Rate = c.d.rate(e)
		case "scopes":
			t.Scopes = c.d.scopes(e)
		case "cache":
			t.Keep = c.d.keep(e, func() ir.Type { return t.Input })
		case "codec":
			t.Fast = c.d.codecOfCall(c.doc, e, func() []ir.Type { return []ir.Type{t.Input, t.Output} })
		case "task":
			c.toolTask(t, e)
		case "asks":
			c.d.namesOr(e, func(word *syntax.Node) { c.clientRequest(t, word) }, func(e syntax.Entry) { c.question(t, e) })
		case "meta":
			t.MetaData = c.metaData(e)
			c.toolPage(e)
		case "budget":
			t.Budget = c.tokens(e)
		}
	}
	if t.View == nil && t.Output != nil {
		c.d.settle(func() { limitResult(c, t, entry.Key) })
	}
	return t
}

func (c *serverChecker) hints(h *ir.Hints, e syntax.Entry) {
	for _, e := range c.d.keyedEntries(e, "write {readOnly: true}", "hints", grammar.Tool().Value("hints")) {
		if e.Key.Text == "title" {
			h.Title = c.d.text(e)
		}
		hints := map[string]*ir.Hint{"readOnly": &h.ReadOnly, "destructive": &h.Destructive, "idempotent": &h.Idempotent, "openWorld": &h.OpenWorld}
		if hint := hints[e.Key.Text]; hint != nil {
			if *hint = ir.HintNo; c.d.boolean(e) {
				*hint = ir.HintYes
			}
		}
	}
}

// toolInput lowers what a tool takes. Models send objects, and providers refuse schemas whose root is anything else.
func (c *serverChecker) toolInput(t *ir.Tool, e syntax.Entry) {
	t.Input = c.types.payload(e)
	c.d.settle(func() {
		if c.d.faulty[ir.Underlying(t.Input)] {
			return
		}
		if _, ok := ir.Underlying(t.Input).(*ir.Struct); !ok {
			c.d.report(diag.InvalidToolRoot, valueSpan(e), "write fields; a union or a list goes below one of them, as in {items: list<Book>}",
				"the input of a tool is an object with named fields, not %s", kindWord(t.Input))
			return
		}
		w := headerWalk{reader: c.d.reader, tool: t, names: map[string]*ir.Field{}, decls: map[*ir.Decl]bool{}}
		w.fields(ir.Underlying(t.Input).(*ir.Struct), "")
	})
}

// toolSchema reads what is published in place of the schema of the input.
func (c *serverChecker) toolSchema(t *ir.Tool, e syntax.Entry) {
	if !c.d.mapping(e, "write type: object, and what else the schema says") {
		return
	}
	if root := e.Value.Entry("type"); root == nil || root.Value.Text != "object" {
		c.d.report(diag.InvalidToolRoot, e.Key.Span, "write type: object into it", "the published schema of a tool's input is one of an object")
		return
	}
	if properties := e.Value.Get("properties"); properties != nil && len(properties.Entries) > 0 {
		c.d.settle(func() {
			if t.Input == nil {
				c.d.report(diag.MissingKey, e.Key.Span, foreign.Advice("a tool", foreign.Written{Word: e.Key.Text}),
					"inputSchema is published in place of the schema of input, and there is no input")
			}
		})
	}
	schema := c.d.value(e.Value)
	t.Schema = &schema
}

// toolOutput lowers what a tool returns. Clients of the revisions before 2026-07-28 take objects only.
func (c *serverChecker) toolOutput(t *ir.Tool, e syntax.Entry) {
	if e.Value.Kind == syntax.Scalar && c.types.names.types[e.Value.Text] == nil {
		if help := foreign.Advice(foreign.OfOutput, foreign.Written{Word: e.Value.Text}); help != "" {
			c.d.report(diag.UnknownType, e.Value.Span, help, "unknown type %q", e.Value.Text)
			t.Output = c.d.brokenType(e.Value.Span.Pos)
			return
		}
	}
	t.Output = c.types.payload(e)
	c.d.settle(func() {
		if shape := ir.Underlying(t.Output); !ir.IsObject(shape) && !c.d.faulty[shape] {
			c.d.report(diag.InvalidToolRoot, valueSpan(e), "write fields; a union or a list goes below one of them, as in {items: list<Book>}",
				"the output of a tool is an object, not %s", kindWord(t.Output))
		}
	})
}

// toolTask reads whether calls run as tasks, which the first revisions of MCP do not have.
func (c *serverChecker) toolTask(t *ir.Tool, e syntax.Entry) {
	t.Task = ir.TaskSupport(c.d.choice(e, grammar.Tool().Value("task")))
	c.d.settle(func() {
		s := c.doc.Server
		if t.Task == ir.TaskNever || s == nil || len(s.Revisions) == 0 || slices.Max(s.Revisions) >= "2025-11-25" {
			return
		}
		c.d.report(diag.InvalidValue, valueSpan(e), "serve revision 2025-11-25 or 2026-07-28, or write never",
			"%s cannot run as a task: no revision of the server has tasks", t.Name)
	})
}

// metaData reads a _meta.
func (c *serverChecker) metaData(e syntax.Entry) *ir.Value {
	if !c.d.mapping(e, "write name: value") {
		return nil
	}
	meta := c.d.value(e.Value)
	return &meta
}
