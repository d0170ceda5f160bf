package protobuf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// schema is the JSON Schema of what the JSON form of protobuf makes of a type.
func (s *set) schema(d *declaration) ir.Value {
	v := ofType(d.Cursor, "object")
	switch known := wellKnown(d.Cursor, d.name); {
	case known != nil:
		return *known
	case d.enum:
		v = ofType(d.Cursor, "string", member("enum", s.values(d)))
	default:
		v.Fields = append(v.Fields, s.members(d)...)
	}
	return describe(v, d.file.comments[d.place])
}

func describe(v ir.Value, said string) ir.Value {
	if said != "" {
		v.Fields = append(v.Fields, member("description", text(said)))
	}
	return v
}

// values are the names of an enum.
func (s *set) values(d *declaration) ir.Value {
	all := ir.Value{Pos: d.Pos, Kind: ir.Array}
	for _, one := range d.ElementsOf("value") {
		if name := one.TextOf("name"); fullName.MatchString(name) {
			all.Items = append(all.Items, text(name))
		}
	}
	return all
}

// members are the members of a message, under their names in JSON.
func (s *set) members(d *declaration) []ir.Member {
	properties, required, seen := object(d.Cursor), list(), map[string]bool{}
	choices := s.choices(d)
	for i, f := range d.ElementsOf("field") {
		name := jsonName(f)
		if seen[name] || name == "" {
			s.faults.Note(f.Pos, f.Pointer, "", "%s has two fields %s, or one without a name", d.name, source.Quote(name))
			continue
		}
		seen[name] = true
		v, ok := s.field(f)
		if !ok {
			continue
		}
		said := d.file.comments[fmt.Sprintf("%s,2,%d", d.place, i)]
		if all := choices[choiceOf(f)]; len(all) > 1 {
			said = apart(said, name, all)
		}
		options, _ := f.Get("options")
		features, _ := options.Get("features")
		if v = describe(v, said); options.IsTrue("deprecated") {
			v.Fields = append(v.Fields, member("deprecated", boolean(true)))
		}
		if f.TextOf("label") == "LABEL_REQUIRED" || features.TextOf("fieldPresence") == "LEGACY_REQUIRED" {
			required.Items = append(required.Items, text(name))
		}
		properties.Fields = append(properties.Fields, member(name, v))
	}
	all := []ir.Member{member("properties", properties), member("additionalProperties", boolean(false))}
	if len(required.Items) > 0 {
		all = append(all, member("required", required))
	}
	return all
}

// choices are the names of the fields of each oneof. That of a field that is merely optional has one.
func (s *set) choices(d *declaration) map[string][]string {
	all := map[string][]string{}
	for _, f := range d.ElementsOf("field") {
		if is := choiceOf(f); is != "" {
			all[is] = append(all[is], jsonName(f))
		}
	}
	return all
}

// sentenceEnd is where the first sentence of a comment ends.
var sentenceEnd = regexp.MustCompile(`[.!?](\s|$)|$`)

// mostExcluded is how many fields a comment names.
const mostExcluded = 8

// apart adds to the first sentence of a comment which other fields a field excludes, all of a oneof: the import keeps that sentence.
func apart(said, name string, all []string) string {
	at := sentenceEnd.FindStringIndex(said)[0]
	excluded := "not together with the others of its oneof"
	if len(all) <= mostExcluded {
		excluded = "not together with " + strings.Join(slices.DeleteFunc(slices.Clone(all), func(other string) bool { return other == name }), ", ")
	}
	if at == 0 {
		return strings.ToUpper(excluded[:1]) + excluded[1:] + "."
	}
	return said[:at] + " (" + excluded + ")" + said[at:]
}

// choiceOf is the oneof of a field; empty if it is of none.
func choiceOf(f source.Cursor) string {
	is, _ := f.Get("oneofIndex")
	return is.Text
}

// jsonName is the name of a field in JSON.
func jsonName(f source.Cursor) string {
	if name := f.TextOf("jsonName"); name != "" {
		return name
	}
	words := strings.Split(f.TextOf("name"), "_")
	for i, w := range words {
		if i > 0 && w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// field is the schema of a field. It reports false if the field has a fault.
func (s *set) field(f source.Cursor) (ir.Value, bool) {
	v, ok := s.single(f)
	if f.TextOf("label") != "LABEL_REPEATED" || !ok {
		return v, ok
	}
	entry := s.types[strings.TrimPrefix(f.TextOf("typeName"), ".")]
	if entry == nil || !entry.mapEntry || f.TextOf("type") != "TYPE_MESSAGE" {
		return ofType(f, "array", member("items", v)), true
	}
	for _, inner := range entry.ElementsOf("field") {
		if inner.TextOf("name") == "value" {
			v, ok = s.single(inner)
			return ofType(f, "object", member("additionalProperties", v)), ok
		}
	}
	s.faults.Note(entry.Pos, entry.Pointer, "", "the map %s has no field called value", entry.name)
	return v, false
}

// scalar is the schema of a value of a kind that refers to nothing. Numbers of 64 bits are texts in JSON, since many readers of JSON round them.
func scalar(at source.Cursor, kind string) (ir.Value, bool) {
	switch kind {
	case "TYPE_DOUBLE", "TYPE_FLOAT":
		return ofType(at, "number"), true
	case "TYPE_INT64", "TYPE_SINT64", "TYPE_SFIXED64":
		return pattern(at, `^-?[0-9]{1,19}$`), true
	case "TYPE_UINT64", "TYPE_FIXED64":
		return pattern(at, `^[0-9]{1,20}$`), true
	case "TYPE_INT32", "TYPE_SINT32", "TYPE_SFIXED32":
		return ofType(at, "integer", member("format", text("int32"))), true
	case "TYPE_UINT32", "TYPE_FIXED32":
		return ofType(at, "integer", member("format", text("uint32"))), true
	case "TYPE_BOOL":
		return ofType(at, "boolean"), true
	case "TYPE_STRING":
		return ofType(at, "string"), true
	case "TYPE_BYTES":
		return ofType(at, "string", member("contentEncoding", text("base64"))), true
	}
	return ir.Value{}, false
}

// single is the schema of one value of a field.
func (s *set) single(f source.Cursor) (ir.Value, bool) {
	kind := f.TextOf("type")
	if v, ok := scalar(f, kind); ok {
		return v, true
	}
	switch kind {
	case "TYPE_MESSAGE", "TYPE_GROUP", "TYPE_ENUM":
		d := s.typeNamed(f, "typeName")
		switch {
		case d == nil:
			return ir.Value{}, false
		case d.enum != (kind == "TYPE_ENUM") && wellKnown(f, d.name) == nil:
			s.faults.Note(f.Pos, f.Pointer, "", "%s has the type %s, and %s is none", f.TextOf("name"), kind, d.name)
			return ir.Value{}, false
		}
		if known := wellKnown(f, d.name); known != nil {
			return *known, true
		}
		return refer(f, d.name), true
	default:
		s.faults.Note(f.Pos, f.Pointer, "", "the field %s has no type that is known: %s", source.Quote(f.TextOf("name")), source.Quote(kind))
	}
	return ir.Value{}, false
}

// pattern is a text of a form, of at most as many characters as a number of 64 bits has.
func pattern(at source.Cursor, is string) ir.Value {
	return ofType(at, "string", member("pattern", text(is)), member("maxLength", ir.Value{Kind: ir.Integer, Text: "24"}))
}

// wellKnown is the schema of a type that has a form of its own in JSON; nil for others.
func wellKnown(at source.Cursor, name string) *ir.Value {
	name, ok := strings.CutPrefix(name, "google.protobuf.")
	if !ok {
		return nil
	}
	v := object(at)
	switch name {
	case "Timestamp":
		v = ofType(at, "string", member("format", text("date-time")))
	case "Duration":
		v = pattern(at, `^-?[0-9]{1,12}(\.[0-9]{1,9})?s$`)
	case "FieldMask":
		v = ofType(at, "string")
	case "Empty":
		v = ofType(at, "object", member("properties", object(at)), member("additionalProperties", boolean(false)))
	case "Struct":
		v = ofType(at, "object", member("additionalProperties", boolean(true)))
	case "ListValue":
		v = ofType(at, "array", member("items", object(at)))
	case "NullValue":
		v = ofType(at, "null")
	case "Value", "Any":
	default: // Int32Value and its like, which may be null
		kind, isWrapper := strings.CutSuffix(name, "Value")
		if v, ok = scalar(at, "TYPE_"+strings.ToUpper(kind)); !ok || !isWrapper {
			return nil
		}
		v.Fields[0].Value = list(v.Fields[0].Value, text("null"))
	}
	return &v
}
