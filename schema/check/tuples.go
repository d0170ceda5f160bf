package check

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// tuple lowers `tuple`: a list of types, or names with types. What a list has is called by its position.
func (c *typeChecker) tuple(n *syntax.Node, at ir.At) ir.Type {
	e := n.Entry("tuple")
	if e == nil {
		c.d.report(diag.MissingKey, n.Entry("rest").Key.Span, "add tuple: [A, B]; a list of equal elements is list<T>", "rest belongs to tuple")
		return c.d.brokenType(at.Pos)
	}
	t := &ir.Tuple{At: at, Items: c.items(*e)}
	if rest := n.Get("rest"); rest != nil {
		t.Rest = c.schema(rest, inner)
	}
	if len(t.Items) == 0 {
		return c.d.brokenType(at.Pos)
	}
	return t
}

// items lowers the elements of a tuple; none when there is a fault.
func (c *typeChecker) items(e syntax.Entry) (all []*ir.Field) {
	const help = "write [A, B], or name: type"
	switch n := len(e.Value.Entries) + len(e.Value.Items); {
	case e.Value.Kind == syntax.Scalar:
		c.d.sequence(e, help)
	case n == 0:
		c.d.report(diag.WrongKind, e.Key.Span, help, "the tuple has no elements")
	case n > grammar.MostMembers:
		c.d.report(diag.TooLarge, e.Value.Span, "use list<any>", "the tuple has more than %d elements", grammar.MostMembers)
	case e.Value.Kind == syntax.Mapping:
		return c.elements(e.Value)
	}
	if len(e.Value.Items) <= grammar.MostMembers {
		for i, item := range e.Value.Items {
			all = append(all, c.element(item, ir.Ordinal(i), item.Span.Pos))
		}
	}
	return all
}

// elements lowers `name: schema` and `name?: schema`.
func (c *typeChecker) elements(n *syntax.Node) []*ir.Field {
	var all []*ir.Field
	seen := map[string]*syntax.Node{}
	for _, e := range n.Entries {
		name, optional := strings.CutSuffix(e.Key.Text, "?")
		switch first := seen[name]; {
		case !c.d.wireName(e.Key, name, "an element"):
			continue
		case first != nil:
			c.d.collide(diag.DuplicateField, e.Key.Span, "give each its own name",
				"the element "+quote(name)+" is already there", first.Span, "other "+quote(name))
			continue
		}
		seen[name] = e.Key
		f := c.element(e.Value, name, e.Key.Span.Pos)
		f.Optional = optional
		if !optional && len(all) > 0 && all[len(all)-1].Optional {
			c.d.report(diag.InvalidTuple, e.Key.Span, "write "+quote(name+"?")+", or remove the ? of those before it",
				"the element %q follows one that may be missing: only the last elements of an array may be", name)
		}
		all = append(all, f)
	}
	return all
}

func (c *typeChecker) element(n *syntax.Node, name string, at diag.Pos) *ir.Field {
	f := &ir.Field{Name: name, Type: c.schema(n, branchOf)}
	f.Meta = c.d.meta(n, at)
	return f
}
