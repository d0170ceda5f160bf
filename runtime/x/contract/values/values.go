// Package values makes values that fit a JSON Schema, and values that break exactly one of its rules.
//
// It takes JSON Schema of drafts 4 to 7, 2019-09 and 2020-12. What it makes is judged before it is returned, by package conform, from its
// final bytes: whether a value fits never depends on how it was made.
//
//test:sequential
package values

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	lazy "github.com/rpcgen-go/rpcgen/schema/text"
)

// Profile says how far the values go that a schema leaves open.
type Profile string

// The profiles.
const (
	Calm  Profile = ""      // texts of letters, digits and usual marks, one word of another script, one emoji; small numbers; short lists
	ASCII Profile = "ascii" // calm, without letters above 126
	Hard  Profile = "hard"  // controls, marks that change the direction, long texts, numbers of any size
	Page  Profile = "page"  // for readers: examples, then defaults, then calm words; nothing that is deprecated but what is required, and no type within itself
)

// Schema is a compiled JSON Schema. The fields may be set after [Compile]. It is not safe for concurrent use.
type Schema struct {
	Profile Profile
	Formats bool // `format` is a rule that is broken and judged, rather than an annotation; values fit it in any case where it is known

	// Supply, if it is not nil, may give a value for the place in the arguments whose member has a name, as JSON, such as one that the
	// server has returned before. A value that does not fit is not taken.
	Supply func(c *Choices, name string) (json string, ok bool)

	root     *node
	nodes    nodes
	judge    *conform.Schema
	unjudged []string
	chosen   map[look]*node // during a visit of places
}

// Break says which rule a value breaks.
type Break struct {
	Pointer string `json:"pointer"` // RFC 6901: of the value that breaks it, or of the object that lacks a member
	Keyword string `json:"keyword"` // of JSON Schema
	How     string `json:"how"`     // in words, such as "a text in place of a number"
}

// Violation is a rule that a value breaks.
type Violation struct {
	Pointer, Keyword, Expected, Got string
}

// Case is a value that was made for one place of it.
type Case struct {
	JSON string
	Break
}

// Compile compiles a JSON Schema. The error says why it is none, or which reference leads nowhere or to another document ([ErrOutside]).
func Compile(schema []byte) (*Schema, error) {
	source, err := jsontree.Parse(schema)
	if err != nil {
		return nil, err
	}
	root, unjudged, err := normal(source)
	if err != nil {
		return nil, err
	}
	judge, err := conform.New(root.JSON())
	if err != nil {
		return nil, err
	}
	s := &Schema{judge: judge, unjudged: unjudged, nodes: nodes{root: root, built: map[string]*node{}, bare: map[*jsontree.Value]*jsontree.Value{}}}
	s.root = s.nodes.node(root)
	return s, nil
}

// Unjudged returns the patterns that this package cannot read, such as those with a lookahead: values may break them unnoticed.
func (s *Schema) Unjudged() []string { return s.unjudged }

// Judge returns the rules that a value breaks. It is empty for a value that fits, and one violation of the keyword "json" for a text that is not JSON.
func (s *Schema) Judge(json []byte) []Violation {
	v, err := jsontree.Parse(json)
	if err != nil {
		return []Violation{{Keyword: "json", Expected: "JSON", Got: err.Error()}}
	}
	return s.verdict(v, v.JSON())
}

func (s *Schema) verdict(v *jsontree.Value, json string) (all []Violation) {
	var vs violation.List
	s.judge.Check(&vs, "", json)
	for _, one := range vs.All() {
		if one.Rule == "not" && one.Expected == "nothing" {
			one.Rule = "additionalProperties"
			if last := one.Pointer[strings.LastIndexByte(one.Pointer, '/')+1:]; digits().MatchString(last) {
				one.Rule = "items"
			}
		}
		all = append(all, Violation{one.Pointer, one.Rule, one.Expected, one.Got})
	}
	if s.Formats {
		s.formats(s.root, v, nil, func(path []jsontree.Step, n *node, v *jsontree.Value) {
			all = append(all, Violation{jsontree.Pointer(path), "format", n.format, v.JSON()})
		})
	}
	return all
}

var digits = lazy.Pattern(`^[0-9]+$`)

// tries is how many values are made before none is found.
const tries = 60

// Draw returns a value that fits the schema, as JSON. ok is false if none was found.
func (s *Schema) Draw(c *Choices) (json []byte, ok bool) { return s.extent(c, some) }

// Minimal returns the value with no more than what is required, and Full one with everything that the schema names.
func (s *Schema) Minimal(c *Choices) (json []byte, ok bool) { return s.extent(c, none) }

// Full returns a value with everything that the schema names.
func (s *Schema) Full(c *Choices) (json []byte, ok bool) { return s.extent(c, all) }

func (s *Schema) extent(c *Choices, e extent) ([]byte, bool) {
	v := s.draw(c, e)
	if v == nil {
		return nil, false
	}
	return v.Append(nil), true
}

func (s *Schema) draw(c *Choices, e extent) *jsontree.Value {
	plain := false
	for i := range tries {
		d := &drawing{Schema: s, Choices: c, extent: e, plain: plain || i > tries/2, retry: i > 0}
		if v := d.value(s.root, 0, ""); v != nil && len(s.verdict(v, v.JSON())) == 0 {
			return v
		}
		if plain && d.made > d.most() { // what is required is too much
			return nil
		}
		plain = plain || d.made > d.most()
	}
	return nil
}

// Break returns a value that breaks exactly one rule at one place, and which. ok is false if none was found.
func (s *Schema) Break(c *Choices) (json []byte, broken Break, ok bool) {
	for range 4 {
		base := s.draw(c, some)
		if base == nil {
			return nil, broken, false
		}
		if cases := s.cases(base, c, (*maker).outside); len(cases) > 0 {
			one := cases[c.Below(len(cases))]
			return []byte(one.JSON), one.Break, true
		}
	}
	return nil, broken, false
}

// Breaks returns values that differ from base, which fits, at one place, and break one rule there: each rule at each place. They are the same
// for the same base.
func (s *Schema) Breaks(base []byte) []Case {
	v, err := jsontree.Parse(base)
	if err != nil {
		return nil
	}
	return s.cases(v, FromBytes(nil), (*maker).outside)
}

// Bounds returns values that fit and differ from base, which fits, at one place: they are at the bounds of what the schema takes there. The
// keyword of each is the rule whose bound it is, or "absent", "spelling" (of a number), or "text" for a text that no rule but the kind concerns. They are the
// same for the same base.
func (s *Schema) Bounds(base []byte) []Case {
	v, err := jsontree.Parse(base)
	if err != nil {
		return nil
	}
	return s.cases(v, FromBytes(nil), (*maker).bounds)
}

// Sample is a default or an example of a schema that the schema itself refuses.
type Sample struct {
	Pointer string // RFC 6901, into the schema: of the schema that has it
	Keyword string // default or examples
	JSON    string
	Broken  Violation
}

// Unfitting returns the defaults and examples that do not fit the schemas that have them.
func (s *Schema) Unfitting() (all []Sample) {
	root := s.nodes.root
	root.Walk(nil, func(path []jsontree.Step, v *jsontree.Value) bool {
		if v.Kind != jsontree.Object || v.In("default") == nil && v.In("examples") == nil || strings.Contains(v.JSON(), `"$ref":"#"`) {
			return true
		}
		schema := jsontree.Value{Kind: jsontree.Object}
		one := schema.With("allOf", &jsontree.Value{Kind: jsontree.Array, Items: []jsontree.Value{*v}}).With("$defs", root.In("$defs"))
		judge, err := conform.New(one.JSON())
		if err != nil {
			return true
		}
		check := func(keyword string, sample *jsontree.Value) {
			var vs violation.List
			judge.Check(&vs, "", sample.JSON())
			if broken := vs.All(); len(broken) > 0 {
				b := broken[0]
				all = append(all, Sample{jsontree.Pointer(path), keyword, sample.JSON(), Violation{b.Pointer, b.Rule, b.Expected, b.Got}})
			}
		}
		if d := v.In("default"); d != nil {
			check("default", d)
		}
		if e := v.In("examples"); e.Is(jsontree.Array) {
			for _, one := range e.Parts() {
				check("examples", one)
			}
		}
		return true
	})
	return all
}
