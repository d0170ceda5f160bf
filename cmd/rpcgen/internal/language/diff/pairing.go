package diff

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// pairing says what of the old schema each part of the new one is compared with. It is complete before anything is compared.
type pairing struct {
	pairs     []documents               // the compared documents; the first are those that were asked for
	types     map[*ir.Decl]*ir.Decl     // new declarations to the old ones that they are compared with
	methods   map[*ir.Method]*ir.Method // likewise
	errors    map[*ir.Error]*ir.Error   // likewise
	tools     map[*ir.Tool]*ir.Tool     // likewise
	resources map[*ir.Resource]*ir.Resource
	prompts   map[*ir.Prompt]*ir.Prompt
	calls     map[any]*ir.Method // tools, resources and prompts as methods
	declared  map[*ir.Method]any // and back
	order     map[*ir.Method]int // the new methods in their order
	reported  map[string]bool    // see changeWords
}

// documents are the two revisions of one file.
type documents struct {
	old, new *ir.Document
	alias    string // what leads its paths; empty for the file that was asked for
	module   bool   // it is a module of the language
}

// path leads the path of a part of the documents.
func (d documents) path(section, name string) string { return section + "/" + d.alias + name }

// byPosition reports whether the params of a method may be arrays, before and after.
func (d documents) byPosition(o, n *ir.Method) bool {
	return d.old.Protocol.Positional && d.new.Protocol.Positional && o.ParamsBy != ir.ByName && n.ParamsBy != ir.ByName
}

func newPairing(before, after *ir.Document) *pairing {
	c := &pairing{
		types: map[*ir.Decl]*ir.Decl{}, methods: map[*ir.Method]*ir.Method{}, errors: map[*ir.Error]*ir.Error{},
		tools: map[*ir.Tool]*ir.Tool{}, resources: map[*ir.Resource]*ir.Resource{}, prompts: map[*ir.Prompt]*ir.Prompt{},
		calls: map[any]*ir.Method{}, declared: map[*ir.Method]any{},
		order: map[*ir.Method]int{},
	}
	c.pairDocuments(documents{before, after, "", false}, map[*ir.Document]bool{})
	for _, p := range c.pairs {
		c.match(p)
	}
	for _, p := range c.pairs {
		for _, m := range c.callsOf(p.new) {
			c.order[m] = len(c.order)
		}
	}
	return c
}

// pairDocuments pairs imports by path, then by alias.
func (c *pairing) pairDocuments(p documents, seen map[*ir.Document]bool) {
	if seen[p.new] || seen[p.old] {
		return
	}
	seen[p.new], seen[p.old] = true, true
	c.pairs = append(c.pairs, p)
	for _, i := range p.new.Imports {
		if o := counterpart(p.old.Imports, i); o != nil && o.Doc != nil && i.Doc != nil { // nil if nothing of the module is used
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

// changed reports whether both versions declare a type of a name, with other parts. That is reported where it is declared.
func (c *pairing) changed(name string) bool {
	if c.reported == nil {
		c.reported = map[string]bool{}
		for n, o := range c.types {
			if n.Name == o.Name && (!slices.Equal(features(n.Type), features(o.Type)) || !slices.EqualFunc(ir.RulesOf(n.Type), ir.RulesOf(o.Type), sameRule)) {
				c.reported[n.Name] = true
			}
		}
	}
	return c.reported[name]
}

func sameRule(a, b ir.Rule) bool { return ruleText(a) == ruleText(b) }
