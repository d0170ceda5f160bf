package check

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/foreign"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// object lowers a mapping with fields, bases, or a word on additional members. Without fields and bases it is a map.
func (c *typeChecker) object(n *syntax.Node, at ir.At, base ir.Type) ir.Type {
	c.wantType(n, base, isMap, "write type: object, or remove type")
	if t := c.soleBase(n); t != nil {
		return t
	}
	s := &ir.Struct{At: at}
	free := c.additional(n, s)
	if free && isFree(n) {
		return mapOf(at, s.Extra)
	}
	bases, inline := c.bases(n)
	own := append(inline.fields, c.ownFields(n)...)
	c.flatten(s, bases, own)
	s.Rules = append(s.Rules, inline.rules...)
	c.applyRequired(n, s, inline.required)
	if e := n.Entry("require"); e != nil {
		for _, word := range c.d.words(*e) {
			if rule := c.relation(word, s); rule != nil {
				s.Rules = append(s.Rules, rule)
			}
		}
	}
	c.headers(s)
	return s
}

// isFree reports whether an object has nothing but additional members.
func isFree(n *syntax.Node) bool {
	return !slices.ContainsFunc([]string{"fields", "properties", "required", "extends", "allOf", "require"}, func(key string) bool { return n.Get(key) != nil })
}

// soleBase handles `allOf: [X]` and no other key, which people write to describe a reference: it is X.
func (c *typeChecker) soleBase(n *syntax.Node) ir.Type {
	all := n.Get("allOf")
	if all == nil || len(all.Items) != 1 {
		return nil
	}
	for _, key := range []string{"fields", "properties", "required", "extends", "require", "additional", "additionalProperties"} {
		if n.Get(key) != nil {
			return nil
		}
	}
	return c.schema(all.Items[0], inner)
}

// additional reads what happens to members that are not named, and reports whether they are kept.
func (c *typeChecker) additional(n *syntax.Node, s *ir.Struct) bool {
	e := n.Entry("additional")
	if json := n.Entry("additionalProperties"); json != nil {
		if e != nil {
			c.d.report(diag.ConflictingKeys, json.Key.Span, "keep one of the two", "additional and additionalProperties are the same")
		}
		e = json
	}
	if e == nil {
		return false
	}
	if e.Value.Kind == syntax.Scalar && e.Value.JSON() == ir.Boolean {
		if e.Value.Text == "false" {
			s.Additional = ir.AdditionalRejected
			return false
		}
		s.Extra = &ir.Any{At: ir.At{Pos: e.Value.Span.Pos}}
	} else {
		s.Extra = c.schema(e.Value, inner)
	}
	s.Additional = ir.AdditionalKept
	return true
}

// fieldsOf lowers a mapping that is always fields, such as params.
func (c *typeChecker) fieldsOf(n *syntax.Node) *ir.Struct {
	s := &ir.Struct{At: ir.At{Pos: n.Span.Pos}}
	s.Fields = c.fields(n)
	c.headers(s)
	return s
}

func (c *typeChecker) ownFields(n *syntax.Node) []*ir.Field {
	short, long := n.Entry("fields"), n.Entry("properties")
	if short != nil && long != nil {
		c.d.collide(diag.FieldsAndProperties, long.Key.Span, "keep one spelling",
			"fields and properties may not appear together", short.Key.Span, "fields")
		return nil
	}
	switch {
	case short != nil && c.d.mapping(*short, "write name: type"):
		return c.fields(short.Value)
	case long != nil && c.d.mapping(*long, "write name: schema"):
		return c.properties(long.Value, n.Get("required"))
	}
	return nil
}

// fields lowers `name: schema` and `name?: schema`.
func (c *typeChecker) fields(n *syntax.Node) []*ir.Field {
	if !c.fewFields(n) {
		return nil
	}
	var fields []*ir.Field
	seen := map[string]*syntax.Node{}
	for _, e := range n.Entries {
		name, optional := strings.CutSuffix(e.Key.Text, "?")
		if !c.d.wireName(e.Key, name, "a field") {
			continue
		}
		if first := seen[name]; first != nil {
			c.d.collide(diag.DuplicateField, e.Key.Span, "keep one of the two",
				"the field "+quote(name)+" is already there", first.Span, "other "+quote(name))
			continue
		}
		seen[name] = e.Key
		fields = append(fields, c.field(c.presence(foreign.OfField, e), name, optional))
	}
	return fields
}

func (c *typeChecker) properties(n *syntax.Node, required *syntax.Node) []*ir.Field {
	if !c.fewFields(n) {
		return nil
	}
	names := map[string]bool{}
	if required != nil && len(required.Items) <= grammar.MostMembers {
		names = ir.Set(required.Items, textOf)
	}
	var fields []*ir.Field
	for _, e := range n.Entries {
		if c.d.wireName(e.Key, e.Key.Text, "a property") {
			fields = append(fields, c.field(c.presence(foreign.OfMember, e), e.Key.Text, !names[e.Key.Text]))
		}
	}
	return fields
}

func (c *typeChecker) fewFields(n *syntax.Node) bool {
	if len(n.Entries) > grammar.MostMembers {
		c.d.report(diag.TooLarge, n.Span, "extend smaller objects", "the object has more than %d fields", grammar.MostMembers)
		return false
	}
	return true
}

func (c *typeChecker) field(e syntax.Entry, name string, optional bool) *ir.Field {
	f := &ir.Field{Name: name, Optional: optional}
	f.Meta = c.d.meta(e.Value, e.Key.Span.Pos)
	f.Type = c.schema(e.Value, fieldOf)
	if e.Value.Kind != syntax.Mapping {
		return f
	}
	for _, key := range e.Value.Entries {
		switch key.Key.Text {
		case "default":
			c.values.defaultValue(key, f)
		case "sensitive":
			f.Sensitive = c.d.boolean(key)
		case "header":
			f.Header = c.headerKey(key, f)
		case "http":
			f.HTTP = c.d.place(key)
		case "complete":
			f.Complete = c.complete(key)
		}
	}
	f.Examples = c.values.examples(e.Value, func() ir.Type { return f.Type })
	return f
}

func (c *valueChecker) defaultValue(e syntax.Entry, f *ir.Field) {
	f.Default = &ir.Value{Pos: e.Value.Span.Pos}
	c.settle(func() {
		*f.Default = c.valueOf(e.Value, f.Type)
		if !f.Optional {
			c.report(diag.DefaultOnRequired, e.Key.Span, "make the field optional: "+f.Name+"?", "the default of a required field is never used")
			return
		}
		if c.fits(diag.InvalidDefault, e.Value, f.Type, *f.Default) && judge.Endless(f) {
			c.report(diag.InvalidDefault, e.Value.Span, "leave it out, or give the fields within it that have defaults values",
				"the default fills in itself, without end")
		}
	})
}

var headerName = text.Pattern(grammar.HeaderForm)

// noHeaderKinds are the kinds that have no one text.
var noHeaderKinds = ir.KindSet(ir.Number, ir.Array, ir.Object)

// headerKey reads the header that mirrors a field: a token of HTTP, on a field whose value has one obvious text.
func (c *typeChecker) headerKey(e syntax.Entry, f *ir.Field) string {
	name := c.d.text(e)
	if name != "" && !headerName().MatchString(name) {
		c.d.report(diag.InvalidHeader, e.Value.Span, "use letters, digits and -", "%q cannot name a header", name)
	}
	c.d.settle(func() {
		if ir.KindsOf(f.Type)&noHeaderKinds != 0 {
			c.d.report(diag.InvalidHeader, e.Key.Span, "mirror text, integers and booleans only", "a field of type %s cannot be mirrored to a header", kindWord(f.Type))
		}
	})
	return name
}

// headers reports a header that two fields of an object share: HTTP ignores case.
func (c *typeChecker) headers(s *ir.Struct) {
	seen := map[string]*ir.Field{}
	for _, f := range s.Fields {
		if f.Header == "" {
			continue
		}
		name := strings.ToLower(f.Header)
		if first := seen[name]; first != nil && first != f {
			c.d.collide(diag.InvalidHeader, point(f.Pos, len(f.Name)), "choose another name; case does not count",
				"the header "+quote(f.Header)+" is already mirrored", point(first.Pos, len(first.Name)), "from "+quote(first.Name))
		}
		seen[name] = f
	}
}

// applyRequired makes properties required that `required` names: own ones are so already, those of a base become so here.
func (c *typeChecker) applyRequired(n *syntax.Node, s *ir.Struct, inline []*syntax.Node) {
	words := inline
	if e := n.Entry("required"); e != nil {
		if fields := n.Entry("fields"); fields != nil {
			c.d.collide(diag.FieldsAndProperties, e.Key.Span, "end the keys of optional fields in ? instead",
				"required belongs to properties: fields are required unless their key ends in ?", fields.Key.Span, "fields")
			return
		}
		if !c.d.sequence(*e, "write [a, b]") {
			return
		}
		words = append(words, c.d.words(*e)...)
	}
	at := map[string]int{}
	for i, f := range s.Fields {
		at[f.Name] = i
	}
	for _, word := range words {
		i, ok := at[word.Text]
		if !ok {
			c.d.report(diag.UnknownRequired, word.Span, c.d.suggest(word.Text, func() []string { return fieldNames(s) }),
				"required names %q, which is not a property", word.Text)
			continue
		}
		if s.Fields[i].Optional {
			narrowed := *s.Fields[i]
			narrowed.Optional, narrowed.Default = false, nil
			s.Fields[i] = &narrowed
		}
	}
}

func fieldNames(s *ir.Struct) []string {
	return ir.Each(s.Fields, func(f *ir.Field) string { return f.Name })
}

// mostCopied bounds what one file may copy from bases: without it, a small file could ask for unlimited memory.
const mostCopied = 50_000
