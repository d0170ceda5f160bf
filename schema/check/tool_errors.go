package check

import (
	"cmp"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// toolErrors lowers the errors of a tool: those that it declares, and names of those declared elsewhere.
func (c *errorChecker) toolErrors(t *ir.Tool, e syntax.Entry) {
	c.d.namesOr(e, func(word *syntax.Node) { c.sharedError(t, word) }, func(e syntax.Entry) {
		if err := c.toolError(e); err != nil {
			t.Errors = append(t.Errors, err)
			c.d.settle(func() {
				if answer := e.Value.Entry("http"); answer != nil && t.HTTP == nil {
					c.d.report(diag.MisplacedKey, answer.Key.Span, "remove it, or add http: to the tool",
						"the tool %s has no http, whose answers could mean the error", t.Name)
				}
			})
		}
	})
}

// toolError lowers an error that a tool declares.
func (c *errorChecker) toolError(entry syntax.Entry) *ir.Error {
	if !c.names.named(entry.Key, "an error") || !c.d.mapping(entry, "write {message: ..., data: ...}") {
		return nil
	}
	err := &ir.Error{Name: entry.Key.Text, OfTool: true, Meta: c.d.meta(entry.Value, entry.Key.Span.Pos)}
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "message":
			c.message(err, e)
		case "data":
			err.Data = c.types.payload(e)
			c.d.settle(func() { c.errorData(err, e) })
		case "http":
			err.Statuses = c.d.statuses(e)
		case "code", "when", "category", "severity", "retry", "reserved":
			c.d.report(diag.MisplacedKey, e.Key.Span, "remove it, or declare the error under errors",
				"an error of a tool is a result for models: it has no %s", e.Key.Text)
		default:
			c.d.checkKeys(entry.Value, e, "an error of a tool", grammar.Tool().Value("errors").Each)
		}
	}
	if first := c.ofTools[err.Name]; first != nil {
		c.d.collide(diag.DuplicateError, entry.Key.Span, "write the name alone to use the other one here as well",
			"the error "+quote(err.Name)+" is already there", point(first.Pos, len(first.Name)), "other declaration of "+quote(err.Name))
		return nil
	}
	c.ofTools[err.Name] = err
	return err
}

// errorData asks the data of a tool's error to be an object: its members are what the message speaks of.
func (c *errorChecker) errorData(err *ir.Error, e syntax.Entry) {
	t := ir.Underlying(err.Data)
	if _, ok := t.(*ir.Struct); !ok && !c.d.faulty[t] {
		c.d.report(diag.NotAnObject, valueSpan(e), "write fields", "the data of a tool's error are an object, not %s", kindWord(err.Data))
	}
}

// sharedError keeps the place in the author's order for an error that is declared elsewhere.
func (c *errorChecker) sharedError(t *ir.Tool, name *syntax.Node) {
	at := len(t.Errors)
	t.Errors = append(t.Errors, &ir.Error{Name: name.Text})
	c.shared = append(c.shared, func() {
		err := cmp.Or(c.ofTools[name.Text], c.byName[name.Text])
		if err == nil {
			c.d.report(diag.UnknownError, name.Span, c.d.suggest(name.Text, c.toolErrorNames), "unknown error %q", name.Text)
			return
		}
		t.Errors[at] = err
	})
}

func (c *errorChecker) toolErrorNames() []string {
	return append(c.errorNames(), ir.Each(c.doc.ErrorsOfTools(), func(e *ir.Error) string { return e.Name })...)
}

// shareToolErrors resolves what tools say of errors that are declared elsewhere, and reports names that are declared twice.
func (c *errorChecker) shareToolErrors() {
	for _, resolve := range c.shared {
		resolve()
	}
	for _, err := range c.doc.Errors {
		if other := c.ofTools[err.Name]; other != nil {
			c.d.collide(diag.DuplicateError, point(other.Pos, len(other.Name)), "choose another name, or write the name alone to use the other one",
				"the error "+quote(err.Name)+" is already there", point(err.Pos, len(err.Name)), "other declaration of "+quote(err.Name))
		}
	}
}
