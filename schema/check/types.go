package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/foreign"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// typeChecker lowers types, and the fields, elements and branches within them.
type typeChecker struct {
	d           *draft
	doc         *ir.Document
	names       *names
	refs        *resolver
	rules       *ruleChecker
	values      *valueChecker
	unions      *decider
	copied      int  // fields that structs took over from their bases
	mayComplete bool // the fields being lowered are arguments that a server may complete
}

// place is where a schema stands, which decides which keys it may have in addition to its type.
type place uint8

const (
	inner      place = iota // a list element, a union branch, additional
	declaredAs              // under types
	fieldOf                 // a field
	branchOf                // a branch of a union or an element of a tuple, which keeps its own description
)

// grammar is what the table of keys calls the place.
func (p place) grammar() grammar.Where {
	switch p {
	case declaredAs:
		return grammar.Declared
	case fieldOf:
		return grammar.Field
	}
	return grammar.Inner
}

// form is what decides the type of a mapping.
type form uint8

const (
	byType form = iota // type alone, or nothing
	byObject
	byList
	byTuple
	byMap
	byUnion
	byRef
	byEnum
	byConst
)

// forms lists the keys of every form. The keys of two forms exclude each other, except `type`, which belongs to all.
var forms = []struct {
	form form
	keys []string
}{
	{byObject, []string{"fields", "properties", "required", "extends", "allOf", "require", "additional", "additionalProperties"}},
	{byList, []string{"items", "list"}},
	{byTuple, []string{"tuple", "rest"}},
	{byMap, []string{"map"}},
	{byUnion, []string{"union", "anyOf", "oneOf"}},
	{byRef, []string{"$ref"}},
	{byEnum, []string{"enum"}},
	{byConst, []string{"const"}},
}

// lower gives a declaration its type. What it extends is lowered first, so that fields can be flattened.
func (c *typeChecker) lower(d *declaration) {
	if d.state != declared {
		return
	}
	d.state = lowering
	d.decl.Meta = c.d.meta(d.node, d.key.Span.Pos)
	d.decl.Type = c.schema(d.node, declaredAs)
	if d.node.Kind == syntax.Mapping {
		if e := d.node.Entry("mixin"); e != nil {
			d.decl.Mixin = c.d.boolean(*e)
			c.d.settle(func() {
				if _, ok := ir.Underlying(d.decl.Type).(*ir.Struct); d.decl.Mixin && !ok {
					c.d.report(diag.NotAnObject, d.key.Span, "give it fields", "the mixin %q has no fields", d.decl.Name)
				}
			})
		}
		d.decl.Examples = c.values.examples(d.node, func() ir.Type { return d.decl.Type })
	}
	d.state = lowered
}

// schema lowers a schema: a type expression, or a mapping.
func (c *typeChecker) schema(n *syntax.Node, where place) ir.Type {
	switch n.Kind {
	case syntax.Scalar:
		return c.refs.expression(n)
	case syntax.Sequence:
		c.d.report(diag.WrongKind, n.Span, "write a type such as list<string>, or a mapping", "a schema must be a type or a mapping, not a list")
		return c.d.brokenType(n.Span.Pos)
	}
	c.schemaKeys(n, where)
	t := c.form(n)
	if where == inner {
		c.note(n, t)
	}
	return t
}

// note keeps what an author says of a type that nothing else carries the words for.
func (c *typeChecker) note(n *syntax.Node, t ir.Type) {
	m := c.d.meta(n, n.Span.Pos)
	if m.Doc == "" && m.Title == "" && m.Deprecated == nil && m.Go == (ir.GoName{}) && m.Ext == nil {
		return
	}
	ir.Annotate(t, &m)
}

// schemaKeys reports the keys of a schema that are unknown, cannot be compiled, or stand in the wrong place.
func (c *typeChecker) schemaKeys(n *syntax.Node, where place) {
	for _, e := range n.Entries {
		key := e.Key.Text
		switch known, word := grammar.SchemaKey(key), jsonschema.KeywordOf(key); {
		case known == nil && word.Name != "" && word.Role != jsonschema.Definition:
			help := "use type: any, with x-schema to publish it"
			if key == "prefixItems" {
				help = "write tuple: [A, B] for an array of an A and a B, and rest: for further elements"
			}
			c.d.report(diag.UnsupportedKeyword, e.Key.Span, help, "%q cannot become a Go type", key)
		case known == nil && !grammar.IsExtension(key):
			c.unknownSchemaKey(n, e)
		case known != nil && !known.Allowed(where.grammar()):
			c.d.report(diag.MisplacedKey, e.Key.Span, known.Belongs, "%q means nothing here", key)
		}
	}
}

func (c *typeChecker) unknownSchemaKey(n *syntax.Node, e syntax.Entry) {
	help := cmp.Or(foreign.Advice(foreign.InSchema, writtenEntry(e, n)), diag.DidYouMean(e.Key.Text, grammar.SchemaKeys()),
		"fields of an object stand below fields:")
	c.d.report(diag.UnknownKey, e.Key.Span, help, "unknown key %q in a schema", e.Key.Text)
}

// form lowers a mapping by the form that its keys have.
func (c *typeChecker) form(n *syntax.Node) ir.Type {
	at := ir.At{Pos: n.Span.Pos}
	kind, ok := c.formOf(n)
	if !ok {
		return c.d.brokenType(at.Pos)
	}
	base, nullable := c.refs.typeKey(n)
	t := c.formType(n, at, kind, base)
	c.unusedKeys(n, kind, t)
	t = c.rules.rules(n, t)
	if nullable {
		return &ir.Nullable{At: at, Elem: t}
	}
	return t
}

func (c *typeChecker) formType(n *syntax.Node, at ir.At, kind form, base ir.Type) ir.Type {
	switch kind {
	case byObject:
		return c.object(n, at, base)
	case byList:
		return c.list(n, at, base)
	case byTuple:
		c.wantType(n, base, isList, "a tuple is an array: remove type")
		return c.tuple(n, at)
	case byMap:
		c.wantType(n, base, isMap, "map is a form of its own: remove type")
		return mapOf(at, c.schema(n.Get("map"), inner))
	case byUnion:
		c.wantType(n, base, nil, "a union is a form of its own: remove type")
		return c.union(n, at)
	case byRef:
		c.wantType(n, base, nil, "the type is the one that $ref names: remove type")
		return c.refs.jsonRef(n.Get("$ref"))
	case byEnum:
		return c.values.enum(n, at, base)
	case byConst:
		return c.values.constant(n, at, base)
	}
	if base == nil {
		return c.typeOfNone(n, at)
	}
	return base
}

// typeOfNone is a schema that says no type: anything, as in JSON Schema.
func (c *typeChecker) typeOfNone(n *syntax.Node, at ir.At) ir.Type {
	for _, e := range n.Entries {
		if family := familyOf(e.Key.Text); family != noFamily {
			c.d.report(diag.MissingKey, e.Key.Span, "say type: "+family.example(), "a rule needs a type")
			return c.d.brokenType(at.Pos)
		}
	}
	return &ir.Any{At: at}
}

// formOf finds the form of a mapping and reports keys of two.
func (c *typeChecker) formOf(n *syntax.Node) (form, bool) {
	var first *syntax.Node
	found := byType
	for _, e := range n.Entries {
		for _, f := range forms {
			if !slices.Contains(f.keys, e.Key.Text) {
				continue
			}
			if first != nil && found != f.form {
				c.d.collide(diag.ConflictingKeys, e.Key.Span, "keep one of the two",
					quote(e.Key.Text)+" and "+quote(first.Text)+" exclude each other", first.Span, quote(first.Text))
				return byType, false
			}
			if first == nil {
				first, found = e.Key, f.form
			}
		}
	}
	return found, true
}

// typeKey lowers `type`: an expression, or JSON Schema's list of kinds. A null among them is kept apart.
func (c *resolver) typeKey(n *syntax.Node) (t ir.Type, nullable bool) {
	e := n.Entry("type")
	if e == nil {
		return nil, false
	}
	switch e.Value.Kind {
	case syntax.Scalar:
		t = c.expression(e.Value)
	case syntax.Sequence:
		t = c.typeList(*e)
	default:
		c.d.report(diag.WrongKind, e.Key.Span, "write type: object and fields:, or name the type under types", "type must name a type, not be a mapping")
		return c.d.brokenType(e.Key.Span.Pos), false
	}
	if null, ok := t.(*ir.Nullable); ok {
		return null.Elem, true
	}
	return t, false
}

func (c *resolver) typeList(e syntax.Entry) ir.Type {
	at := ir.At{Pos: e.Value.Span.Pos}
	branches := ir.Each(c.d.words(e), func(item *syntax.Node) *ir.Branch {
		return &ir.Branch{Meta: ir.Meta{Pos: item.Span.Pos}, Type: c.expression(item)}
	})
	if len(branches) == 0 {
		if len(e.Value.Items) == 0 {
			c.d.report(diag.WrongKind, valueSpan(e), "write a type such as string", "type names no type")
		}
		return c.d.brokenType(at.Pos)
	}
	return c.unions.alternatives(at, branches, e.Value.Span)
}

// wantType reports a `type` that contradicts the form of the type.
func (c *typeChecker) wantType(n *syntax.Node, base ir.Type, fits func(ir.Type) bool, help string) {
	if base == nil || fits != nil && fits(base) {
		return
	}
	c.d.report(diag.ConflictingKeys, valueSpan(*n.Entry("type")), help, "type contradicts the other keys")
}

func mapOf(at ir.At, elem ir.Type) ir.Type { return &ir.Map{At: at, Elem: elem} }

// isMap and isList report whether t is object, map, array or list without the type of what it holds, which other keys say.
func isMap(t ir.Type) bool  { m, ok := t.(*ir.Map); return ok && isBare(&m.At, m.Elem) }
func isList(t ir.Type) bool { l, ok := t.(*ir.List); return ok && isBare(&l.At, l.Elem) }

func isBare(at *ir.At, elem ir.Type) bool {
	held, ok := elem.(*ir.Any)
	return ok && held.Pos.Line == at.Pos.Line && held.Pos.Col == at.Pos.Col
}

// unusedKeys reports keys that belong to another form than the one at hand.
func (c *typeChecker) unusedKeys(n *syntax.Node, kind form, t ir.Type) {
	for _, e := range n.Entries {
		switch key := e.Key.Text; key {
		case "by", "in", "absent":
			if kind != byUnion {
				c.d.report(diag.MisplacedKey, e.Key.Span, key+" belongs to union", "%q means nothing here", key)
			}
		case "open":
			_, isEnum := t.(*ir.Enum)
			if kind != byUnion && kind != byEnum && !isEnum {
				c.d.report(diag.MisplacedKey, e.Key.Span, "open belongs to enum or union", "%q means nothing here", key)
			}
		}
	}
}

func (c *typeChecker) list(n *syntax.Node, at ir.At, base ir.Type) ir.Type {
	c.wantType(n, base, isList, "write type: array, or remove type")
	elem := n.Entry("items")
	if list := n.Entry("list"); list != nil {
		if elem != nil {
			c.d.report(diag.ConflictingKeys, elem.Key.Span, "keep one of the two", "list and items are the same")
		}
		elem = list
	}
	return &ir.List{At: at, Elem: c.schema(elem.Value, inner)}
}

// jsonRef resolves JSON Schema's reference to a definition of this file.
func (c *resolver) jsonRef(n *syntax.Node) ir.Type {
	if n.Kind == syntax.Scalar {
		for _, prefix := range []string{"#/types/", "#/$defs/", "#/definitions/"} {
			if name, ok := strings.CutPrefix(n.Text, prefix); ok && !strings.Contains(name, "/") {
				return c.localRef(name, n.Within(len(prefix), len(name)))
			}
		}
	}
	if name, ok := strings.CutPrefix(n.Text, "#/components/schemas/"); ok { // of OpenAPI and OpenRPC
		c.d.report(diag.RemoteRef, n.Span, "write $ref: '#/types/"+name+"', with "+name+" declared under types", "$ref %s is not a definition of this file", sourceText(n))
		return c.d.brokenType(n.Span.Pos)
	}
	c.d.report(diag.RemoteRef, n.Span, "declare it under types and write #/types/Name; or use type: any with x-schema to publish it",
		"$ref %s is not a definition of this file", sourceText(n))
	return c.d.brokenType(n.Span.Pos)
}
