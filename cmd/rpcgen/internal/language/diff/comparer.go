package diff

import (
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// comparer compares two documents, with all that they declare. What comes before is done once for a schema and what it imports: pairing
// says what is compared with what, traffic which messages carry it, and recorder judges and keeps each change.
type comparer struct {
	*recorder
	pairing *pairing
	types   *typeComparer
	calls   *callComparer
	names   bothNames
	doc     documents
}

// bothNames are the names of two documents in Go.
type bothNames struct{ old, new Names }

// newComparer makes what compares one pair of documents.
func newComparer(c *recorder, p documents, names func(*ir.Document) Names) *comparer {
	matched, both := c.traffic.pairing, bothNames{names(p.old), names(p.new)}
	types := &typeComparer{c, matched, both}
	return &comparer{c, matched, types, &callComparer{c, matched, types, both, p}, both, p}
}

// documents compares the two documents.
func (c *comparer) documents() {
	c.head()
	c.compareServer()
	eachPair(c.calls.pairing.methods, c.calls.doc.old.Methods, c.calls.doc.new.Methods, c.calls.methodGone, c.calls.method, c.calls.methodAdded)
	c.calls.compareTools()
	c.calls.compareResources()
	c.calls.comparePrompts()
	c.compareErrors()
	eachPair(c.pairing.types, c.doc.old.Types, c.doc.new.Types, c.typeGone, c.declaration, c.typeAdded)
}

// callComparer compares what is called: methods, tools, resources and prompts of two documents.
type callComparer struct {
	*recorder
	pairing *pairing
	types   *typeComparer
	names   bothNames
	doc     documents
}
