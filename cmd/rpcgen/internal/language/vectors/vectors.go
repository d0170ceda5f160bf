// Package vectors writes values of the types of a schema for the tests of other implementations: values that fit a type, and values that break
// exactly one of its rules.
//
//test:sequential
package vectors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// Vector is a value and the verdict about it.
type Vector struct {
	Type    string `json:"type"` // in the schema
	Valid   bool   `json:"valid"`
	JSON    string `json:"json"`              // the value as text, since numbers may be spelled in several ways
	Pointer string `json:"pointer,omitempty"` // RFC 6901: where a value that is not valid breaks a rule; empty for the whole value
	Keyword string `json:"keyword,omitempty"` // of JSON Schema: the rule that it breaks
}

// draws is how many valid values of a type are written at most.
const draws = 20

// Of returns the vectors of the types of a document, in the author's order: valid values first, each sorted by their JSON. They are the same
// for the same schema.
func Of(doc *ir.Document) ([]Vector, error) {
	var all []Vector
	for _, d := range doc.Types {
		if d.Mixin {
			continue
		}
		text, err := jsonschema.ExportType(doc, d.Type, jsonschema.Options{Exact: true})
		if err != nil {
			return nil, fmt.Errorf("%s: type %s: %w", doc.File, d.Name, err)
		}
		s, err := values.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("%s: type %s: %w", doc.File, d.Name, err)
		}
		if len(s.Unjudged()) == 0 {
			all = append(all, ofType(d.Name, s, doc.Protocol.NullsAbsent)...)
		}
	}
	return all, nil
}

// ofType returns the vectors of one type. Where null may be read as absent, it is in the place of no other value.
func ofType(name string, s *values.Schema, nullsAbsent bool) []Vector {
	var bases []string // that values with one fault are made of
	for _, draw := range []func(*values.Choices) ([]byte, bool){s.Minimal, s.Full} {
		if base, ok := draw(values.For(1, name)); ok {
			bases = append(bases, string(base))
		}
	}
	var valid, broken []Vector
	for i := range draws {
		if v, ok := s.Draw(values.For(1, name, strconv.Itoa(i))); ok {
			valid = append(valid, Vector{Type: name, Valid: true, JSON: string(v)})
		}
	}
	for _, base := range bases {
		for _, c := range s.Breaks([]byte(base)) {
			if nullsAbsent && c.Pointer != "" && strings.HasPrefix(c.How, "null ") {
				continue
			}
			broken = append(broken, Vector{Type: name, JSON: c.JSON, Pointer: c.Pointer, Keyword: c.Keyword})
		}
	}
	return append(sortVectors(valid), sortVectors(broken)...)
}

// sortVectors sorts vectors by their JSON and removes those that are twice there.
func sortVectors(all []Vector) []Vector {
	slices.SortStableFunc(all, func(a, b Vector) int { return strings.Compare(a.JSON, b.JSON) })
	return slices.CompactFunc(all, func(a, b Vector) bool { return a.JSON == b.JSON })
}

// Export writes the vectors of a document as a JSON array, newline-separated.
func Export(doc *ir.Document) ([]byte, error) {
	all, err := Of(doc)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteString("[\n")
	for i := range all {
		if err := e.Encode(all[i]); err != nil {
			return nil, err
		}
		if i < len(all)-1 {
			b.Truncate(b.Len() - 1)
			b.WriteString(",\n")
		}
	}
	b.WriteString("]\n")
	return b.Bytes(), nil
}
