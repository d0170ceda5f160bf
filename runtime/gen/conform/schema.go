// Package conform checks JSON texts against JSON Schemas (draft 2020-12), for the values that no Go type says enough of. It is apart from
// package rule so that only a program whose schema has such values links it.
//
// It takes what the schema checker lets pass: references lead to "#" or "#/$defs/NAME", and patterns are RE2. `format` and the
// keywords on content are annotations, as the draft has it.
//
//test:sequential
package conform

import (
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Schema is a JSON Schema that is compiled when it is first needed, so that it costs a program nothing at its start. Generated code
// declares one as a variable and never copies it.
type Schema struct {
	Text string // the schema, as JSON

	once    sync.Once
	root    *node
	targets int // schemas that references lead to
}

// Check asks text, which is valid JSON, to fit the schema. It takes time in proportion to the length of text times the size of the schema.
func (s *Schema) Check(vs *violation.List, at, text string) {
	if !vs.Closed() {
		s.check(vs, at, text)
	}
}

// CheckText is Check for a text that is decoded.
func (s *Schema) CheckText(vs *violation.List, at, text string) {
	if vs.Closed() {
		return
	}
	if quoted, err := json.Marshal(text); err == nil {
		s.check(vs, at, string(quoted))
	}
}

// CheckValue is Check for a value that append writes as JSON. One that cannot be written, such as a union without a branch, breaks a rule of its
// type and is not checked.
func (s *Schema) CheckValue(vs *violation.List, at string, append func(b []byte) []byte) {
	if vs.Closed() {
		return
	}
	if text, err := wire.Marshal(appender(append)); err == nil {
		s.check(vs, at, string(text))
	}
}

// appender is a function as a value that appends itself.
type appender func(b []byte) []byte

// AppendJSON appends the value.
func (a appender) AppendJSON(b []byte) []byte { return a(b) }

// evaluations are kept for the next check: a list can hold as many values to be checked as its text has bytes.
var evaluations = sync.Pool{New: func() any { return &evaluation{document: new(document)} }}

func (s *Schema) check(vs *violation.List, at, source string) {
	s.once.Do(func() { s.root, s.targets = compile(s.Text) })
	e := evaluations.Get().(*evaluation)
	defer e.release()
	e.vs, e.at = vs, at
	if !e.begin(source, s.targets) {
		vs.Add(violation.Violation{Pointer: at, Rule: "schema", Expected: "a value of fewer parts", Got: strconv.Itoa(len(source)) + " bytes"})
		return
	}
	if e.value(s.root, 0, false, untracked) {
		return
	}
	before := vs.Len()
	e.value(s.root, 0, true, untracked)
	if vs.Len() == before {
		e.fail(0, true, "schema", "a value that fits the schema")
	}
}

// begin prepares the check of a text. It reports whether the text is not too large; see mostTokens.
func (e *evaluation) begin(source string, targets int) bool {
	e.targets = slices.Grow(e.targets[:0], targets)[:targets]
	for i := range e.targets {
		t := &e.targets[i]
		t.verdicts, t.saw = t.verdicts[:0], t.saw[:0]
	}
	return e.parse(source)
}

// release gives e back, unless the text was large.
func (e *evaluation) release() {
	const most = 1 << 10
	if cap(e.tokens) > most {
		return
	}
	e.source, e.vs, e.at = "", nil, ""
	e.path, e.marks, e.kept, e.elements = e.path[:0], e.marks[:0], e.kept[:0], e.elements[:0]
	evaluations.Put(e)
}
