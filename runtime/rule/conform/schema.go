// Package conform checks JSON texts against JSON Schemas (draft 2020-12), for the values that no Go type says enough of. It is apart from
// package rule so that only a program whose schema has such values links it.
//
// It takes what the schema checker lets pass: references lead to "#" or "#/$defs/NAME", and patterns are RE2. `format` and the
// keywords on content are annotations, as the draft has it.
package conform

import (
	"encoding/json"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
)

// Schema is a JSON Schema that is compiled when it is first needed, so that it costs a program nothing at its start. Generated code
// declares one as a variable and never copies it.
type Schema struct {
	Text string // the schema, as JSON

	once   sync.Once
	root   *node
	tracks bool // it has keywords on what other keywords have not looked at
}

// Check asks text, which is valid JSON, to fit the schema. It takes time in proportion to the length of text times the size of the schema.
func (s *Schema) Check(vs *rule.Violations, at, text string) {
	if !vs.Closed() {
		s.check(vs, at, parse(text))
	}
}

// CheckText is Check for a text that is decoded.
func (s *Schema) CheckText(vs *rule.Violations, at, text string) {
	if vs.Closed() {
		return
	}
	if quoted, err := json.Marshal(text); err == nil {
		s.check(vs, at, parse(string(quoted)))
	}
}

func (s *Schema) check(vs *rule.Violations, at string, d *document) {
	s.once.Do(func() { s.root, s.tracks = compile(s.Text) })
	e := &evaluation{document: d, tracks: s.tracks, known: map[visit]verdict{}}
	if ok, _ := e.value(s.root, 0, nil); ok {
		return
	}
	e.vs, e.at, e.known = vs, at, map[visit]verdict{}
	e.value(s.root, 0, &place{})
}
