package templates

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// naming gives everything in one document its Go name. A name depends on the path to the thing alone, so that a new sibling
// renames nothing; two things that come out alike are a fault of the schema, resolved with `go:`.
type naming struct {
	claims
	names  *names
	namer  namer
	pkg    string // import path of the package; empty for the one that is generated
	rename map[string]*rename
}

// rename is an entry of go.rename and whether it was of use.
type rename struct {
	ir.Rename
	used bool
}

// nameDocument adds what doc declares to all names, as the package with the import path pkg. It returns what cannot be named.
func nameDocument(all *names, doc *ir.Document, pkg string) (diag.List, []Clash) {
	all.namer = newNamer(doc.Naming.Initialisms)
	n := &naming{claims{scope: map[string]diag.Span{}, sites: map[string]site{}, fields: map[*ir.Field]site{}}, all, all.namer, pkg, map[string]*rename{}}
	n.document(doc)
	return n.diags, n.apart()
}

func (n *naming) document(doc *ir.Document) {
	for _, r := range doc.Naming.Rename {
		n.rename[r.From] = &rename{Rename: r}
	}
	for _, namesOf := range reservedNames {
		for _, name := range namesOf(doc) {
			n.scope[name] = diag.Span{}
		}
	}
	for _, d := range doc.Types {
		if !d.Mixin && !d.Go.Bound() {
			t := &namedType{name: n.name(d.Name, &d.Meta), pkg: n.pkg, typ: d.Type, meta: &d.Meta, decl: d}
			n.claim(t.name, d.Name, n.at(d.Pos, t.name, "", ""))
			n.names.byDecl[d] = t
		}
	}
	for _, d := range doc.Types {
		switch {
		case d.Go.Bound():
			n.names.bindings[d.Go.Import] = true
		case d.Mixin:
			n.inside(d.Type, n.name(d.Name, &d.Meta))
		default:
			t := n.names.byDecl[d]
			n.add(t)
			n.inside(d.Type, t.name)
		}
	}
	for _, e := range doc.Errors {
		n.error(e)
	}
	for _, m := range doc.Methods {
		n.method(m)
	}
	n.mcp(doc)
	n.expose(doc.Exposed)
	functions := map[string]bool{}
	for _, t := range n.names.types {
		n.functions(t, functions)
		n.branches(t)
	}
	for _, t := range n.names.types {
		t.branchOf = outer(t, nil)
		if u, ok := t.typ.(*ir.Union); ok {
			t.left = map[*namedType][]tag{}
			n.names.findTags(u, t.left, nil)
		}
	}
	for _, r := range doc.Naming.Rename {
		if e := n.rename[r.From]; !e.used {
			n.fault(diag.OverrideUnmatched, r.Pos, len(r.From), fmt.Sprintf("go.rename names %q, which nothing is called", r.From),
				"take the entry out, or write the name as the schema does")
			e.used = true
		}
	}
}

func (n *naming) add(t *namedType) {
	n.names.types = append(n.names.types, t)
	if t.kind() != kindAlias { // what an alias stands for is not called by its name: that would go round in a circle
		n.names.byType[t.typ] = t
	}
	n.constants(t)
}

// name derives the identifier of name, unless the author chose one.
func (n *naming) name(name string, meta *ir.Meta) string {
	if r := n.rename[name]; r != nil {
		r.used = true
		return r.To
	}
	if meta.Go.Name != "" {
		return meta.Go.Name
	}
	s := n.namer.export(name)
	if !token.IsIdentifier(s) {
		n.fault(diag.InvalidGoName, meta.Pos, len(name), fmt.Sprintf("no Go name can be made of %q", name), "give it one with go:")
		return "X"
	}
	return s
}

// inline names a type that is written where it is used, and what lies in it; what says what it is of what.
func (n *naming) inline(t ir.Type, name, what string, meta *ir.Meta) {
	n.inlineAt(t, name, what, meta, site{pos: t.Position(), own: name, take: n.take})
}

// payload is inline for what is written as fields without a place for go, where there is some: where its name is taken, what has the name can get another.
func (n *naming) payload(t ir.Type, name, what string, at diag.Pos) {
	if t == nil {
		return
	}
	where := n.sites[name]
	where.span = t.Position()
	n.inlineAt(t, name, what, &ir.Meta{Pos: at}, where)
}

// inlineAt is inline for a type that can be given another name at a site.
func (n *naming) inlineAt(t ir.Type, name, what string, meta *ir.Meta, at site) {
	if n.names.byType[t] != nil {
		return // comes from a base, which has named it
	}
	if note := noteOf(t); note != nil {
		meta = note
	}
	if meta.Go.Name != "" && !meta.Go.Bound() && noteOf(t) != nil {
		name = meta.Go.Name
	}
	if declares(t) {
		n.claim(name, name, at)
		own := &namedType{name: name, pkg: n.pkg, typ: t, meta: &ir.Meta{Pos: t.Position(), Doc: meta.Doc, Deprecated: meta.Deprecated}, what: what}
		n.add(own)
		n.inside(t, name)
		return
	}
	if null, ok := t.(*ir.Nullable); ok {
		n.inlineAt(null.Elem, name, what, meta, at)
		return
	}
	n.element(t, name, what, meta)
}

// element names what a list or a map holds, or what is null otherwise.
func (n *naming) element(t ir.Type, name, what string, meta *ir.Meta) {
	switch elem := ir.Elem(t); {
	case elem == nil:
	case ir.IsArray(t):
		n.inline(elem, name+"Item", "an element of "+what, meta)
	default:
		n.inline(elem, name+"Value", "a value of "+what, meta)
	}
}

// noteOf returns what the author said of a type itself.
func noteOf(t ir.Type) *ir.Meta {
	if declares(t) {
		return ir.NoteOf(t)
	}
	return nil
}

// inside names what lies in the type called name.
func (n *naming) inside(t ir.Type, name string) {
	switch t := t.(type) {
	case *ir.Union:
		held := heldWith(t)
		for _, b := range t.Branches {
			n.branch(b, name, held)
		}
	default:
		if ir.HasFields(t) {
			n.members(t, name, methodsOfTypes)
		}
		n.element(t, name, name, &ir.Meta{Pos: t.Position()})
	}
}

// members names the fields of a struct or a tuple, and the types written in them.
func (n *naming) members(t ir.Type, owner string, methods map[string]bool) {
	what, holds := "field", "additional members"
	further := "a further member of "
	if ir.IsArray(t) {
		what, holds, further = "element", "further elements", "a further element of "
	}
	var fields []*ir.Field
	var others ir.Type
	for part := range ir.Parts(t) {
		if part.Field != nil {
			fields = append(fields, part.Field)
		} else {
			others = part.Type
		}
	}
	taken := n.fieldNames(fields, what, owner, methods)
	if others == nil {
		return
	}
	rest := restOf(t)
	if f := taken[rest]; f != nil {
		n.clashOfField(f, "the field "+rest+" holds "+holds, "give this one another name with go:", n.ofField(f, rest, owner, taken, nil))
	}
	n.inline(others, owner+rest, further+owner, &ir.Meta{Pos: t.Position()})
}

// fieldNames names fields of the type owner, which what says they are, and the types written in them.
func (n *naming) fieldNames(fields []*ir.Field, what, owner string, methods map[string]bool) map[string]*ir.Field {
	taken := map[string]*ir.Field{}
	for _, f := range fields {
		if f.Go.Bound() {
			n.names.bindings[f.Go.Import] = true
		}
		name := n.names.fields[f]
		if name == "" {
			name = cmp.Or(f.Go.Name, n.namer.member(f.Name))
			if r := n.rename[f.Name]; r != nil {
				r.used = true
				name = r.To
			}
			n.names.fields[f] = name
		}
		from := owner
		if f.From != nil {
			from = n.namer.export(f.From.Name)
			if base := n.names.byDecl[f.From]; base != nil {
				from = base.name
			}
		}
		at := n.ofField(f, name, from, taken, methods)
		if form := formOf(f); form != formConst {
			n.checkFieldName(f, name, taken, methods, at)
		}
		n.inlineAt(f.Type, from+name, "the "+what+" "+f.Name+" of "+from, &f.Meta, at)
	}
	return taken
}

// checkFieldName checks that a field's name is one, and the only one of its struct.
func (n *naming) checkFieldName(f *ir.Field, name string, taken map[string]*ir.Field, methods map[string]bool, at site) {
	switch other := taken[name]; {
	case !token.IsIdentifier(name):
		n.clash(diag.Diagnostic{Code: diag.InvalidGoName, Span: diag.Span{Pos: f.Pos, Len: len(f.Name)},
			Message: fmt.Sprintf("no Go name can be made of %q", f.Name), Help: "give it one with go:"}, name, at)
	case methods[name], methodsOfTypes[name]:
		n.clashOfField(f, fmt.Sprintf("%q becomes %s in Go, which is a method of the generated type", f.Name, name), "give it another name with go:", at)
	case other != nil:
		n.clash(diag.Diagnostic{
			Code: diag.GoNameClash, Span: diag.Span{Pos: f.Pos, Len: len(f.Name)},
			Message: fmt.Sprintf("%q and %q both become %s in Go", other.Name, f.Name, name),
			Help:    "give one of them another name with go:",
			Related: []diag.Related{{Span: diag.Span{Pos: other.Pos, Len: len(other.Name)}, Message: "other declaration of " + name}},
		}, name, at)
		n.clashes[len(n.clashes)-1].holder = n.fields[other]
	}
	taken[name] = f
}

// branch names a branch of the union called owner: a struct that is declared in this package, or a scalar that is, stands for
// itself; anything else gets a type of its own, and so does one that held says is a branch with other rules as well.
func (n *naming) branch(b *ir.Branch, owner string, held map[*ir.Decl][][]ir.Rule) {
	if n.standsForItself(b.Type) && len(held[b.Type.(*ir.Ref).Decl]) < 2 {
		return
	}
	name := cmp.Or(b.Go.Name, owner+n.namer.export(b.Name))
	if _, ok := b.Type.(*ir.Ref); !ok {
		n.inlineAt(b.Type, name, "a branch of "+owner, &b.Meta, n.ofBranch(b, name))
		if n.names.byType[b.Type] != nil {
			return
		}
	}
	n.wrap(b.Type, b, owner, name)
}

// wrap names a type that exists only to be a branch.
func (n *naming) wrap(t ir.Type, b *ir.Branch, owner, name string) {
	n.claim(name, b.Name, n.ofBranch(b, name))
	w := &namedType{name: name, pkg: n.pkg, typ: t, meta: &b.Meta, what: "a branch of " + owner}
	n.names.types = append(n.names.types, w)
	n.names.wrappers[b] = w
	if _, ok := t.(*ir.Ref); !ok {
		n.names.byType[t] = w
	}
	n.inside(t, name)
}

// standsForItself reports whether a branch of type t needs no wrapper: it is a type declared in this package that can have methods.
func (n *naming) standsForItself(t ir.Type) bool {
	ref, ok := t.(*ir.Ref)
	if !ok {
		return false
	}
	own := n.names.byDecl[ref.Decl]
	return own != nil && own.pkg == n.pkg && (!isAlias(ref.Decl.Type) || isChecked(ref.Decl.Type))
}

// sameRule reports whether two rules admit the same values.
func sameRule(a, b ir.Rule) bool { return ir.Implies(a, b) && ir.Implies(b, a) }

// heldWith returns the lists of rules that the branches of u, and the branches of its branches, have at each declared type. A list is
// there once, and may be empty.
func heldWith(u *ir.Union) map[*ir.Decl][][]ir.Rule {
	held, seen := map[*ir.Decl][][]ir.Rule{}, map[*ir.Union]bool{}
	var visit func(u *ir.Union)
	visit = func(u *ir.Union) {
		if seen[u] {
			return
		}
		seen[u] = true
		for _, b := range u.Branches {
			ref, ok := b.Type.(*ir.Ref)
			if inner, nested := ir.Underlying(b.Type).(*ir.Union); nested {
				visit(inner)
			} else if ok && !slices.ContainsFunc(held[ref.Decl], func(other []ir.Rule) bool { return slices.EqualFunc(other, ref.Rules, sameRule) }) {
				held[ref.Decl] = append(held[ref.Decl], ref.Rules)
			}
		}
	}
	visit(u)
	return held
}

// functions claims what is declared along with a type whose methods it would be if it could have any. What a union has is claimed whether or
// not it is needed: a rule that is added to a branch takes nobody's name.
func (n *naming) functions(t *namedType, claimed map[string]bool) {
	var prefixes []string
	switch typ := t.typ.(type) {
	case *ir.Union:
		if ir.IsContextual(typ) {
			return
		}
		prefixes = []string{"Append", "Decode", "Check"}
		if typ.Open {
			prefixes = append(prefixes, "Unknown")
		}
	case *ir.Struct:
		if hasDefaults(typ) && !t.isError {
			prefixes = []string{"Default"}
		}
	}
	for _, prefix := range prefixes {
		if id := prefix + t.name; !claimed[id] { // otherwise it is reported that two types have one name
			claimed[id] = true
			n.claim(id, t.name, n.sites[t.name])
		}
	}
}

// branches records in each branch the unions that it is one of.
func (n *naming) branches(union *namedType) {
	u, ok := union.typ.(*ir.Union)
	if !ok || ir.IsContextual(u) {
		return
	}
	for _, b := range u.Branches {
		t := n.names.branchType(b)
		t.branchOf = append(t.branchOf, union)
	}
}

// outer adds to found the unions that t is a branch of, and those that they are branches of in turn: a value of t can be held as any of them.
func outer(t *namedType, found []*namedType) []*namedType {
	for _, u := range t.branchOf {
		if !slices.Contains(found, u) {
			found = outer(u, append(found, u))
		}
	}
	return found
}

// constants claims the names of an enum's values.
func (n *naming) constants(t *namedType) {
	e, ok := t.typ.(*ir.Enum)
	if !ok {
		return
	}
	taken := map[string]bool{}
	for i := range e.Values {
		v := &e.Values[i]
		name := cmp.Or(v.Go.Name, t.name+n.namer.constant(v.Value, i, func(suffix string) bool { return !taken[t.name+suffix] }))
		taken[name] = true
		n.names.values[v] = name
		n.claimOr(name, v.Value.Text, "write the enum as a mapping and give this value another name with go: ("+strconv.Quote(v.Value.Text)+": {go: Name}), or the other thing",
			site{pos: v.Value.Pos, own: name, take: n.take})
	}
}

func (n *naming) error(e *ir.Error) {
	base := n.name(e.Name, &e.Meta)
	own := &errorType{Error: e, name: base + "Error"}
	n.claim(own.name, e.Name, n.at(e.Pos, base, "", "Error"))
	if !e.OfTool {
		own.code = "Code" + base
		n.claim(own.code, e.Name, n.at(e.Pos, base, "Code", ""))
	}
	if s, ok := e.Data.(*ir.Struct); ok {
		own.data = &namedType{name: own.name, pkg: n.pkg, typ: s, meta: &e.Meta, isError: true}
		n.names.types = append(n.names.types, own.data)
		n.names.byType[s] = own.data
		n.members(s, own.name, methodsOfErrors)
	} else {
		n.payload(e.Data, own.name+"Data", "the data of "+own.name, e.Pos)
	}
	n.names.errors = append(n.names.errors, own)
}

func (n *naming) method(m *ir.Method) {
	own := &method{Method: m, name: n.name(m.Name, &m.Meta)}
	n.claim("Method"+own.name, m.Name, n.at(m.Pos, own.name, "Method", ""))
	if n.names.ownsServer() && m.From != ir.FromServer {
		n.takeHandler(own.name, m.Name, n.at(m.Pos, own.name, "Server.", ""))
	}
	n.reportCall(own)
	n.names.methods = append(n.names.methods, own)
	if m.Name == n.names.doc.Protocol.Progress.Method {
		for _, name := range []string{withReports + own.name, own.name + reporterFrom, own.name + reporterOfAny} {
			n.claim(name, m.Name, n.at(m.Pos, own.name, "Method", ""))
		}
	}
	n.payload(m.Params, own.name+"Params", "the params of "+m.Name, m.Pos)
	n.payload(m.Result, own.name+"Result", "the result of "+m.Name, m.Pos)
	if m.Items != nil {
		n.claim(own.name+streamOf, m.Name, n.at(m.Pos, own.name, "", streamOf))
		n.claim(encodesItem+own.name, m.Name, n.at(m.Pos, own.name, encodesItem, ""))
		n.claim("Method"+opensStream+own.name, m.Name, n.at(m.Pos, own.name, "Method"+opensStream, "")) // as another method of clients would
		n.payload(m.Items.Type, own.name+"Item", "an item of "+m.Name, m.Pos)
	}
}

// expose names the functions that say what methods and tools have below x-* keys.
func (n *naming) expose(keys []ir.Key) {
	for _, key := range keys {
		own := extension{key, n.name(strings.TrimPrefix(key.Name, "x-"), &ir.Meta{Pos: key.Pos})}
		n.claim(own.name+ofMethod, key.Name, n.at(key.Pos, own.name, "", ofMethod))
		n.claim(own.name+ofTool, key.Name, n.at(key.Pos, own.name, "", ofTool))
		n.names.exposed = append(n.names.exposed, own)
	}
}

// mcp names what a document declares for MCP.
func (n *naming) mcp(doc *ir.Document) {
	for _, t := range doc.Tools {
		n.tool(t)
	}
	for _, r := range doc.Resources {
		n.resource(r)
	}
	for _, p := range doc.Prompts {
		n.prompt(p)
	}
}

// takeHandler takes a method of the interface that a server implements.
func (n *naming) takeHandler(name, what string, at site) { n.claim("Server."+name, what, at) }

func (n *naming) tool(t *ir.Tool) {
	own := &tool{Tool: t, name: n.name(t.Name, &t.Meta)}
	at := n.at(t.Pos, own.name, "Tool", "")
	n.claim("Tool"+own.name, t.Name, at)
	n.takeHandler(own.name, t.Name, n.at(t.Pos, own.name, "Server.", ""))
	if t.Task != ir.TaskNever {
		n.takeHandler("Start"+own.name, "the task of "+t.Name, at)
		n.takeHandler(own.name+"Task", "the task of "+t.Name, at)
	}
	n.payload(t.Input, own.name+"Input", "the input of the tool "+t.Name, t.Pos)
	n.payload(t.Output, own.name+"Output", "the output of the tool "+t.Name, t.Pos)
	if own.reduced() {
		n.payload(t.Published(), own.name+"View", "what callers of the tool "+t.Name+" get", t.Pos)
	}
	if own.mixed() {
		n.claim(own.resultName(), "the result of the tool "+t.Name, at)
		if own.reduced() {
			n.claim(own.seenName(), "what callers of the tool "+t.Name+" get", at)
		}
	}
	for _, e := range t.Errors {
		if e.OfTool && !slices.ContainsFunc(n.names.errors, func(own *errorType) bool { return own.Error == e }) {
			n.error(e)
		}
	}
	for _, a := range t.Asks {
		if a.Name != "" {
			own.asks = append(own.asks, n.question(own, a))
		}
	}
	n.names.tools = append(n.names.tools, own)
}

func (n *naming) question(t *tool, a *ir.Ask) *question {
	base := t.name + n.namer.export(a.Name)
	own := &question{Ask: a, name: "Ask" + base, form: base + "Form"}
	n.claim(own.name, a.Name, n.at(a.Pos, own.name, "", ""))
	what := "the question " + a.Name + " of the tool " + t.Name
	n.inline(a.Form, own.form, "what the user fills in for "+what, &ir.Meta{Pos: a.Pos})
	if a.Params != nil {
		own.params = base + "Params"
		n.inline(a.Params, own.params, "what the message of "+what+" speaks of", &ir.Meta{Pos: a.Pos})
	}
	return own
}

func (n *naming) resource(r *ir.Resource) {
	own := &resource{Resource: r, name: n.name(r.Name, &r.Meta)}
	at := n.at(r.Pos, own.name, "URI", "")
	n.claim(own.uriName(), r.Name, at)
	n.takeHandler("Read"+own.name, r.Name, at)
	if r.Template != nil {
		n.claim(own.name+"URI", r.Name, at)
		n.inline(r.Params, own.name+"Params", "the variables of the template "+r.Name, &ir.Meta{Pos: r.Pos})
		n.completions(own.name, r.Params)
	}
	n.inline(r.Content, own.name+"Content", "the content of the resource "+r.Name, &ir.Meta{Pos: r.Pos})
	n.names.resources = append(n.names.resources, own)
}

func (n *naming) prompt(p *ir.Prompt) {
	own := &prompt{Prompt: p, name: n.name(p.Name, &p.Meta)}
	n.claim("Prompt"+own.name, p.Name, n.at(p.Pos, own.name, "Prompt", ""))
	n.takeHandler(own.name, p.Name, n.at(p.Pos, own.name, "Server.", ""))
	if p.Arguments != nil {
		n.inline(p.Arguments, own.name+"Arguments", "the arguments of the prompt "+p.Name, &ir.Meta{Pos: p.Pos})
		n.completions(own.name, p.Arguments)
	}
	n.names.prompts = append(n.names.prompts, own)
}

func (n *naming) completions(owner string, s *ir.Struct) {
	for _, f := range s.Fields {
		if f.Complete {
			n.takeHandler(completer(owner, n.names.fields[f]), f.Name, n.at(f.Pos, n.names.fields[f], "Server.Complete"+owner, ""))
		}
	}
}

// reportCall reports a method whose name is that of a method of the clients that call it, or of their batches.
func (n *naming) reportCall(m *method) {
	of, taken := methodsOfStubs[m.name]
	if !taken || m.Embedded || !n.names.doc.Protocol.Batch {
		return
	}
	at := n.at(m.Pos, m.name, "Method", "")
	take := at.take
	at.take = func(name string) bool { return methodsOfStubs[name] == "" && take(name) }
	n.clash(diag.Diagnostic{
		Code: diag.GoNameClash, Span: diag.Span{Pos: m.Pos, Len: len(m.Name)},
		Message: strconv.Quote(m.Name) + " becomes " + m.name + " in Go, which is a method of the generated " + of, Help: "give it another name with go:",
	}, m.name, at)
}

// newNames names everything in doc. The names are of no use when there are errors among the diagnostics.
func newNames(doc *ir.Document) *names {
	n := &names{
		doc:          doc,
		byType:       map[ir.Type]*namedType{},
		byDecl:       map[*ir.Decl]*namedType{},
		fields:       map[*ir.Field]string{},
		values:       map[*ir.EnumValue]string{},
		wrappers:     map[*ir.Branch]*namedType{},
		bindings:     map[string]bool{},
		alike:        map[string]int{},
		patterns:     map[*namedType][]patternVar{},
		patternNames: map[ir.Rule]string{},
	}
	n.addImported(doc, map[*ir.Document]bool{})
	n.diags, n.apart = nameDocument(n, doc, "")
	n.findAlike()
	n.namePatterns()
	return n
}

// addImported adds the names of the documents that doc imports, and of what these import in turn. Their faults are reported when they are compiled.
func (n *names) addImported(doc *ir.Document, seen map[*ir.Document]bool) {
	for _, imp := range doc.Imports {
		if imp.Doc == nil || seen[imp.Doc] {
			continue
		}
		seen[imp.Doc] = true
		n.addImported(imp.Doc, seen)
		own := *n // what is looked up is shared, and lists are not
		own.doc = imp.Doc
		nameDocument(&own, imp.Doc, imp.GoPath)
	}
}
