// Package convert turns JSON Schemas into schemas of the language, by the position of each schema and never by the name of a key.
//
//test:by ./cmd/rpcgen/internal/source/importer
package convert

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// Converter turns JSON Schemas into schemas of the language. It goes by the position of a schema and never by the name of
// a key: the properties of an object may be called default, oneOf or items.
type Converter struct {
	Decisions Decisions
	Resolver  *source.Resolver
	Names     map[string]string          // the pointer of a definition to the name of its type
	Hoisted   map[string]string          // the pointer of a schema that stands in place to the name that it was given
	ApartAs   map[string]source.ObjectID // what these are, by their pointers; those without an entry are what stands there
	Origins   map[*yaml.Node]source.Cursor
	within    []string        // the pointers of what is converted in place of a reference, against recursion
	OfNamed   map[string]bool // unions whose branches are all objects with names, or parts of these
	Tagged    map[string]bool // unions whose branches have tags; see Tags
	Report    *report.Report
	Faults    source.Faults
	said      map[source.Fault]bool // those faults

	outlining  map[string]bool // pointers of the schemas whose fields are being converted
	Nodes      int             // that were copied of schemas which were converted already
	CanShare   bool            // definitions can be added
	copying    bool            // fields of other schemas are converted for an outline
	fieldsOnly map[string]bool // what is known of schemas that are referred to; see saysFieldsOnly
	optional   map[string]bool // pointers of the properties that may be absent

	made map[conversion]*became // what schemas became

	Converted int // schemas so far
	depth     int // of schemas without names that are being converted
}

// New returns a converter of the schemas of a document, with the work that it may do.
func New(root source.Cursor, decided Decisions, r *report.Report, work *source.Work) *Converter {
	c := &Converter{
		Decisions:  decided,
		Resolver:   source.NewResolver(root),
		Names:      map[string]string{},
		Hoisted:    map[string]string{},
		Origins:    map[*yaml.Node]source.Cursor{},
		OfNamed:    map[string]bool{},
		Tagged:     map[string]bool{},
		optional:   map[string]bool{},
		made:       map[conversion]*became{},
		said:       map[source.Fault]bool{},
		ApartAs:    map[string]source.ObjectID{},
		outlining:  map[string]bool{},
		fieldsOnly: map[string]bool{},
		Report:     r,
	}
	c.Resolver.Work = work
	return c
}

// Place is where a schema stands, which says which keys it may have in addition to its type.
type Place uint8

// The places of a schema.
const (
	Inner    Place = iota // a list element, a union branch, additional
	Declared              // a named type
	Field
)

// Fault notes what is wrong with the source, once: a schema may be converted twice.
func (c *Converter) Fault(at source.Cursor, help, format string, args ...any) {
	fault := source.Fault{Pos: at.Pos, Pointer: at.Pointer, Message: fmt.Sprintf(format, args...), Help: help}
	if !c.said[fault] {
		c.said[fault] = true
		c.Faults = append(c.Faults, &fault)
	}
}

// Schema converts a schema to a type expression, or to a mapping.
func (c *Converter) Schema(s source.Cursor, where Place) *yaml.Node {
	if c.Converted++; !c.Resolver.Work.Do(source.OfSchema) {
		return keepRaw(c, s, where)
	}
	if name, ok := c.Hoisted[s.Pointer]; ok && where != Declared && isApart(c, s) {
		n := c.use(name, s, where)
		c.Origins[n] = s
		return n
	}
	if where == Declared {
		defer func(around int) { c.depth = around }(c.depth)
		c.depth = 0
	}
	c.depth++
	defer func() { c.depth-- }()
	if c.depth == deepestTypes { // a schema of the language may not be nested deeper
		c.Report.AddOpaque(s.Pointer, fmt.Sprintf("schemas without names lie %d deep in each other", c.depth))
		return tree.Text("any")
	}
	key, once := onceKey(c, s, where)
	if was, asked := c.made[key]; asked {
		if sharesType(c, s, where, was.size) {
			return tree.Text("any") // of an attempt that is made anew
		}
		if was.kept == nil {
			was.kept = convertAgain(c, s, where)
		}
		if !c.Resolver.Work.Do(source.OfValue * sizeOfNode(was.kept, math.MaxInt)) {
			return keepRaw(c, s, where)
		}
		return copyOf(c, was.kept)
	}
	n := c.shape(s, where)
	c.Origins[n] = s
	if once && !c.copying {
		c.made[key] = &became{size: sizeOfNode(n, largestCopied)}
	}
	return n
}

// keepRaw keeps a schema raw for which no work is left: with its checks, if it is declared, and so is kept once.
func keepRaw(c *Converter, s source.Cursor, where Place) *yaml.Node {
	if where == Declared {
		n := c.Opaque(s, source.Ended)
		c.Origins[n] = s
		return n
	}
	c.Report.AddOpaque(s.Pointer, source.Ended)
	return tree.Text("any")
}

// convertAgain converts a schema that is asked for the second time, as when it was asked for first. What became of it then is not at hand: few schemas
// are asked for again, and what they become is changed where it stands, so that a copy of each would be needed.
func convertAgain(c *Converter, s source.Cursor, where Place) *yaml.Node {
	copying := c.copying
	c.copying = false
	defer func() { c.copying = copying }()
	n := c.shape(s, where)
	c.Origins[n] = s
	return n
}

// isApart reports whether a schema is the one that was given a name, and not one that was made of it and others.
func isApart(c *Converter, s source.Cursor) bool {
	of, known := c.ApartAs[s.Pointer]
	return !known || len(s.Fields) > 0 && of == s.ID()
}

// onceKey is what the result of a conversion depends on. Schemas within those without a name are converted anew, by what is around them.
func onceKey(c *Converter, s source.Cursor, where Place) (key conversion, once bool) {
	if s.Kind != ir.Object || len(s.Fields) == 0 || len(c.within) > 0 {
		return key, false
	}
	return conversion{s.Pointer, s.ID(), where}, true
}

// largestCopied is how many nodes a schema may become that is copied to where it is asked for again.
const largestCopied = 100

// mostShared bounds the schemas that become types since they are asked for again: at worst, each takes an attempt of its own.
const mostShared = 100

// sharesType reports whether a schema becomes a type of its own because it is asked for again and large.
func sharesType(c *Converter, s source.Cursor, where Place, size int) bool {
	if where == Declared || c.Decisions.Circular[s.Pointer] || !c.CanShare || len(c.Decisions.Circular) >= mostShared || size < largestCopied {
		return false
	}
	is, ok := c.Resolver.Base.Follow(strings.TrimPrefix(s.Pointer, c.Resolver.Base.Pointer))
	if !ok || len(is.Fields) != len(s.Fields) || &is.Fields[0] != &s.Fields[0] {
		return false // it is made of several
	}
	c.Decisions.Circular[s.Pointer] = true
	return true
}

// sizeOfNode counts nodes, up to a limit.
func sizeOfNode(n *yaml.Node, limit int) int {
	size := 1
	for i := 0; i < len(n.Content) && size < limit; i++ {
		size += sizeOfNode(n.Content[i], limit-size)
	}
	return size
}

// conversion is a schema of the source at a place.
type conversion struct {
	pointer string
	of      source.ObjectID
	where   Place
}

// became is what a schema became.
type became struct {
	size int        // in nodes, up to largestCopied
	kept *yaml.Node // for schemas that are asked for again; nil for those that are asked for once
}

// copyOf is a copy of what a schema became.
func copyOf(c *Converter, n *yaml.Node) *yaml.Node {
	c.Nodes++
	same := *n
	same.Content = make([]*yaml.Node, len(n.Content))
	for i, part := range n.Content {
		same.Content[i] = copyOf(c, part)
	}
	if s, ok := c.Origins[n]; ok {
		c.Origins[&same] = s
	}
	return &same
}

// use is the use of a schema that was given a name, where it stands: with its default, which is of the place.
func (c *Converter) use(name string, s source.Cursor, where Place) *yaml.Node {
	m := tree.Mapping()
	tree.Set(m, "type", tree.Text(name))
	if where == Field {
		s.Fields = slices.DeleteFunc(slices.Clone(s.Fields), func(k ir.Member) bool { return k.Name != "default" })
		c.words(m, s, where)
	}
	return Short(m, where)
}

func (c *Converter) shape(s source.Cursor, where Place) *yaml.Node {
	if s.Kind == ir.Boolean {
		if s.Text == "true" {
			return tree.Text("any")
		}
		return c.Opaque(s, "no value fits false")
	}
	if s.Kind != ir.Object {
		c.Fault(s, "", "a schema must be an object, not %s", s.Kind)
		return tree.Text("any")
	}
	if reason, ok := c.Decisions.OpaqueAt[s.Pointer]; ok && (!c.Decisions.Context[s.Pointer] || c.Decisions.Unchecked[s.Pointer] != "") {
		return c.beyondType(s, reason, where)
	}
	if c.Resolver.References().Scoped(s, c.Resolver.Work) {
		return c.Opaque(s, "what a $dynamicRef in it means depends on what refers to it")
	}
	s = withoutVacuous(s)
	m := tree.Mapping()
	if reason := c.form(m, s, where); reason != "" {
		return c.beyondType(s, reason, where)
	}
	c.words(m, s, where)
	return Short(m, where)
}

// beyondType converts a schema that no type says all of, for a reason: to fields with an additional schema if it has some, or else to a value that is kept.
func (c *Converter) beyondType(s source.Cursor, reason string, where Place) *yaml.Node {
	if n := (outliner{c}).outlineOf(s, reason, where); n != nil {
		return n
	}
	return c.Opaque(s, reason)
}

// withoutVacuous leaves out the keywords that every value fits.
func withoutVacuous(s source.Cursor) source.Cursor {
	if names, ok := s.Get("propertyNames"); ok && (isAnything(names) || len(names.Fields) == 1 && names.TextOf("type") == "string") {
		return s.Without([]string{"propertyNames"})
	}
	return s
}

// MostKept is how many values a schema may have that is kept under x-schema.
const MostKept = 10_000

// Opaque keeps a schema without a type as any, with all its checks where they can be made, and reports it. One of more than mostKept values is only reported.
func (c *Converter) Opaque(s source.Cursor, reason string) *yaml.Node {
	m := tree.Mapping()
	tree.Set(m, "type", tree.Text("any"))
	tree.SetSome(m, "description", tree.Text(s.TextOf("description")))
	unchecked := c.Decisions.Unchecked[s.Pointer]
	if unchecked == "" && c.Report.Layout != report.MetaModel {
		var v ir.Value
		if v, unchecked = c.bundleSchema(s, s.Pointer); unchecked == "" {
			tree.Set(m, "type", tree.Text(checkedType(c.rawType(s), v)))
			tree.Set(m, "schema", tree.Value(v))
			c.Report.AddChecked(s.Pointer, reason)
			return m
		}
		if unchecked == tooManyParts && (s.Has("anyOf") || s.Has("oneOf")) {
			c.Decisions.Context[s.Pointer] = true // its branches say more than nothing, in the next attempt
		}
	}
	c.Report.AddOpaque(s.Pointer, reason)
	tree.Set(m, "type", tree.Text(c.rawType(s)))
	if CanKeep(s.Value) {
		tree.Set(m, "x-schema", tree.Value(s.Value))
	}
	return m
}

// rawType is the type of a schema that is not a type of its own: text, where it admits nothing else but null.
func (c *Converter) rawType(s source.Cursor) string {
	kinds := SetOf(c.Resolver.KindsOf(s))
	switch {
	case len(kinds) == 1 && kinds["string"]:
		return "string"
	case len(kinds) == 2 && kinds["string"] && kinds["null"]:
		return "string | null"
	}
	return "any"
}

// checkedType is a raw type with a schema that checks its values: null is checked by the type alone.
func checkedType(raw string, v ir.Value) string {
	if raw != "string | null" || len(judge.SchemaFaults(v)) > 0 {
		return raw
	}
	switch fits, known := judge.ConformsSoon(v, ir.Value{Kind: ir.Null, Text: "null"}); {
	case !known:
		return "any"
	case !fits:
		return "string"
	}
	return raw
}

// longestKey is how many bytes a key may have in a schema of the language, in quotes.
const longestKey = 600

// CanKeep reports whether a value of the source can stand in a schema of the language as it is.
func CanKeep(v ir.Value) bool {
	return SizeOf(v, MostKept) < MostKept && !isDeep(v, deepestKept) && !hasLongKey(v)
}

// What a schema of the language holds may lie so deep in it: values of the source, and types without names.
const (
	deepestKept  = 80
	deepestTypes = 45
)

// isDeep reports whether values lie more than some levels deep in a value.
func isDeep(v ir.Value, levels int) bool {
	return levels < 0 || slices.ContainsFunc(v.Items, func(item ir.Value) bool { return isDeep(item, levels-1) }) ||
		slices.ContainsFunc(v.Fields, func(m ir.Member) bool { return isDeep(m.Value, levels-1) })
}

func hasLongKey(v ir.Value) bool {
	return slices.ContainsFunc(v.Items, hasLongKey) || slices.ContainsFunc(v.Fields, func(m ir.Member) bool {
		return len(strconv.Quote(m.Name)) > longestKey || hasLongKey(m.Value)
	})
}

// SizeOf counts the values within a value, up to a limit.
func SizeOf(v ir.Value, limit int) int {
	n := 1
	for i := 0; i < len(v.Items) && n < limit; i++ {
		n += SizeOf(v.Items[i], limit-n)
	}
	for i := 0; i < len(v.Fields) && n < limit; i++ {
		n += SizeOf(v.Fields[i].Value, limit-n)
	}
	return n
}

// form adds what decides the type. What it returns says why the language has no such type.
func (c *Converter) form(m *yaml.Node, s source.Cursor, where Place) string {
	if s.Kind == ir.Boolean && s.Text == "false" {
		return "no value fits false"
	}
	s = withoutVacuous(s)
	for _, keyword := range source.Beyond {
		if s.Has(keyword) {
			return keyword + " cannot become a Go type"
		}
	}
	if reason, done := c.requirements(m, s); done {
		return reason
	}
	if s.Has("const") || s.Has("enum") {
		var reason string
		if s, reason = c.fittingValues(s); reason != "" {
			return reason
		}
	}
	switch {
	case s.Has("$ref"):
		return c.reference(m, s)
	case s.Has("const"):
		return constant(m, s)
	case s.Has("enum"):
		return c.enum(m, s)
	case s.Has("allOf"):
		return c.allOf(m, s, where)
	case s.Has("anyOf") || s.Has("oneOf"):
		return c.union(m, s)
	}
	return c.kinds(m, s)
}

// Resolve finds what a reference of this document leads to.
func (c *Converter) Resolve(s source.Cursor) (target source.Cursor, ok bool) {
	target, message, help := c.Resolver.RefersTo(s)
	if message != "" {
		ref, _ := s.Get("$ref")
		c.Fault(ref, help, "%s", message)
		return source.Cursor{}, false
	}
	return target, true
}

// reference converts $ref with its siblings. Up to draft-07, nothing but words may stand there.
func (c *Converter) reference(m *yaml.Node, s source.Cursor) string {
	target, ok := c.Resolve(s)
	if !ok {
		tree.Set(m, "type", tree.Text("any")) // the fault is noted
		return ""
	}
	if c.Resolver.OnlyRef {
		for _, m := range s.Members() {
			if m.Name != "$ref" && slices.Contains(source.Checks, m.Name) {
				c.Report.Ignore(m.Pointer)
			}
		}
	} else {
		rest := s.Without(source.RuleKeywords)
		if source.HasAny(s, source.ObjectKeywords) {
			return c.combine(m, s, []source.Cursor{s.Without(source.ObjectKeywords), s.Without([]string{"$ref"})})
		}
		if t, _ := s.Get("type"); t.Kind == ir.Text && slices.Equal(c.Resolver.KindsOf(target), c.Resolver.KindsOf(s.Without([]string{"$ref"}))) &&
			t.Text != "integer" {
			rest = rest.Without([]string{"type"})
		}
		if source.HasAny(rest.Without([]string{"$ref"}), source.Checks) {
			return "$ref has another schema as a sibling"
		}
		if reason := c.Resolver.Limits(target, s); reason != "" {
			return reason
		}
	}
	if name, named := c.Names[target.Pointer]; named {
		tree.Set(m, "type", tree.Text(name))
	} else if reason := c.inPlace(m, target); reason != "" {
		return reason
	}
	if !c.Resolver.OnlyRef {
		copyRules(m, s)
	}
	return ""
}

// inPlace converts a schema that has no name of its own where it is referred to.
func (c *Converter) inPlace(m *yaml.Node, target source.Cursor) string {
	switch {
	case slices.Contains(c.within, target.Pointer):
		return "it contains itself, and has no name"
	case len(c.within) > source.Deepest:
		return "references to schemas without a name are nested too deeply"
	}
	c.within = append(c.within, target.Pointer)
	defer func() { c.within = c.within[:len(c.within)-1] }()
	n := c.Schema(target, Inner)
	if n.Kind == yaml.ScalarNode {
		tree.Set(m, "type", n)
		return ""
	}
	m.Content = append(m.Content, n.Content...)
	return ""
}
