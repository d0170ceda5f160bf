package judge

import (
	"errors"
	"regexp/syntax"

	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Schema is a JSON Schema of draft 2020-12 that values are compared with.
type Schema struct {
	compiled conform.Schema
}

// Compile returns a schema that [SchemaFaults] finds nothing wrong with.
func Compile(schema ir.Value) *Schema { return &Schema{conform.Schema{Text: schema.String()}} }

// Conforms reports whether a value fits. It compares each part of the value with each part of the schema once at most, however often references lead there.
func (s *Schema) Conforms(v ir.Value) bool { return s.fits(v.String()) }

func (s *Schema) fits(text string) bool {
	var vs violation.List
	s.compiled.Check(&vs, "", text)
	return vs.Len() == 0
}

// mostWork is the longest schema, times the value, that [Schema.ConformsSoon] compares, in bytes.
const mostWork = 100_000_000

// ConformsSoon is [Schema.Conforms] for schemas from untrusted sources. It is not known whether a value fits one that takes too long to compare.
func (s *Schema) ConformsSoon(v ir.Value) (fits, known bool) {
	text := v.String()
	if len(text) > mostWork/(len(s.compiled.Text)+1) {
		return false, false
	}
	return s.fits(text), true
}

// Conforms compares one value with a schema.
func Conforms(schema, v ir.Value) bool { return Compile(schema).Conforms(v) }

// ConformsSoon compares one value with a schema from an untrusted source.
func ConformsSoon(schema, v ir.Value) (fits, known bool) { return Compile(schema).ConformsSoon(v) }

// SchemaFaults returns the first reason why a value is not a JSON Schema that values can be compared with: what draft 2020-12 forbids, and
// what it allows and nothing here follows, such as a reference to another document.
func SchemaFaults(s ir.Value) []Fault {
	err := conform.Verify(s.String(), "$id", "$recursiveAnchor", "definitions", "additionalItems")
	if err == nil {
		return nil
	}
	fault := Fault{Rule: "schema", Message: err.Error()}
	if at, ok := errors.AsType[*conform.Fault](err); ok {
		fault.Pointer, fault.Message = at.Pointer, at.Err.Error()
		if pattern, ok := errors.AsType[*syntax.Error](at.Err); ok {
			fault.Rule, fault.Message = "pattern", pattern.Error()
		}
	}
	return []Fault{fault}
}
