package jsonschema

import (
	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// kindSchema is the schema of a JSON kind.
func kindSchema(kind string) *object { return with("type", text(kind)) }

// schema writes a type, with what was said of it where nothing else carries the words.
func (e *exporter) schema(t ir.Type) *object {
	s := e.shape(t)
	if note := ir.NoteOf(t); note != nil {
		return e.describe(s, note)
	}
	return s
}

func (e *exporter) shape(t ir.Type) *object {
	switch t := t.(type) {
	case *ir.Ref:
		return e.use(t)
	case *ir.Nullable:
		return nullable(e.schema(t.Elem))
	case *ir.Literal:
		return literal(t.Value)
	case *ir.Enum:
		return e.enum(t)
	case *ir.List:
		return e.addRules(kindSchema("array").and("items", e.schema(t.Elem)), t.Rules, "Items")
	case *ir.Tuple:
		return e.tuple(t)
	case *ir.Map:
		return e.addRules(kindSchema("object").and("additionalProperties", e.schema(t.Elem)), t.Rules, "Properties")
	case *ir.Struct:
		return e.structure(t)
	case *ir.Union:
		return e.union(t)
	}
	return e.scalar(t)
}

// tuple writes the schemas of elements by their position.
func (e *exporter) tuple(t *ir.Tuple) *object {
	items := make(list, len(t.Items))
	for i, f := range t.Items {
		said := f.Meta
		if said.Title == "" && f.Name != ir.Ordinal(i) {
			said.Title = f.Name
		}
		items[i] = e.describe(e.schema(f.Type), &said)
	}
	s := kindSchema("array")
	prefix, rest := "prefixItems", "items"
	if e.Draft == Draft7 {
		prefix, rest = "items", "additionalItems"
	}
	s.set(prefix, items)
	if t.Rest == nil {
		s.set(rest, raw("false"))
	} else {
		s.set(rest, e.schema(t.Rest))
	}
	e.rules(s, t.Rules, "Items")
	if least := t.Required(); least > 0 {
		s.set("minItems", integer(least))
	}
	return s
}

func (e *exporter) scalar(t ir.Type) *object {
	switch t := t.(type) {
	case *ir.Int:
		return e.integer(t)
	case *ir.Float:
		return e.float(t)
	case *ir.Bytes:
		return e.bytes(t)
	}
	s := new(object)
	if info := ir.ScalarOf(t); info != nil {
		switch kinds := info.Kinds.Words(); {
		case len(kinds) == 1:
			s = kindSchema(kinds[0])
		case info.Kinds != ir.EveryKind:
			s = with("type", texts(kinds))
		}
		if info.Format != "" {
			s.set("format", text(info.Format))
		}
	}
	return e.addRules(s, ir.RulesOf(t), "")
}

// addRules is a schema with rules added to it, see rules.
func (e *exporter) addRules(s *object, rules []ir.Rule, family string) *object {
	e.rules(s, rules, family)
	return s
}

// use refers to a named type, with the rules that are added at this use.
func (e *exporter) use(t *ir.Ref) *object {
	s := e.reference(t.Decl)
	if len(t.Rules) == 0 {
		return s
	}
	family := "Properties"
	if ir.IsArray(ir.NonNull(t)) {
		family = "Items"
	}
	if e.Draft == Draft2020 {
		return e.addRules(s, t.Rules, family)
	}
	return with("allOf", list{s, e.addRules(new(object), t.Rules, family)})
}

// nullable lets null pass as well as s. Where s is one kind with rules of that kind only, the kind says it.
func nullable(s *object) *object {
	kind, ok := s.get("type").(raw)
	for _, key := range []string{"enum", "const", "anyOf", "oneOf", "allOf", "not", "$ref"} {
		ok = ok && !s.has(key)
	}
	if ok {
		s.set("type", list{kind, text("null")})
		return s
	}
	return with("anyOf", list{s, kindSchema("null")})
}

func literal(v ir.Value) *object {
	s := kindSchema(v.Kind.String())
	if v.Kind != ir.Null {
		s.set("const", value(v))
	}
	return s
}

// enum writes values that have words of their own as constants, and others as a list. An open enum takes whatever else is of its kind.
func (e *exporter) enum(t *ir.Enum) *object {
	kind := t.Values[0].Value.Kind.String()
	plain, described := make(list, len(t.Values)), make(list, len(t.Values))
	words := false
	for i := range t.Values {
		v := &t.Values[i]
		plain[i] = value(v.Value)
		s := e.describe(with("const", value(v.Value)), &v.Meta)
		described[i], words = s, words || len(s.members) > 1
	}
	s := kindSchema(kind)
	switch {
	case t.Open && words:
		s.set("anyOf", append(described, e.anyOfKind(kind)))
	case t.Open:
		s.set("anyOf", list{with("enum", plain), e.anyOfKind(kind)})
	case words:
		s.set("oneOf", described)
	default:
		s.set("enum", plain)
	}
	return s
}

// anyOfKind is every value of an open enum: integers are held in 64 bits.
func (e *exporter) anyOfKind(kind string) *object {
	if kind == ir.Integer.String() {
		return e.integer(&ir.Int{Bits: 64})
	}
	return kindSchema(kind)
}

// integer writes the width of the type as bounds, unless the author's own are narrower. The signed 64 bits of a plain integer
// are not words of the author's, so they are written only to be exact.
func (e *exporter) integer(t *ir.Int) *object {
	s := e.addRules(kindSchema("integer"), t.Rules, "")
	if t.Bits == 64 && !t.Unsigned && !e.Exact {
		return s
	}
	low, high := t.Bounds()
	narrow(s, "minimum", "exclusiveMinimum", low, 1)
	narrow(s, "maximum", "exclusiveMaximum", high, -1)
	return s
}

// narrow adds a bound unless there is one at least as strict; inward is the direction that is stricter.
func narrow(s *object, inclusive, exclusive, limit string, inward int) {
	for _, key := range []string{inclusive, exclusive} {
		own, ok := s.get(key).(raw)
		if !ok {
			continue
		}
		a, _ := decimal.Parse(string(own))
		b, _ := decimal.Parse(limit)
		if a.Cmp(b)*inward >= 0 {
			return
		}
	}
	s.set(inclusive, raw(limit))
}

// float writes a number. Beyond float64 decoders refuse; that limit is written only to be exact.
func (e *exporter) float(t *ir.Float) *object {
	s := e.addRules(kindSchema("number"), t.Rules, "")
	if e.Exact {
		narrow(s, "minimum", "exclusiveMinimum", "-1.7976931348623157e308", 1)
		narrow(s, "maximum", "exclusiveMaximum", "1.7976931348623157e308", -1)
	}
	return s
}

// base64Text is base64 as decoders take it: RFC 4648 section 4, padded, with no bit set that says nothing.
const base64Text = `^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$`

func (e *exporter) bytes(t *ir.Bytes) *object {
	s := e.addRules(kindSchema("string").and("contentEncoding", text("base64")), t.Rules, "")
	if e.Exact {
		s.set("pattern", text(base64Text))
	}
	return s
}

func (e *exporter) structure(t *ir.Struct) *object {
	s := kindSchema("object")
	if len(t.Fields) > 0 {
		fields(s, t.Fields, e.field)
	}
	switch {
	case t.Additional == ir.AdditionalRejected, t.Additional == ir.AdditionalIgnored && e.closed && !e.foreign:
		s.set("additionalProperties", raw("false"))
	case t.Additional == ir.AdditionalKept:
		s.set("additionalProperties", e.schema(t.Extra))
	}
	return e.addRules(s, t.Rules, "Properties")
}

// fields writes the schemas of the fields of an object, and which of them it needs.
func fields(s *object, all []*ir.Field, write func(*ir.Field) *object) {
	properties := new(object)
	var required list
	for _, f := range all {
		properties.set(f.Name, write(f))
		if !f.Optional {
			required = append(required, text(f.Name))
		}
	}
	s.set("properties", properties)
	if len(required) > 0 {
		s.set("required", required)
	}
}

// fieldType writes the type of a field. That of one which is mirrored to a header stands where it is used: clients look there.
func (e *exporter) fieldType(f *ir.Field) *object {
	if e.closed && f.Header != "" {
		return e.inline(f.Type)
	}
	return e.schema(f.Type)
}

func (e *exporter) field(f *ir.Field) *object {
	s := e.describe(e.fieldType(f), &f.Meta)
	extra := new(object)
	if f.Sensitive {
		extra.set("x-sensitive", raw("true"))
	}
	if f.Header != "" {
		extra.set("x-mcp-header", text(f.Header))
	}
	if f.Default != nil {
		extra.set("default", value(*f.Default))
	}
	examples(extra, f.Examples)
	if len(extra.members) == 0 {
		return s
	}
	if e.Draft == Draft7 && s.has("$ref") {
		s = with("allOf", list{s})
	}
	s.add(extra)
	return s
}

// rules writes rules as keywords; family is what a Count counts: Items or Properties.
func (e *exporter) rules(s *object, rules []ir.Rule, family string) {
	for _, r := range rules {
		switch r := r.(type) {
		case *ir.Length:
			span(s, "Length", r.Min, r.Max)
		case *ir.Count:
			span(s, family, r.Min, r.Max)
		case *ir.Range:
			between(s, r)
		case *ir.Conform:
			e.conform(s, r)
		case *ir.Require:
			e.require(s, r)
		case *ir.Pattern:
			e.once(s, "pattern", text(ECMA(r.Expr)))
		default:
			name, v := r.Keyword()
			e.once(s, name, value(v))
		}
	}
}

func span(s *object, what string, low, high int) {
	if low > 0 {
		s.set("min"+what, integer(low))
	}
	if high >= 0 {
		s.set("max"+what, integer(high))
	}
}

func between(s *object, r *ir.Range) {
	for _, end := range []struct {
		limit                string
		isExclusive          bool
		inclusive, exclusive string
	}{{r.Min, r.ExclusiveMin, "minimum", "exclusiveMinimum"}, {r.Max, r.ExclusiveMax, "maximum", "exclusiveMaximum"}} {
		switch {
		case end.limit == "":
		case end.isExclusive:
			s.set(end.exclusive, raw(end.limit))
		default:
			s.set(end.inclusive, raw(end.limit))
		}
	}
}

// once writes a keyword; a second one of its name goes into allOf.
func (e *exporter) once(s *object, key string, v node) {
	if !s.has(key) {
		s.set(key, v)
		return
	}
	also(s, with(key, v))
}

// also asks for more than what a schema asks for.
func also(s, more *object) {
	all, _ := s.get("allOf").(list)
	s.set("allOf", append(all, more))
}

// require relates the presence of members.
func (e *exporter) require(s *object, r *ir.Require) {
	if r.How == ir.RequireImplies {
		e.dependent(s, r)
		return
	}
	key := "anyOf"
	if r.How == ir.RequireOne {
		key = "oneOf"
	}
	each := make(list, len(r.Fields))
	for i, name := range r.Fields {
		each[i] = with("required", list{text(name)})
	}
	e.once(s, key, each)
}

func (e *exporter) dependent(s *object, r *ir.Require) {
	key := "dependentRequired"
	if e.Draft == Draft7 {
		key = "dependencies"
	}
	depends := s.object(key)
	others, _ := depends.get(r.Fields[0]).(list)
	depends.set(r.Fields[0], append(others, texts(r.Fields[1:])...))
}
