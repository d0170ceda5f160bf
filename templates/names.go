package templates

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// names is what everything of a document is called in Go, and of imported documents what it refers to.
type names struct {
	doc       *ir.Document
	types     []*namedType // of this package, each owner before the types that lie in it
	methods   []*method
	errors    []*errorType // those of tools, too
	tools     []*tool
	resources []*resource
	prompts   []*prompt
	exposed   []extension

	byType   map[ir.Type]*namedType    // every type with a Go name, of this package and of imported ones
	byDecl   map[*ir.Decl]*namedType   // every declaration, likewise
	fields   map[*ir.Field]string      // Go names of fields
	values   map[*ir.EnumValue]string  // Go names of enum constants
	wrappers map[*ir.Branch]*namedType // types that exist only to be a branch

	patterns     map[*namedType][]patternVar // of this package, by the type they are written in
	patternNames map[ir.Rule]string

	bindings map[string]bool // import paths of the packages that types are bound to
	alike    map[string]int  // how many names differ only in the capitals that they begin with, by the unexported one
	namer    namer
	bare     ir.Type // a type that is not to be called by its name; see under
	spelled  bool    // an alias of itself is not called by its name either; see argument
	pkg      string  // import path of the generated package, for what is written outside of it; else empty

	diags diag.List
	apart []Clash // the clashes with names that are free
}

// extension is an x-* key that generated code says, with the Go name of what it says.
type extension struct {
	ir.Key
	name string
}

// namedType is a type with a name in Go.
type namedType struct {
	name     string
	pkg      string // import path; empty for the package that is generated
	typ      ir.Type
	meta     *ir.Meta
	decl     *ir.Decl             // nil for an inline type
	what     string               // what an inline type is of what, for its documentation
	branchOf []*namedType         // the unions of the same package that it is a branch of
	left     map[*namedType][]tag // of a union: what its branches, and those of its branches, leave to it
	isError  bool
	reached  map[*ir.Decl]bool // what it refers to; nil before that is asked
}

// method is a request or notification with its Go names.
type method struct {
	*ir.Method
	name string // AB for a/b
}

// errorType is a declared error with its Go names.
type errorType struct {
	*ir.Error
	name string     // XError
	code string     // CodeX; empty if it is of a tool, and has none
	data *namedType // its fields, when data are inline fields; else nil
}

// tool is a tool with its Go names.
type tool struct {
	*ir.Tool
	name string // SearchItems for search_items
	asks []*question
}

// mixed reports whether the handler returns an output and content blocks.
func (t *tool) mixed() bool { return t.Content != nil && t.Output != nil }

// whole reports whether the handler returns a whole CallToolResult.
func (t *tool) whole() bool { return t.Content.Any() && t.Output == nil }

// silent reports whether the handler returns nothing but an error.
func (t *tool) silent() bool { return t.Content == nil && t.Output == nil }

// resultName is the type of what such a handler returns.
func (t *tool) resultName() string { return t.name + "Result" }

// reduced reports whether callers get another type than the handler returns.
func (t *tool) reduced() bool { return t.Published() != t.Output }

// seenName is the type of what callers of such a handler get.
func (t *tool) seenName() string {
	if t.reduced() {
		return t.name + "ViewResult"
	}
	return t.resultName()
}

// question is a typed elicitation of a tool with its Go names.
type question struct {
	*ir.Ask
	name   string // AskPlaceOrderConfirm
	params string // of the struct that the message takes its fields from; empty for the tool's input, or none
	form   string // of the struct that the user fills in
}

// resource is a resource or a template with its Go names.
type resource struct {
	*ir.Resource
	name string // Item for item
}

// uriName is the constant that holds the URI, or the template.
func (r *resource) uriName() string {
	if r.Template != nil {
		return "Template" + r.name
	}
	return "URI" + r.name
}

// prompt is a prompt with its Go names.
type prompt struct {
	*ir.Prompt
	name string // ReviewOrder for review_order
}

// completer is the method that completes a field.
func completer(owner, field string) string { return "Complete" + owner + field }

// of returns the named type that t is or refers to, or nil.
func (n *names) of(t ir.Type) *namedType {
	if ref, ok := t.(*ir.Ref); ok {
		return n.byDecl[ref.Decl]
	}
	if t == n.bare {
		return nil
	}
	return n.byType[t]
}

// ownName is an identifier of the generated package.
func (n *names) ownName(name string) *jen.Statement {
	if n.pkg == "" {
		return jen.Id(name)
	}
	return jen.Qual(n.pkg, name)
}

// seenFrom lets everything that is written from now on refer to the generated package by an import path.
func (n *names) seenFrom(pkg string) {
	n.pkg = pkg
	for _, t := range n.byType {
		t.pkg = cmp.Or(t.pkg, pkg)
	}
	for _, t := range n.byDecl {
		t.pkg = cmp.Or(t.pkg, pkg)
	}
}

// under returns p as it looks from within t: t's own shape is taken for what it is, not for its name.
func (n *names) under(t *namedType) *names {
	inner := *n
	inner.bare = t.typ
	return &inner
}

// branchType returns the Go type that stands for a branch.
func (n *names) branchType(b *ir.Branch) *namedType {
	if w := n.wrappers[b]; w != nil {
		return w
	}
	return n.of(b.Type)
}

// field returns the Go name of f.
func (n *names) field(f *ir.Field) string { return n.fields[f] }

// findAlike counts the names that become the same when they are not exported, such as URL and Url.
func (n *names) findAlike() {
	names := map[string]bool{}
	for _, t := range n.types {
		names[t.name] = true
	}
	for _, t := range n.tools {
		names[t.name] = true
		for _, a := range t.asks {
			names[n.formName(t, a)] = true
		}
	}
	for _, r := range n.resources {
		names[r.name] = true
	}
	for _, o := range n.prompts {
		names[o.name] = true
	}
	for name := range names {
		n.alike[Unexported(name)]++
	}
}

// hiddenName is the identifier of what belongs to something exported and is not exported itself: reportKeys for the Keys of Report.
// Where another name differs only in capitals, the name stays as it is: keysOfURL next to keysOfUrl.
func (n *names) hiddenName(name, suffix string) string {
	if base := Unexported(name); n.alike[base] < 2 {
		return base + suffix
	}
	return strings.ToLower(suffix) + "Of" + name
}

// ownsServer reports whether the document declares an MCP server.
func (n *names) ownsServer() bool { return n.doc.Server != nil }

func (n *names) errorOf(e *ir.Error) *errorType {
	return ir.First(n.errors, func(own *errorType) bool { return own.Error == e })
}

// codedErrors lists the errors that have a code: what methods answer with.
func (n *names) codedErrors() []*errorType {
	return slices.DeleteFunc(slices.Clone(n.errors), func(e *errorType) bool { return e.OfTool })
}

// servedMethods lists the methods that a side implements. Embedded methods are never sent.
func (n *names) servedMethods(s sideNames) []*method {
	return ir.Where(n.methods, func(m *method) bool { return !m.Embedded && (m.From == s.calledBy || m.From == ir.FromBoth) })
}

func (n *names) hasConditions() bool {
	return slices.ContainsFunc(n.errors, func(e *errorType) bool { return len(e.When) > 0 })
}

// byKind parts resources with a URI of their own from templates.
func (n *names) byKind() (resources, templates []*resource) {
	isTemplate := func(r *resource) bool { return r.Template != nil }
	return ir.Where(n.resources, func(r *resource) bool { return !isTemplate(r) }), ir.Where(n.resources, isTemplate)
}

// title is what the document is called in comments.
func (n *names) title() string { return strings.TrimSuffix(n.doc.Heading(), ".") }

// hasTasks reports whether there are tools that run as tasks.
func (n *names) hasTasks() bool {
	return slices.ContainsFunc(n.tools, func(t *tool) bool { return t.Task != ir.TaskNever })
}

// progress returns the notification that reports progress, or nil.
func (n *names) progress() *method {
	name := n.doc.Protocol.Progress.Method
	return ir.First(n.servedMethods(clientSide), func(m *method) bool { return name != "" && m.Method.Name == name })
}

// patternVar is the variable that holds a regular expression, or a JSON Schema.
type patternVar struct {
	name    string
	pattern *ir.Pattern // nil if it holds schema
	schema  *ir.Conform
}

// formName is what the form of a question is called, without a suffix.
func (n *names) formName(t *tool, a *question) string { return t.name + n.namer.export(a.Name) }

// Clash is a part of a document whose Go name something else has, or that has no place there.
type Clash struct {
	Pos    diag.Pos // where `go:` resolves it: the key of what has one, the value of an enum, and otherwise the schema
	Keyed  bool     // Pos is that of a key
	Branch bool     // it is a branch of a union
	Name   string   // the Go name that it has

	site, holder site // its own, and that of what has the name
}

// clash is a name that was asked for where it is taken.
type clash struct {
	name         string
	site, holder site
}

// site is a place where `go:` can stand, and what it names there.
type site struct {
	pos    diag.Pos
	span   diag.Pos // where a clash is reported, if not at pos
	keyed  bool
	branch bool
	own    string                 // what go: spells
	take   func(name string) bool // takes the identifiers that follow from a name, and reports whether they were free
}

// tag is a member that tells a branch apart and that the branch itself does not declare: the union writes it.
type tag struct {
	property string
	member   string // as it is written
}

// constantsOf are the constants of the methods of which is reports true.
func constantsOf(methods []*method, is func(*method) bool) []jen.Code {
	return ir.Each(onWire(ir.Where(methods, is)), func(m *method) jen.Code { return jen.Id("Method" + m.name) })
}

// onWire leaves out methods whose name on the wire is that of an earlier one.
func onWire(methods []*method) []*method {
	seen := map[string]bool{}
	return ir.Where(methods, func(m *method) bool {
		known := seen[m.OnWire()]
		seen[m.OnWire()] = true
		return !known
	})
}

// shares reports whether other streams have the name of m on the wire.
func (n *names) shares(m *method) bool {
	return m.Items != nil && slices.ContainsFunc(n.methods, func(o *method) bool { return o != m && o.OnWire() == m.OnWire() })
}

// formName is the variable that says how the items of a stream travel.
func formName(m *method) string { return "form" + m.name }
