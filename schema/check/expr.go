package check

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// resolver reads type expressions: it finds what names stand for.
type resolver struct {
	d      *draft
	names  *names
	unions *decider
	asBase map[*ir.Ref]bool // the uses of names under extends
}

func quote(text string) string { return strconv.Quote(text) }

// builtin returns a new type of a built-in name.
func builtin(name string, at ir.At) (ir.Type, bool) {
	if name == "object" {
		return mapOf(at, &ir.Any{At: at}), true
	}
	if s := ir.First(ir.Scalars, func(s *ir.ScalarInfo) bool { return s.Name == name }); s != nil && name != "" {
		return s.New(at), true
	}
	if format := ir.FormatOf(name); format.Name != "" {
		rule := &ir.Format{RuleAt: ir.RuleAt{Pos: at.Pos}, Name: format.Name}
		return &ir.String{At: at, Rules: []ir.Rule{rule}}, true
	}
	return nil, false
}

// expression lowers a type expression.
func (c *resolver) expression(n *syntax.Node) ir.Type {
	if n.IsEmpty() {
		c.d.report(diag.WrongKind, n.Span, "write a type such as string, or any", "a type is missing here")
		return c.d.brokenType(n.Span.Pos)
	}
	e, fault := syntax.ParseExpr(n)
	if fault != nil {
		if advice := adviceOnType(n.Text); advice != "" {
			fault.Help = advice
		}
		c.d.add(*fault)
		return c.d.brokenType(n.Span.Pos)
	}
	return c.exprType(e)
}

func (c *resolver) exprType(e *syntax.Expr) ir.Type {
	at := ir.At{Pos: e.Span.Pos}
	switch e.Kind {
	case syntax.ListExpr:
		return &ir.List{At: at, Elem: c.exprType(e.Args[0])}
	case syntax.MapExpr:
		return mapOf(at, c.exprType(e.Args[0]))
	case syntax.AltExpr:
		branches := ir.Each(e.Args, func(arg *syntax.Expr) *ir.Branch {
			return &ir.Branch{Meta: ir.Meta{Pos: arg.Span.Pos}, Type: c.exprType(arg)}
		})
		return c.unions.alternatives(at, branches, e.Span)
	}
	return c.name(e)
}

// name resolves a name, built-in or declared.
func (c *resolver) name(e *syntax.Expr) ir.Type {
	at := ir.At{Pos: e.Span.Pos}
	if t, ok := builtin(e.Name, at); ok {
		return t
	}
	switch {
	case e.Name == "null":
		return &ir.Literal{At: at, Value: ir.Value{Pos: at.Pos, Kind: ir.Null, Text: "null"}}
	case e.Name == "array" || e.Name == "list":
		return &ir.List{At: at, Elem: &ir.Any{At: at}}
	case e.Name == "map":
		return mapOf(at, &ir.Any{At: at})
	case strings.Contains(e.Name, "."):
		return c.importedName(e)
	}
	return c.localRef(e.Name, e.Span)
}

func (c *resolver) localRef(name string, at diag.Span) ir.Type {
	d, ok := c.names.types[name]
	if !ok {
		help := cmp.Or(c.adviceOnType(name), c.d.suggest(name, c.names.typeNames))
		c.d.report(diag.UnknownType, at, help, "unknown type %q", name)
		return c.d.brokenType(at.Pos)
	}
	return c.ref(&ir.Ref{At: ir.At{Pos: at.Pos}, Decl: d.decl}, at)
}

// importedName resolves alias.Type.
func (c *resolver) importedName(e *syntax.Expr) ir.Type {
	alias, name, _ := strings.Cut(e.Name, ".")
	from, ok := c.names.imports[alias]
	if !ok {
		at := e.Span
		at.Len = min(at.Len, max(1, len(alias)))
		help := cmp.Or(adviceOnType(e.Name), diag.DidYouMean(alias, c.names.aliases()), "name its file under import")
		c.d.report(diag.UnknownAlias, at, help, "%q is not imported", alias)
		return c.d.brokenType(e.Span.Pos)
	}
	c.names.loadModule(from)
	from.used = true
	if from.entry.Doc == nil {
		return c.d.brokenType(e.Span.Pos) // its file has faults of its own
	}
	for _, decl := range from.entry.Doc.Types {
		if decl.Name == name {
			return c.ref(&ir.Ref{At: ir.At{Pos: e.Span.Pos}, Decl: decl, Import: from.entry}, e.Span)
		}
	}
	help := c.d.suggest(e.Name, c.names.typeNames)
	if help == "" && from.entry.Builtin {
		help = "the module has the types that tools, resources and prompts exchange; declare others in this file"
	}
	c.d.report(diag.UnknownType, e.Span, help, "unknown type %q", e.Name)
	return c.d.brokenType(e.Span.Pos)
}

// ref rejects a mixin, which has no type of its own. Whether it is one is known once everything is lowered.
func (c *resolver) ref(r *ir.Ref, at diag.Span) ir.Type {
	c.d.settle(func() {
		if r.Decl.Mixin && !c.asBase[r] {
			c.d.report(diag.MixinAsType, at, "use it under extends, or remove mixin: true", "%q is a mixin, which is not a type of its own", r.Decl.Name)
		}
	})
	return r
}
