package check

import (
	"cmp"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// elicitation is the request for what a user fills in.
const elicitation = "elicitation/create"

// clientRequests are what a server may ask of a client while it handles a call.
var clientRequests = []string{elicitation, "sampling/createMessage", "roots/list"}

func (c *serverChecker) clientRequest(t *ir.Tool, word *syntax.Node) {
	if !slices.Contains(clientRequests, word.Text) {
		help := cmp.Or(diag.DidYouMean(word.Text, clientRequests), "a client answers "+orList(clientRequests))
		c.d.report(diag.UnknownRequest, word.Span, help, "a client does not answer %q", word.Text)
		return
	}
	t.Asks = append(t.Asks, &ir.Ask{Pos: word.Span.Pos, Method: word.Text})
}

// question lowers a typed elicitation: a message, and the form that the user fills in.
func (c *serverChecker) question(t *ir.Tool, entry syntax.Entry) {
	if !c.types.names.named(entry.Key, "a question") || !c.d.mapping(entry, "write {message: ..., form: {...}}") {
		return
	}
	a := &ir.Ask{Pos: entry.Key.Span.Pos, Name: entry.Key.Text, Method: elicitation}
	t.Asks = append(t.Asks, a)
	c.d.keys(entry.Value, "a question", grammar.Tool().Value("asks").Each)
	c.d.needs(entry.Value, entry.Key.Span, "the question "+quote(a.Name), "message", "form")
	if e := entry.Value.Entry("params"); e != nil && c.d.mapping(*e, "write name: type") {
		a.Params = c.types.fieldsOf(e.Value)
	}
	if e := entry.Value.Entry("message"); e != nil {
		c.errors.template(&a.Message, *e, askSource(t, a))
	}
	if e := entry.Value.Entry("form"); e != nil && c.d.mapping(*e, "write name: type") {
		a.Form = c.types.fieldsOf(e.Value)
		c.d.settle(func() { c.questions(a.Form) })
	}
}

// askSource is where the message of a question takes its fields from: its own params, or else the input of the tool.
func askSource(t *ir.Tool, a *ir.Ask) fieldSource {
	if a.Params != nil {
		return fieldSource{of: func() ir.Type { return a.Params }, owner: "the params of " + quote(a.Name), help: "declare it under params, or write {{ for a brace"}
	}
	return fieldSource{of: func() ir.Type { return t.Input }, owner: "the input of " + quote(t.Name),
		help: "declare params: for what the input does not have, or write {{ for a brace"}
}

// questions reports what MCP's forms cannot ask for (elicitation, form mode): they are flat, and every field is one value, or a choice of several.
func (c *serverChecker) questions(s *ir.Struct) {
	for _, f := range s.Fields {
		if why := formFault(f.Type); why != "" && !c.d.faulty[ir.Underlying(f.Type)] {
			c.d.report(diag.InvalidForm, point(f.Pos, len(f.Name)), "use string, number, integer, boolean, an enum of text, or a list of one",
				"a form cannot ask for %s", why)
		}
	}
}

func formFault(t ir.Type) string {
	switch shape := ir.Underlying(t).(type) {
	case *ir.Bool, *ir.Int, *ir.Float, *ir.Time:
		return ""
	case *ir.String:
		return formText(ir.AllRules(t))
	case *ir.Enum:
		if shape.Values[0].Value.Kind == ir.Text && !shape.Open {
			return ""
		}
		return "an enum that is open, or of numbers"
	case *ir.List:
		if e, ok := ir.Underlying(shape.Elem).(*ir.Enum); ok && e.Values[0].Value.Kind == ir.Text && !e.Open {
			return ""
		}
		return "a list of anything but an enum"
	}
	return ir.Describe(ir.Underlying(t))
}

// formText says what of a text's rules a form cannot tell the user.
func formText(rules []ir.Rule) string {
	for _, r := range rules {
		switch r := r.(type) {
		case *ir.Length:
		case *ir.Format:
			if !slices.Contains([]string{"uri", "email", "date"}, r.Name) {
				return "text of format " + r.Name
			}
		default:
			return "text with " + text.Article(r.Kind())
		}
	}
	return ""
}
