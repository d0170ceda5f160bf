// Package sample makes up values that fit a type, for examples in documentation.
//
//test:sequential
package sample

import (
	"cmp"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// Of returns a value that fits t by package judge: of the examples and defaults of the author, and otherwise of calm words and numbers. ok is
// false when none was found, such as text for a pattern and a format that exclude each other: no example is better than a wrong one.
func Of(t ir.Type) (v ir.Value, ok bool) {
	for _, exact := range []bool{false, true} { // an exact schema leaves out the branches of unions by context
		schema, err := jsonschema.ExportType(cmp.Or(documentOf(t), &ir.Document{}), t, jsonschema.Options{Exact: exact})
		if err != nil {
			return v, false
		}
		s, err := values.Compile(schema)
		if err != nil {
			return v, false
		}
		s.Profile, s.Formats = values.Page, true
		for _, choices := range []*values.Choices{values.FromBytes(nil), values.For(1)} {
			made, _ := s.Full(choices)
			if v, err := ir.ParseJSON(made); err == nil && len(judge.Judge(t, v)) == 0 {
				return v, true
			}
		}
	}
	return v, false
}

// documentOf returns the document that the names in t are of; nil if there are none.
func documentOf(t ir.Type) *ir.Document {
	if ref, ok := t.(*ir.Ref); ok && ref.Import == nil && ref.Decl.Document != nil {
		return ref.Decl.Document
	}
	for part := range ir.Parts(t) {
		if d := documentOf(part.Type); d != nil {
			return d
		}
	}
	return nil
}
