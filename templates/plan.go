package templates

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// A plan decides, once and before anything is emitted, what everything of a document is called in Go and in which form it is
// held there: naming fills it first, then finder. Emitters only look things up in it, and each is a type of its own.
type plan struct {
	doc     *ir.Document
	types   []*named // of this package, each owner before the types that lie in it
	methods []*method
	errors  []*errorType // those of tools, too

	tools     []*tool
	resources []*resource
	prompts   []*prompt
	strict    map[*named]bool // types whose decoders can refuse unknown members

	byType   map[ir.Type]*named       // every type with a Go name, of this package and of imported ones
	byDecl   map[*ir.Decl]*named      // every declaration, likewise
	fields   map[*ir.Field]string     // Go names of fields
	values   map[*ir.EnumValue]string // Go names of enum constants
	wrappers map[*ir.Branch]*named    // types that exist only to be a branch
	bindings map[string]bool          // import paths of the packages that types are bound to
	checks   map[*named]bool          // which types have rules to check
	waiting  *waiting                 // while checks is found out

	patterns     map[*named][]patternVar // of this package, by the type they are written in
	patternNames map[ir.Rule]string

	half    Half // what is generated
	schemas bool // with the JSON Schemas of params
	compact bool // codecs only where calls need them, and nothing for encoding/json
	needs   map[*named]needs
	fast    map[*named]bool  // of a compact codec, what reads and writes itself as in the full one
	walks   map[*named]bool  // structs with a WalkJSON
	walked  map[*named]needs // the ways that a Walker takes their values
	spared  map[*named]bool  // enumerations that nothing but a Walker checks
	bare    ir.Type          // a type that is not to be called by its name; see under
	namer   namer
	diags   diag.List
	alike   map[string]int // how many names differ only in the capitals that they begin with, by the unexported one
	clashes []clash
	apart   []Clash // the clashes with names that are free
}

// named is a type with a name in Go.
type named struct {
	name     string
	pkg      string // import path; empty for the package being planned
	typ      ir.Type
	meta     *ir.Meta
	decl     *ir.Decl // nil for an inline type
	what     string   // what an inline type is of what, for its documentation
	branchOf []*named // the unions of the same package that it is a branch of
	isError  bool
}

// method is a request or notification with its Go names.
type method struct {
	*ir.Method
	name string // AB for a/b
}

// errorType is a declared error with its Go names.
type errorType struct {
	*ir.Error
	name string // XError
	code string // CodeX; empty if it is of a tool, and has none
	data *named // its fields, when data are inline fields; else nil
}

// newPlan plans doc. The diagnostics say what cannot be named; the plan is of no use when there are errors among them.
func newPlan(doc *ir.Document) *plan {
	p := &plan{
		doc:      doc,
		byType:   map[ir.Type]*named{},
		byDecl:   map[*ir.Decl]*named{},
		fields:   map[*ir.Field]string{},
		values:   map[*ir.EnumValue]string{},
		wrappers: map[*ir.Branch]*named{},
		checks:   map[*named]bool{},
		bindings: map[string]bool{},
	}
	seen := map[*ir.Document]bool{}
	for _, imp := range doc.Imports {
		p.planImported(imp, seen)
	}
	n := naming{plan: p, scope: map[string]diag.Span{}}
	n.document(doc)
	p.findAlike()
	found := &finder{p}
	found.findChecks()
	found.findStrict()
	found.namePatterns()
	return p
}

// planImported plans the names of an imported document, and what it imports in turn.
func (p *plan) planImported(imp *ir.Import, seen map[*ir.Document]bool) {
	if imp.Doc == nil || seen[imp.Doc] {
		return
	}
	seen[imp.Doc] = true
	for _, inner := range imp.Doc.Imports {
		p.planImported(inner, seen)
	}
	own, diags := *p, p.diags
	n := naming{plan: &own, scope: map[string]diag.Span{}, pkg: imp.GoPath}
	own.types, own.methods, own.errors = nil, nil, nil
	own.tools, own.resources, own.prompts = nil, nil, nil
	n.document(imp.Doc)
	p.diags = diags // the faults of an imported file are reported when that file is compiled
}

// of returns the named type that t is or refers to, or nil.
func (p *plan) of(t ir.Type) *named {
	if ref, ok := t.(*ir.Ref); ok {
		return p.byDecl[ref.Decl]
	}
	if t == p.bare {
		return nil
	}
	return p.byType[t]
}

// under returns p as it looks from within t: t's own shape is taken for what it is, not for its name.
func (p *plan) under(t *named) *plan {
	inner := *p
	inner.bare = t.typ
	return &inner
}

// branchType returns the Go type that stands for a branch.
func (p *plan) branchType(b *ir.Branch) *named {
	if w := p.wrappers[b]; w != nil {
		return w
	}
	return p.of(b.Type)
}

// field returns the Go name of f.
func (p *plan) field(f *ir.Field) string { return p.fields[f] }

// bound returns the existing Go type that t is bound to.
func bound(t ir.Type) (ir.GoName, bool) {
	for {
		ref, ok := t.(*ir.Ref)
		if !ok {
			return ir.GoName{}, false
		}
		if ref.Decl.Go.Bound() {
			return ref.Decl.Go, true
		}
		t = ref.Decl.Type
	}
}

// contextual reports whether t is a union that no decoder can decide: it is kept as its JSON text.
func contextual(t ir.Type) bool {
	u, ok := t.(*ir.Union)
	if !ok {
		return false
	}
	_, ok = u.Decide.(*ir.ByContext)
	return ok
}

// form is how a field is held in its struct.
type form uint8

const (
	formPlain    form = iota // T: always there
	formDefault              // T: filled in when absent
	formNil                  // T whose nil is absent: slice, map, interface
	formPointer              // *T: nil is absent
	formOpt                  // runtime.Opt[T]
	formConst                // nothing: the codec writes and checks it
	formOptConst             // bool: whether the constant is there
)

func formOf(f *ir.Field) form {
	_, isBound := bound(f.Type)
	isBound = isBound || f.Go.Bound()
	if _, ok := ir.Underlying(f.Type).(*ir.Literal); ok && !isBound {
		if f.Optional && f.Default == nil {
			return formOptConst
		}
		return formConst
	}
	switch {
	case !f.Optional:
		return formPlain
	case f.Default != nil:
		return formDefault
	case isBound:
		return formPointer
	}
	switch ir.Underlying(f.Type).(type) {
	case *ir.List, *ir.Map, *ir.Bytes:
		return formNil
	case *ir.Union:
		if contextual(ir.Underlying(f.Type)) {
			return formOpt
		}
		return formNil
	case *ir.Struct, *ir.Tuple:
		return formPointer
	}
	return formOpt
}

// requiredFields lists the indices of the fields that must be there.
func requiredFields(s *ir.Struct) []int {
	var all []int
	for i, f := range s.Fields {
		if !f.Optional {
			all = append(all, i)
		}
	}
	return all
}

// keys joins the names of the fields of s, newline-separated.
func keys(s *ir.Struct) string {
	all := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		all[i] = f.Name
	}
	return strings.Join(all, "\n")
}

// hasDefaults reports whether a struct has fields that are filled in.
func hasDefaults(s *ir.Struct) bool {
	return slices.ContainsFunc(s.Fields, func(f *ir.Field) bool { return formOf(f) == formDefault })
}
