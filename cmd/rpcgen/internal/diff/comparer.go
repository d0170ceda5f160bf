package diff

import (
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// comparer compares two documents and what they import.
type comparer struct {
	pairs              []documents // the compared documents; the first are those that were asked for
	names              func(*ir.Document) Names
	named              map[*ir.Document]Names
	types              map[*ir.Decl]*ir.Decl     // new declarations to the old ones that they are compared with
	methods            map[*ir.Method]*ir.Method // likewise
	errors             map[*ir.Error]*ir.Error   // likewise
	tools              map[*ir.Tool]*ir.Tool     // likewise
	resources          map[*ir.Resource]*ir.Resource
	prompts            map[*ir.Prompt]*ir.Prompt
	calls              map[any]*ir.Method // tools, resources and prompts as methods
	declared           map[*ir.Method]any // and back
	order              map[*ir.Method]int
	reachOld, reachNew *reach
	models             bool
	changes            []*Change
	opened             map[[2]*ir.Decl]bool       // see moved
	listed             map[*ir.Error][]*ir.Method // see listing
	called             []use                      // see callees
	doc                documents                  // what is being compared
}

// documents are the two editions of one file.
type documents struct {
	old, new *ir.Document
	alias    string // what leads its paths; empty: the file that was asked for
	module   bool   // it is a module of the language
}

func newComparer(before, after *ir.Document, names func(*ir.Document) Names) *comparer {
	c := &comparer{
		names: names, named: map[*ir.Document]Names{},
		types: map[*ir.Decl]*ir.Decl{}, methods: map[*ir.Method]*ir.Method{}, errors: map[*ir.Error]*ir.Error{},
		tools: map[*ir.Tool]*ir.Tool{}, resources: map[*ir.Resource]*ir.Resource{}, prompts: map[*ir.Prompt]*ir.Prompt{},
		calls: map[any]*ir.Method{}, declared: map[*ir.Method]any{},
		order:  map[*ir.Method]int{},
		opened: map[[2]*ir.Decl]bool{},
		models: forModels(before) || forModels(after),
	}
	c.pairDocuments(documents{before, after, "", false}, map[*ir.Document]bool{})
	for _, p := range c.pairs {
		c.match(p)
	}
	c.findReach()
	return c
}

// pairDocuments pairs imports by path, then by alias.
func (c *comparer) pairDocuments(p documents, seen map[*ir.Document]bool) {
	if seen[p.new] || seen[p.old] {
		return
	}
	seen[p.new], seen[p.old] = true, true
	c.pairs = append(c.pairs, p)
	for _, i := range p.new.Imports {
		if o := counterpart(p.old.Imports, i); o != nil && o.Doc != nil && i.Doc != nil { // nil: a module of which nothing is used
			c.pairDocuments(documents{o.Doc, i.Doc, p.alias + i.Alias + ".", o.Builtin && i.Builtin}, seen)
		}
	}
}

func counterpart(imports []*ir.Import, i *ir.Import) *ir.Import {
	for _, o := range imports {
		if o.Path == i.Path {
			return o
		}
	}
	for _, o := range imports {
		if o.Alias == i.Alias {
			return o
		}
	}
	return nil
}

// findReach finds who carries what in either schema.
func (c *comparer) findReach() {
	var before, after []*ir.Document
	oldPair, newPair := map[*ir.Method]*ir.Method{}, map[*ir.Method]*ir.Method{}
	for _, p := range c.pairs {
		before, after = append(before, p.old), append(after, p.new)
		for _, m := range c.callsOf(p.new) {
			c.order[m] = len(c.order)
			if o := c.methods[m]; o != nil {
				oldPair[o], newPair[m] = m, m
			}
		}
	}
	c.reachOld, c.reachNew = c.newReach(before, oldPair), c.newReach(after, newPair)
}

// of returns the names of a document.
func (c *comparer) of(doc *ir.Document) Names {
	if c.named[doc] == nil {
		c.named[doc] = c.names(doc)
	}
	return c.named[doc]
}

func (c *comparer) oldNames() Names { return c.of(c.doc.old) }
func (c *comparer) newNames() Names { return c.of(c.doc.new) }

// documents compares every pair of documents.
func (c *comparer) documents() {
	for _, p := range c.pairs {
		if p.module {
			continue // it is of the compiler, which is one
		}
		c.doc = p
		c.head()
		c.compareServer()
		c.compareMethods()
		c.compareTools()
		c.compareResources()
		c.comparePrompts()
		c.compareErrors()
		c.compareTypes()
	}
}

// path leads the path of a part of the current document.
func (c *comparer) path(section, name string) string { return section + "/" + c.doc.alias + name }
