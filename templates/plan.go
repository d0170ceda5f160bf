package templates

import "github.com/rpcgen-go/rpcgen/schema/ir"

// plan is what is decided of a document before anything is written, each value by one phase from those before it. Writers only look things up.
type plan struct {
	names *names
	forms *forms
	needs *needs
}

// newPlan plans doc.
func newPlan(doc *ir.Document, opts Options) plan {
	n := newNames(doc)
	f := newForms(n)
	return plan{n, f, newNeeds(n, f, opts)}
}

// newNames names everything in doc. The names are of no use when there are errors among the diagnostics.
func newNames(doc *ir.Document) *names {
	n := &names{
		doc:          doc,
		byType:       map[ir.Type]*named{},
		byDecl:       map[*ir.Decl]*named{},
		fields:       map[*ir.Field]string{},
		values:       map[*ir.EnumValue]string{},
		wrappers:     map[*ir.Branch]*named{},
		bindings:     map[string]bool{},
		alike:        map[string]int{},
		patterns:     map[*named][]patternVar{},
		patternNames: map[ir.Rule]string{},
	}
	n.addImported(doc, map[*ir.Document]bool{})
	n.diags, n.apart = nameDocument(n, doc, "")
	n.findAlike()
	n.namePatterns()
	return n
}

// addImported adds the names of the documents that doc imports, and of what these import in turn. Their faults are reported when they
// are compiled.
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
