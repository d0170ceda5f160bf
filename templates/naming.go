package templates

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// naming gives everything in one document its Go name. A name depends on the path to the thing alone, so that a new sibling
// renames nothing; two things that come out alike are a fault of the schema, resolved with `go:`.
type naming struct {
	*plan
	pkg    string               // import path of the package; empty for the one being planned
	scope  map[string]diag.Span // identifiers of the package and where they come from
	sites  map[string]site      // and where they can be given others
	rename map[string]*rename
	server bool // the document declares an MCP server
}

// rename is an entry of go.rename and whether it was of use.
type rename struct {
	ir.Rename
	used bool
}

func (n *naming) document(doc *ir.Document) {
	n.namer = newNamer(doc.Naming.Initialisms)
	n.rename, n.sites = map[string]*rename{}, map[string]site{}
	for _, r := range doc.Naming.Rename {
		n.rename[r.From] = &rename{Rename: r}
	}
	n.server = doc.Server != nil
	for _, a := range artefacts {
		for _, name := range a.reserved(doc) {
			n.scope[name] = diag.Span{}
		}
	}
	for _, d := range doc.Types {
		if !d.Mixin && !d.Go.Bound() {
			n.declare(d)
		}
	}
	for _, d := range doc.Types {
		switch {
		case d.Go.Bound():
			n.bindings[d.Go.Import] = true
		case d.Mixin:
			n.inside(d.Type, n.name(d.Name, &d.Meta))
		default:
			n.declared(d)
		}
	}
	for _, e := range doc.Errors {
		n.error(e)
	}
	for _, m := range doc.Methods {
		n.method(m)
	}
	n.mcp(doc)
	functions := map[string]bool{}
	for _, t := range n.types {
		n.functions(t, functions)
		n.branches(t)
	}
	for _, t := range n.types {
		t.branchOf = outer(t, nil)
	}
	for _, r := range doc.Naming.Rename {
		if e := n.rename[r.From]; !e.used {
			n.fault(diag.OverrideUnmatched, r.Pos, len(r.From), fmt.Sprintf("go.rename names %q, which nothing is called", r.From),
				"take the entry out, or write the name as the schema does")
			e.used = true
		}
	}
	n.resolve()
}

// declare gives a declaration its name, before anything refers to it.
func (n *naming) declare(d *ir.Decl) {
	t := &named{name: n.name(d.Name, &d.Meta), pkg: n.pkg, typ: d.Type, meta: &d.Meta, decl: d}
	n.claim(t.name, d.Name, n.at(d.Pos, t.name, "", ""))
	n.byDecl[d] = t
}

// declared adds a declaration to the types of the package, and what lies in it.
func (n *naming) declared(d *ir.Decl) {
	t := n.byDecl[d]
	n.add(t)
	n.inside(d.Type, t.name)
}

func (n *naming) add(t *named) {
	n.types = append(n.types, t)
	if t.kind() != kindAlias { // what an alias stands for is not called by its name: that would go round in a circle
		n.byType[t.typ] = t
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
	s := n.namer.exported(name)
	if !token.IsIdentifier(s) {
		n.fault(diag.InvalidGoName, meta.Pos, len(name), fmt.Sprintf("no Go name can be made of %q", name), "give it one with go:")
		return "X"
	}
	return s
}

// claim takes an identifier of the package for what a site names.
func (n *naming) claim(id, what string, at site) {
	n.claimOr(id, what, "give one of them another name with go:", at)
}

// claimOr takes an identifier of the package, or reports that it is taken, with help.
func (n *naming) claimOr(id, what, help string, at site) {
	first, taken := n.scope[id]
	span := diag.Span{Pos: at.pos, Len: len(what)}
	if at.span.Valid() {
		span.Pos = at.span
	}
	if !taken {
		n.scope[id], n.sites[id] = span, at
		return
	}
	d := diag.Diagnostic{
		Code: diag.GoNameClash, Span: span,
		Message: fmt.Sprintf("%q becomes %s in Go, which is taken", what, id), Help: help,
	}
	if first.Valid() {
		d.Related = []diag.Related{{Span: first, Message: "other declaration of " + id}}
	}
	n.clash(d, id, at)
}

// clash reports a name that cannot be had.
func (n *naming) clash(d diag.Diagnostic, name string, at site) {
	n.diags = append(n.diags, d)
	n.clashes = append(n.clashes, clash{name, at})
}

func (n *naming) fault(code diag.Code, pos diag.Pos, length int, message, help string) {
	n.diags = append(n.diags, diag.Diagnostic{
		Code: code, Span: diag.Span{Pos: pos, Len: length}, Message: message, Help: help,
	})
}

// inline names a type that is written where it is used, and what lies in it; what says what it is of what.
func (n *naming) inline(t ir.Type, name, what string, meta *ir.Meta) {
	n.inlineAt(t, name, what, meta, n.ofSchema(t, name))
}

// payload is inline for what is written as fields without a place for go: where its name is taken, what has the name can get another.
func (n *naming) payload(t ir.Type, name, what string, at diag.Pos) {
	where := n.sites[name]
	where.span = t.Position()
	n.inlineAt(t, name, what, &ir.Meta{Pos: at}, where)
}

// inlineAt is inline for a type that can be given another name at a site.
func (n *naming) inlineAt(t ir.Type, name, what string, meta *ir.Meta, at site) {
	if n.byType[t] != nil {
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
		own := &named{name: name, pkg: n.pkg, typ: t, meta: &ir.Meta{Pos: t.Position(), Doc: meta.Doc, Deprecated: meta.Deprecated}, what: what}
		n.add(own)
		n.inside(t, name)
		return
	}
	switch t := t.(type) {
	case *ir.Nullable:
		n.inlineAt(t.Elem, name, what, meta, at)
	case *ir.List:
		n.inline(t.Elem, name+"Item", "an element of "+what, meta)
	case *ir.Map:
		n.inline(t.Elem, name+"Value", "a value of "+what, meta)
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
	case *ir.Struct:
		n.members(t, name, methodsOfTypes)
	case *ir.Tuple:
		n.elements(t, name)
	case *ir.Nullable:
		n.inline(t.Elem, name+"Value", "a value of "+name, &ir.Meta{Pos: t.Position()})
	case *ir.List:
		n.inline(t.Elem, name+"Item", "an element of "+name, &ir.Meta{Pos: t.Position()})
	case *ir.Map:
		n.inline(t.Elem, name+"Value", "a value of "+name, &ir.Meta{Pos: t.Position()})
	case *ir.Union:
		held := heldWith(t)
		for _, b := range t.Branches {
			n.branch(b, name, held)
		}
	}
}

// members names the fields of a struct, and the types written in them.
func (n *naming) members(s *ir.Struct, owner string, methods map[string]bool) {
	taken := n.fieldNames(s.Fields, "field", owner, methods)
	if s.Additional == ir.AdditionalKept {
		if f := taken["Extra"]; f != nil {
			n.clashOfField(f, "the field Extra holds additional members", "give this one another name with go:", n.ofField(f, "Extra", owner, taken, nil))
		}
		n.inline(s.Extra, owner+"Extra", "a further member of "+owner, &ir.Meta{Pos: s.Position()})
	}
}

// elements names the elements of a tuple, and the types written in them.
func (n *naming) elements(t *ir.Tuple, owner string) {
	taken := n.fieldNames(t.Items, "element", owner, methodsOfTypes)
	if t.Rest != nil {
		if f := taken["Rest"]; f != nil {
			n.clashOfField(f, "the field Rest holds further elements", "give this one another name with go:", n.ofField(f, "Rest", owner, taken, nil))
		}
		n.inline(t.Rest, owner+"Rest", "a further element of "+owner, &ir.Meta{Pos: t.Position()})
	}
}

// fieldNames names fields of the type owner, which what says they are, and the types written in them.
func (n *naming) fieldNames(fields []*ir.Field, what, owner string, methods map[string]bool) map[string]*ir.Field {
	taken := map[string]*ir.Field{}
	for _, f := range fields {
		if f.Go.Bound() {
			n.bindings[f.Go.Import] = true
		}
		name := n.fields[f]
		if name == "" {
			name = f.Go.Name
			if name == "" {
				name = n.namer.member(f.Name)
			}
			if r := n.rename[f.Name]; r != nil {
				r.used = true
				name = r.To
			}
			n.fields[f] = name
		}
		from := owner
		if f.From != nil {
			from = n.namer.exported(f.From.Name)
			if base := n.byDecl[f.From]; base != nil {
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
	}
	taken[name] = f
}

// branch names a branch of the union called owner: a struct that is declared in this package, or a scalar that is, stands for
// itself; anything else gets a type of its own, and so does one that held says is a branch with other rules as well.
func (n *naming) branch(b *ir.Branch, owner string, held map[*ir.Decl][][]ir.Rule) {
	if n.standsForItself(b.Type) && len(held[b.Type.(*ir.Ref).Decl]) < 2 {
		return
	}
	name := b.Go.Name
	if name == "" {
		name = owner + n.namer.exported(b.Name)
	}
	if _, ok := b.Type.(*ir.Ref); !ok {
		n.inlineAt(b.Type, name, "a branch of "+owner, &b.Meta, n.ofBranch(b, name))
		if n.byType[b.Type] != nil {
			return
		}
	}
	n.wrap(b.Type, b, owner, name)
}

// wrap names a type that exists only to be a branch.
func (n *naming) wrap(t ir.Type, b *ir.Branch, owner, name string) {
	n.claim(name, b.Name, n.ofBranch(b, name))
	w := &named{name: name, pkg: n.pkg, typ: t, meta: &b.Meta, what: "a branch of " + owner}
	n.types = append(n.types, w)
	n.wrappers[b] = w
	if _, ok := t.(*ir.Ref); !ok {
		n.byType[t] = w
	}
	n.inside(t, name)
}

// standsForItself reports whether a branch of type t needs no wrapper: it is a type declared in this package that can have
// methods.
func (n *naming) standsForItself(t ir.Type) bool {
	ref, ok := t.(*ir.Ref)
	if !ok {
		return false
	}
	own := n.byDecl[ref.Decl]
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
func (n *naming) functions(t *named, claimed map[string]bool) {
	var prefixes []string
	switch typ := t.typ.(type) {
	case *ir.Union:
		if contextual(typ) {
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
func (n *naming) branches(union *named) {
	u, ok := union.typ.(*ir.Union)
	if !ok || contextual(u) {
		return
	}
	for _, b := range u.Branches {
		t := n.branchType(b)
		t.branchOf = append(t.branchOf, union)
	}
}

// outer adds to found the unions that t is a branch of, and those that they are branches of in turn: a value of t can be held
// as any of them.
func outer(t *named, found []*named) []*named {
	for _, u := range t.branchOf {
		if !slices.Contains(found, u) {
			found = outer(u, append(found, u))
		}
	}
	return found
}

// constants claims the names of an enum's values.
func (n *naming) constants(t *named) {
	e, ok := t.typ.(*ir.Enum)
	if !ok {
		return
	}
	taken := map[string]bool{}
	for i := range e.Values {
		v := &e.Values[i]
		name := v.Go.Name
		if name == "" {
			name = t.name + n.namer.constant(v.Value, i, func(suffix string) bool { return !taken[t.name+suffix] })
		}
		taken[name] = true
		n.values[v] = name
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
		own.data = &named{name: own.name, pkg: n.pkg, typ: s, meta: &e.Meta, isError: true}
		n.types = append(n.types, own.data)
		n.byType[s] = own.data
		n.members(s, own.name, methodsOfErrors)
	} else if e.Data != nil {
		n.payload(e.Data, own.name+"Data", "the data of "+own.name, e.Pos)
	}
	n.errors = append(n.errors, own)
}

func (n *naming) method(m *ir.Method) {
	own := &method{Method: m, name: n.name(m.Name, &m.Meta)}
	n.claim("Method"+own.name, m.Name, n.at(m.Pos, own.name, "Method", ""))
	if n.server && m.From != ir.FromServer {
		n.handled(own.name, m.Name, n.at(m.Pos, own.name, "Server.", ""))
	}
	n.called(own)
	n.methods = append(n.methods, own)
	if m.Name == n.doc.Protocol.Progress.Method {
		for _, name := range []string{withReports + own.name, own.name + reporterFrom, own.name + reporterOfAny} {
			n.claim(name, m.Name, n.at(m.Pos, own.name, "Method", ""))
		}
	}
	if m.Params != nil {
		n.payload(m.Params, own.name+"Params", "the params of "+m.Name, m.Pos)
	}
	if m.Result != nil {
		n.payload(m.Result, own.name+"Result", "the result of "+m.Name, m.Pos)
	}
}
