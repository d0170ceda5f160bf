package check

import (
	"go/token"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// names is the first phase: what a file declares and imports, by name.
type names struct {
	*reader
	doc      *ir.Document
	importer Importer
	imports  map[string]*importEntry
	types    map[string]*declaration
}

// declaration is an entry of `types` on its way to an ir.Decl.
type declaration struct {
	decl  *ir.Decl
	key   *syntax.Node
	node  *syntax.Node
	state state
}

type state uint8

const (
	declared state = iota
	lowering
	lowered
)

// declare enters the names of the file before anything refers to them.
func (c *names) declare(root *syntax.Node) {
	for _, e := range root.Entries {
		switch e.Key.Text {
		case "import":
			c.importKey(e, root.Get("go"))
		case "reserved":
			c.readReserved(e)
		}
	}
	if e := root.Entry("types"); e != nil {
		for _, e := range c.entries(*e, "write Name: schema") {
			c.declareType(e)
		}
	}
}

var declarationName = text.Pattern(`^[A-Za-z][A-Za-z0-9_]*$`)

// named checks the name of a type or an error.
func (c *names) named(key *syntax.Node, what string) bool {
	switch {
	case !declarationName().MatchString(key.Text):
		c.report(diag.InvalidName, key.Span, "use letters, digits and _, beginning with a letter", "%q cannot name %s", key.Text, what)
	case slices.Contains(c.doc.Reserved.Names, key.Text):
		c.report(diag.ReservedName, key.Span, "choose another name", "%q is reserved and may not be declared again", key.Text)
	default:
		return true
	}
	return false
}

func (c *names) declareType(e syntax.Entry) {
	if _, ok := builtin(e.Key.Text, ir.At{}); ok || e.Key.Text == "list" || e.Key.Text == "null" || e.Key.Text == "array" {
		c.report(diag.BuiltinName, e.Key.Span, "choose another name", "%q is a built-in type", e.Key.Text)
		return
	}
	if !c.named(e.Key, "a type") {
		return
	}
	decl := &ir.Decl{Name: e.Key.Text, Document: c.doc}
	decl.Pos = e.Key.Span.Pos
	c.types[decl.Name] = &declaration{decl: decl, key: e.Key, node: e.Value}
	c.doc.Types = append(c.doc.Types, decl)
}

// section lowers one top-level section.
func (c *checker) section(e syntax.Entry) {
	switch e.Key.Text {
	case "types":
		for _, decl := range c.doc.Types {
			c.types.lower(c.names.types[decl.Name])
		}
	case "errors":
		c.errors.errorsKey(e)
	case "methods", "notifications":
		c.methods.methodsKey(e)
	case "server":
		c.server.serverKey(e)
	case "backends":
		c.server.backendsKey(e)
	case "tools":
		c.server.toolsKey(e)
	case "resources":
		c.server.resourcesKey(e)
	case "prompts":
		c.server.promptsKey(e)
	case "state":
		(&stateChecker{c.d, c.doc, c.names}).stateKey(e)
	}
}

// readReserved reads what may not be declared again.
func (c *names) readReserved(e syntax.Entry) {
	for _, e := range c.keyedEntries(e, "write names:, methods: or codes: below it", "reserved", grammar.Document().Value("reserved")) {
		switch e.Key.Text {
		case "names":
			c.doc.Reserved.Names = texts(c.words(e))
		case "methods":
			c.doc.Reserved.Methods = texts(c.words(e))
		case "codes":
			c.reservedCodes(e)
		}
	}
}

func (c *names) reservedCodes(e syntax.Entry) {
	for _, item := range c.words(e) {
		if code, ok := c.integer(syntax.Entry{Key: e.Key, Value: item}, math.MinInt32, math.MaxInt32, diag.CodeRange); ok {
			c.doc.Reserved.Codes = append(c.doc.Reserved.Codes, code)
		}
	}
}

// wireName checks the name of a property or method: any text without control characters.
func (c *reader) wireName(key *syntax.Node, name, what string) bool {
	if name == "" {
		c.report(diag.InvalidName, key.Span, "write a name", "%s needs a name", what)
		return false
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		c.report(diag.InvalidName, key.Span, "leave control characters out", "%q cannot name %s", name, what)
		return false
	}
	return true
}

// goIdentifier checks an author's Go name, which must be exported.
func (c *reader) goIdentifier(n *syntax.Node) {
	if !token.IsIdentifier(n.Text) || !token.IsExported(n.Text) {
		c.report(diag.InvalidGoName, n.Span, "use letters and digits, beginning with a capital", "%q is not an exported Go identifier", n.Text)
	}
}

// suggest offers names for one that is not known. Where so much is wrong that it will not be read, it saves the time.
func (c *reader) suggest(name string, known func() []string) string {
	if len(c.faults) > 10*diag.Most {
		return ""
	}
	return diag.DidYouMean(name, known())
}

// typeNames are the names that an expression may use, for suggestions.
func (c *names) typeNames() []string {
	names := append(slices.Clone(grammar.Builtins), ir.Each(c.doc.Types, func(d *ir.Decl) string { return d.Name })...)
	for _, i := range c.doc.Imports {
		if i.Doc != nil {
			names = append(names, ir.Each(i.Doc.Types, func(d *ir.Decl) string { return i.Alias + "." + d.Name })...)
		}
	}
	return names
}
