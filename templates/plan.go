package templates

import "github.com/rpcgen-go/rpcgen/schema/ir"

// plan is what is decided of a document before anything is written, each value by one phase from those before it. Writers only look things up.
type plan struct {
	names *names
	forms *forms
	needs *needs
	flush func() // makes text of the declarations of a file now and then
}

// newPlan plans doc.
func newPlan(doc *ir.Document, opts Options) plan {
	n := newNames(doc)
	f := newForms(n)
	return plan{n, f, newNeeds(n, f, opts), func() {}}
}
