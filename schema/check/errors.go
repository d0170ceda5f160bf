package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// errorChecker lowers errors, those that tools declare among them.
type errorChecker struct {
	d       *draft
	doc     *ir.Document
	names   *names
	types   *typeChecker
	byName  map[string]*ir.Error
	ofTools map[string]*ir.Error // errors that tools declare
	shared  []func()             // resolves what tools say of errors declared elsewhere
	serves  bool                 // the file declares an MCP server
}

func (c *errorChecker) errorsKey(e syntax.Entry) {
	codes := map[int]*ir.Error{}
	whens := map[string]*ir.Error{}
	for _, entry := range c.d.entries(e, "write Name: {code: 1001, message: ...}") {
		if !c.names.named(entry.Key, "an error") || !c.d.mapping(entry, "write {code: 1001, message: ...}") {
			continue
		}
		err, coded := c.errorObject(entry)
		c.byName[err.Name] = err
		c.doc.Errors = append(c.doc.Errors, err)
		if coded {
			c.once(codes, err, entry.Value.Entry("code"))
		}
		for _, when := range err.When {
			if first := whens[when]; first != nil {
				c.twice(diag.DuplicateCondition, entry.Value.Entry("when"), when, first)
			} else {
				whens[when] = err
			}
		}
	}
}

// once reports a code that another error has.
func (c *errorChecker) once(codes map[int]*ir.Error, err *ir.Error, e *syntax.Entry) {
	if first := codes[err.Code]; first != nil {
		c.twice(diag.DuplicateCode, e, strconv.Itoa(err.Code), first)
		return
	}
	codes[err.Code] = err
}

func (c *errorChecker) twice(code diag.Code, e *syntax.Entry, what string, first *ir.Error) {
	c.d.collide(code, valueSpan(*e), "one error each",
		fmt.Sprintf("%s %s already belongs to error %q", e.Key.Text, what, first.Name), point(first.Pos, len(first.Name)), "error "+quote(first.Name))
}

// errorObject lowers one error, and reports whether it has a code.
func (c *errorChecker) errorObject(entry syntax.Entry) (err *ir.Error, coded bool) {
	err = &ir.Error{Name: entry.Key.Text, Meta: c.d.meta(entry.Value, entry.Key.Span.Pos)}
	c.d.keys(entry.Value, "an error", grammar.ErrorObject())
	if entry.Value.Get("code") == nil {
		c.d.report(diag.MissingKey, entry.Key.Span, "add code: and a number", "error %q has no code", err.Name)
	}
	if e := entry.Value.Entry("reserved"); e != nil {
		err.Reserved = c.d.boolean(*e)
	}
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "code":
			coded = c.code(err, e)
		case "message":
			c.message(err, e)
		case "data":
			err.Data = c.types.payload(e)
		case "when":
			err.When = c.conditions(e)
		case "severity":
			err.Severity = c.d.word(e, grammar.ErrorObject().Value("severity").Words...)
		case "http":
			err.HTTP, _ = c.d.integer(e, 100, 599, diag.InvalidValue)
		default:
			c.d.plain(e, map[string]any{"category": &err.Category, "retry": &err.Retry})
		}
	}
	c.d.settle(func() { c.fillable(err) })
	return err, coded
}

// payload lowers what goes on the wire under params, result and data: a type, or a mapping that is always fields.
func (c *typeChecker) payload(e syntax.Entry) ir.Type {
	if e.Value.Kind == syntax.Mapping {
		if c.fieldsWanted(e) {
			return c.d.brokenType(e.Key.Span.Pos)
		}
		return c.fieldsOf(e.Value)
	}
	if e.Value.Kind == syntax.Sequence {
		c.d.report(diag.WrongKind, e.Key.Span, "write a type such as list<string>, or fields", "%s must be a type or fields, not a list", e.Key.Text)
		return c.d.brokenType(e.Key.Span.Pos)
	}
	if e.Value.IsEmpty() {
		c.d.report(diag.WrongKind, e.Key.Span, "write a type, or fields below it", "%s is empty", e.Key.Text)
		return c.d.brokenType(e.Key.Span.Pos)
	}
	return c.refs.expression(e.Value)
}

// Codes that JSON-RPC and MCP keep for themselves. Plain JSON-RPC only reserves its own, and catalogues in use number there, so that there it is a warning.
const (
	lowestReserved, highestOfRPC = -32768, -32100
	highestOfMCP                 = -32020
	highestReserved              = -32000

	resourceNotFound       = -32002       // in MCP up to lastOfFormer
	urlElicitationRequired = -32042       // in lastOfFormer alone
	lastOfFormer           = "2025-11-25" // no later revision may use these codes again
)

// standard are the codes that JSON-RPC itself has given a meaning.
var standard = []int{-32700, -32600, -32601, -32602, -32603}

func (c *errorChecker) code(err *ir.Error, e syntax.Entry) bool {
	code, ok := c.d.integer(e, math.MinInt32, math.MaxInt32, diag.CodeRange)
	if !ok {
		return false
	}
	err.Code = code
	if slices.Contains(c.doc.Reserved.Codes, code) {
		c.d.report(diag.ReservedName, e.Value.Span, "choose another code", "code %d is reserved and may not be declared again", code)
		return true
	}
	owner := codeOwner(code)
	if err.Reserved {
		if owner == "" {
			c.d.report(diag.InvalidValue, e.Value.Span, "remove reserved:", "code %d is free, and not reserved", code)
		}
		return true
	}
	mcp := c.doc.Protocol.Name == "mcp"
	if owner == "" || mcp && c.isOfficial(code) || !mcp && !c.serves && code > highestOfRPC && code < highestReserved {
		return true
	}
	if c.serves && !slices.Contains(standard, code) {
		c.d.report(diag.ReservedCode, e.Value.Span, "choose a code outside -32768..-32000, or write reserved: true to use it on purpose",
			"code %d is reserved for %s: an MCP server would answer -32603 in its place", code, owner)
		return true
	}
	d := diag.Diagnostic{Code: diag.ReservedCode, Span: e.Value.Span, Help: "choose a code outside -32768..-32000, or write reserved: true to use it on purpose",
		Message: fmt.Sprintf("code %d is reserved for %s", code, owner)}
	if !mcp {
		d.Severity = diag.Warning
	}
	c.d.add(d)
	return true
}

// isOfficial reports whether the revision of MCP at hand may give a code within the reserved ranges a meaning: those that JSON-RPC leaves to others are its
// own, but for what had another meaning once. Revisions are dates, which order as text, or words such as draft, which come after them.
func (c *errorChecker) isOfficial(code int) bool {
	revision := c.doc.Protocol.Revision
	switch code {
	case resourceNotFound:
		return revision != "" && revision <= lastOfFormer
	case urlElicitationRequired:
		return revision == lastOfFormer
	}
	return code > highestOfRPC || slices.Contains(standard, code)
}

func codeOwner(code int) string {
	switch {
	case code == resourceNotFound || code == urlElicitationRequired:
		return "a former meaning in MCP"
	case code < lowestReserved || code > highestReserved:
		return ""
	case code <= highestOfRPC:
		return "JSON-RPC"
	case code <= highestOfMCP:
		return "MCP"
	}
	return "implementations older than MCP's own range"
}

// conditions reads what the runtime answers with an error.
func (c *errorChecker) conditions(e syntax.Entry) (whens []string) {
	known := ir.Each(conditions, func(c condition) string { return c.name })
	for _, word := range c.d.words(e) {
		switch {
		case slices.Contains(whens, word.Text):
			c.d.report(diag.InvalidValue, word.Span, "name each condition once", "%q is already there", word.Text)
		case slices.Contains(known, word.Text):
			whens = append(whens, word.Text)
		default:
			help := cmp.Or(diag.DidYouMean(word.Text, known), "the runtime knows "+orList(known))
			c.d.report(diag.UnknownCondition, word.Span, help, "unknown condition %q", word.Text)
		}
	}
	return whens
}

// message splits a text at its {field} parts; {{ and }} stand for the braces themselves.
func (c *errorChecker) message(err *ir.Error, e syntax.Entry) {
	c.template(&err.Message, e, fieldSource{
		of:    func() ir.Type { return err.Data },
		owner: "the data of error " + quote(err.Name), help: "declare it under data, or write {{ for a brace",
	})
}

// fieldSource is where the {field} parts of a text come from.
type fieldSource struct {
	of    func() ir.Type // asked once the whole model is known; nil if there are no fields
	owner string
	help  string
}

// template splits a text at its {field} parts.
func (c *errorChecker) template(parts *[]ir.MessagePart, e syntax.Entry, from fieldSource) {
	text := c.d.text(e)
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			*parts = append(*parts, ir.MessagePart{Text: literal.String()})
			literal.Reset()
		}
	}
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}"):
			literal.WriteByte(rest[0])
			i++
		case rest[0] == '{':
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				c.d.report(diag.UnknownPlaceholder, e.Value.Within(i, 1), "write {{ for a brace", "the message has a { without a }")
				return
			}
			flush()
			c.placeholder(parts, e.Value, i, rest[1:end], from)
			i += end
		default:
			literal.WriteByte(rest[0])
		}
	}
	flush()
}

// placeholder resolves a {field} once its source is known.
func (c *errorChecker) placeholder(parts *[]ir.MessagePart, n *syntax.Node, offset int, name string, from fieldSource) {
	index := len(*parts)
	*parts = append(*parts, ir.MessagePart{Text: name})
	c.d.settle(func() {
		var names []string
		if t := from.of(); t != nil {
			t = ir.Underlying(t)
			if c.d.faulty[t] {
				return
			}
			if s, ok := t.(*ir.Struct); ok {
				names = fieldNames(s)
				if f := s.Field(name); f != nil {
					(*parts)[index] = ir.MessagePart{Field: f}
					return
				}
			}
		}
		help := cmp.Or(c.d.suggest(name, func() []string { return names }), from.help)
		c.d.report(diag.UnknownPlaceholder, n.Within(offset, len(name)+2), help, "%s has no field %q", from.owner, name)
	})
}
