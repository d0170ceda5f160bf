package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Members of the most frequent kinds are read and written with one call, name and value together: it is faster, and half the code for the compiler.

// member is how a member of some kind is read and written.
type member struct {
	goType   string // that the reader's method takes
	key      string // the reader's method
	appended string // the Go type that the function takes
	append   string // the function that appends it
}

// memberOf returns how a member of type t is read and written; it is zero for kinds without calls of their own.
func memberOf(t ir.Type) member {
	if ir.IsBound(t) {
		return member{}
	}
	switch s := ir.Underlying(t).(type) {
	case *ir.Bool:
		return member{"bool", "KeyBool", "bool", "AppendMemberBool"}
	case *ir.Float:
		return member{"float64", "KeyFloat64", "float64", "AppendMemberFloat"}
	case *ir.String:
		return member{"string", "KeyString", "string", "AppendMemberString"}
	case *ir.Enum:
		if enumBase(s) == "string" {
			return member{"string", "KeyString", "string", "AppendMemberString"}
		}
		return member{"int64", "KeyInt64", "int64", "AppendMemberInt"}
	case *ir.Int:
		switch intType(s) {
		case "int64":
			return member{"int64", "KeyInt64", "int64", "AppendMemberInt"}
		case "int32":
			return member{"int32", "KeyInt32", "int64", "AppendMemberInt"}
		}
	}
	return member{}
}

// keyMethod is the reader's method that reads the member f with its name, and where to; empty if there is none.
func (w *codecWriter) keyMethod(f *ir.Field) (method string, target jen.Code) {
	m := memberOf(f.Type)
	if form := formOf(f); f.Go.Bound() || w.names.nullAbsent(f) || m.key == "" || form != formPlain && form != formDefault {
		return "", nil
	}
	if broken, _ := zeroRule(f); broken != "" {
		return "", nil // what was read is looked at
	}
	where := jen.Op("&").Id("v." + w.names.field(f))
	if w.names.of(f.Type) != nil {
		where = jen.Parens(jen.Op("*").Id(m.goType)).Call(where)
	}
	return m.key, where
}

// appendMember is an expression that appends the text key and x, the value of the field f, or nil when it takes two.
func (w *codecWriter) appendMember(f *ir.Field, key, x string) jen.Code {
	m := memberOf(f.Type)
	if f.Go.Bound() || m.append == "" || formOf(f) == formPointer {
		return nil
	}
	value := jen.Id(x)
	if w.names.of(f.Type) != nil || m.appended != m.goType {
		value = jen.Id(m.appended).Call(value)
	}
	return wire(m.append).Call(jen.Id("b"), raw(key), value)
}

// zeroRule is the rule that the zero value of a field with a default breaks, and what it expects; empty where a zero that was
// read is either fine, or never what was read.
func zeroRule(f *ir.Field) (broken, expected string) {
	if formOf(f) != formDefault || !zeroMeansDefault(f.Type) {
		return "", ""
	}
	switch s := ir.Underlying(f.Type).(type) {
	case *ir.Enum:
		return "enum", "one of " + strings.Join(enumNames(s), ", ")
	case *ir.String:
		switch r := ir.First(ir.AllRules(f.Type), func(r ir.Rule) bool { return refusesEmpty([]ir.Rule{r}) }).(type) {
		case *ir.Format:
			return "format", r.Name
		case *ir.Pattern:
			return "pattern", "a match of " + r.Expr
		}
		return "minLength", "some text"
	case *ir.Int, *ir.Float:
		for _, r := range ir.AllRules(f.Type) {
			r, ok := r.(*ir.Range)
			switch {
			case ok && above(r.Min, r.ExclusiveMin) && r.ExclusiveMin:
				return "exclusiveMinimum", "more than " + r.Min
			case ok && above(r.Min, r.ExclusiveMin):
				return "minimum", "at least " + r.Min
			case ok && below(r.Max, r.ExclusiveMax) && r.ExclusiveMax:
				return "exclusiveMaximum", "less than " + r.Max
			case ok && below(r.Max, r.ExclusiveMax):
				return "maximum", "at most " + r.Max
			}
		}
	}
	return "", ""
}

// defaults is the literal of a struct with its defaults.
func (w *valueWriter) defaults(t *namedType, s *ir.Struct, more ...jen.Code) jen.Code {
	fields := more
	for _, f := range s.Fields {
		if formOf(f) == formDefault {
			fields = append(fields, jen.Id(w.names.field(f)).Op(":").Add(w.literal(f.Type, *f.Default)))
		}
	}
	if len(fields) <= 1 {
		return jen.Id(t.name).Values(fields...)
	}
	return jen.Id(t.name).Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, fields...)
}
