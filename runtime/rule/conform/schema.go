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
		s.check(vs, at, text)
	}
}

// CheckText is Check for a text that is decoded.
func (s *Schema) CheckText(vs *rule.Violations, at, text string) {
	if vs.Closed() {
		return
	}
	if quoted, err := json.Marshal(text); err == nil {
		s.check(vs, at, string(quoted))
	}
}

// evaluations are kept for the next check: a list can hold as many values to be checked as its text has bytes.
var evaluations = sync.Pool{New: func() any { return &evaluation{document: new(document), known: map[visit]verdict{}} }}

func (s *Schema) check(vs *rule.Violations, at, source string) {
	s.once.Do(func() { s.root, s.tracks = compile(s.Text) })
	e := evaluations.Get().(*evaluation)
	defer e.release()
	e.parse(source)
	e.tracks = s.tracks
	if ok, _ := e.value(s.root, 0, nil); ok {
		return
	}
	e.vs, e.at = vs, at
	clear(e.known)
	e.value(s.root, 0, &place{})
}

// release gives e back, unless the text was large.
func (e *evaluation) release() {
	const mostTokens, mostKnown = 1 << 10, 1 << 8
	if cap(e.tokens) > mostTokens || len(e.known) > mostKnown {
		return
	}
	clear(e.known)
	e.source, e.hashes, e.vs, e.at = "", nil, nil, ""
	evaluations.Put(e)
}
