package values

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// kinds are bits of the kinds of values; a whole number is of the kind integer, others of the kind number.
type kinds uint8

const (
	null kinds = 1 << iota
	boolean
	integer
	number
	text
	list
	object
	every = 1<<iota - 1
)

var kindNames = map[string]kinds{"null": null, "boolean": boolean, "integer": integer, "number": number | integer, "string": text, "array": list,
	"object": object}

// kindOf is the kind of a value.
func kindOf(v *jsontree.Value) kinds {
	if v.Kind == jsontree.Number {
		return number
	}
	return kindNames[v.Kind.String()] &^ number
}

// node is what several schemas ask of one value together.
type node struct {
	never              bool
	kinds              kinds
	choices            []*jsontree.Value // of enum and const; nil for any
	samples, examples  []*jsontree.Value // of default and examples; of examples alone
	low, high          float64           // infinite without a bound
	lowOpen, highOpen  bool
	multiple           float64 // 0 for none
	shortest, longest  int     // letters; longest is -1 without a bound
	patterns           []*regexp.Regexp
	format             string
	fewest, most       int // elements
	fewestOf, mostOf   int // members
	unique             bool
	prefix             []*jsontree.Value
	items, each        []*jsontree.Value // of elements after prefix; of all elements
	contains           *jsontree.Value
	members            []string // in order
	of                 map[string][]*jsontree.Value
	byPattern          []patternText
	required           []string
	with               map[string][]string // dependentRequired
	additional         []*jsontree.Value
	closed             bool                // unknown members break a rule
	names              []*jsontree.Value   // propertyNames
	groups             [][]*jsontree.Value // anyOf and oneOf: alternatives
	exclusive          []bool              // of each group: it is oneOf
	title, description string
	deprecated         bool
	schemas            []*jsontree.Value
	named              []*jsontree.Value // those of schemas that references lead to
	others             []string          // members that other alternatives of oneOf require
}

type patternText struct {
	re     *regexp.Regexp
	schema *jsontree.Value
}

// nodes builds nodes; each is built once.
type nodes struct {
	root  *jsontree.Value
	built map[string]*node
	bare  map[*jsontree.Value]*jsontree.Value
}

// maxRefs limits how many references lead on to others at one value.
const maxRefs = 64

// node returns what schemas ask for together.
func (s *nodes) node(schemas ...*jsontree.Value) *node {
	var key strings.Builder
	for _, one := range schemas {
		fmt.Fprintf(&key, "%p ", one)
	}
	if n := s.built[key.String()]; n != nil {
		return n
	}
	n := &node{kinds: every, low: math.Inf(-1), high: math.Inf(1), longest: -1, most: -1, mostOf: -1, of: map[string][]*jsontree.Value{},
		with: map[string][]string{}}
	s.built[key.String()] = n
	for i := 0; i < len(schemas) && i < maxRefs; i++ {
		one := schemas[i]
		if one.Kind != jsontree.Object {
			n.never = n.never || one.Is(jsontree.Boolean) && !one.True()
			continue
		}
		n.add(one)
		if ref := one.In("$ref").Str(); ref != "" {
			n.named = append(n.named, s.root.At(strings.TrimPrefix(ref, "#")))
			schemas = append(schemas[:len(schemas):len(schemas)], n.named[len(n.named)-1])
		}
		if all := one.In("allOf"); all.Is(jsontree.Array) {
			schemas = append(schemas[:len(schemas):len(schemas)], all.Parts()...)
		}
	}
	n.schemas = schemas
	return n
}

// alternative returns a node with one alternative of each group chosen, and so without groups of its own; those of the alternatives may remain.
func (s *nodes) alternative(n *node, pick func(group []*jsontree.Value) int) *node {
	schemas := make([]*jsontree.Value, 0, len(n.schemas)+len(n.groups))
	for _, one := range n.schemas {
		schemas = append(schemas, s.without(one))
	}
	others := slices.Clone(n.others)
	for i, group := range n.groups {
		chosen := group[pick(group)]
		schemas = append(schemas, chosen)
		for _, one := range group {
			for _, name := range one.In("required").Parts() {
				if n.exclusive[i] && one != chosen {
					others = append(others, name.Str())
				}
			}
		}
	}
	chosen := s.node(schemas...)
	chosen.others = others
	return chosen
}

// without returns a schema without what [nodes.node] has added of it: its alternatives, and the schemas that it refers to. It is the same one each time.
func (s *nodes) without(one *jsontree.Value) *jsontree.Value {
	bare := s.bare[one]
	if bare == nil {
		bare = one
		for _, word := range []string{"$ref", "allOf", "anyOf", "oneOf"} {
			if bare.In(word) != nil {
				bare = bare.With(word, nil)
			}
		}
		s.bare[one] = bare
	}
	return bare
}

// add adds what one schema asks for itself.
func (n *node) add(s *jsontree.Value) {
	if items := s.In("items"); items != nil && s.In("prefixItems") == nil {
		n.each = append(n.each, items)
	}
	for i, v := range s.Parts() {
		switch name := s.Fields[i].Name; name {
		case "type":
			n.kinds &= kindsOf(v)
		case "enum":
			n.choose(v.Parts())
		case "const":
			n.choose([]*jsontree.Value{v})
		case "default":
			n.samples = append(n.samples, v)
		case "examples":
			n.samples, n.examples = append(n.samples, v.Parts()...), append(n.examples, v.Parts()...)
		case "title":
			n.title = v.Str()
		case "description":
			n.description = v.Str()
		case "format":
			n.format = v.Str()
		case "contentEncoding":
			if v.Str() == "base64" && n.format == "" {
				n.format = "byte"
			}
		case "deprecated":
			n.deprecated = n.deprecated || v.True()
		case "pattern":
			if re, err := regexp.Compile(v.Str()); err == nil {
				n.patterns = append(n.patterns, re)
			}
		case "uniqueItems":
			n.unique = n.unique || v.True()
		case "anyOf", "oneOf":
			if constants := constantsOf(v.Parts()); constants != nil {
				n.choose(constants)
			} else if len(v.Items) > 0 {
				n.groups, n.exclusive = append(n.groups, v.Parts()), append(n.exclusive, name == "oneOf")
			}
		default:
			if f, ok := v.Float(); ok {
				n.addBound(name, f)
			} else {
				n.parts(name, v)
			}
		}
	}
}

// constantsOf returns the values of branches that are all constants, which is how an enum is written whose values have descriptions; nil if a
// branch is anything else. Those that are deprecated come last.
func constantsOf(branches []*jsontree.Value) (all []*jsontree.Value) {
	var old []*jsontree.Value
	for _, b := range branches {
		one := b.In("const")
		if one == nil || slices.ContainsFunc(all, one.Equal) || len(b.Without("const", "title", "description", "deprecated", "type").Fields) > 0 {
			return nil
		}
		if b.In("deprecated").True() {
			old = append(old, one)
		} else {
			all = append(all, one)
		}
	}
	return append(all, old...)
}

func kindsOf(v *jsontree.Value) kinds {
	var all kinds
	for _, word := range v.Words() {
		all |= kindNames[word]
	}
	return all
}

func (n *node) choose(from []*jsontree.Value) {
	if n.choices == nil {
		n.choices = append([]*jsontree.Value{}, from...)
		return
	}
	n.choices = slices.DeleteFunc(n.choices, func(one *jsontree.Value) bool { return !slices.ContainsFunc(from, one.Equal) })
}

func (n *node) addBound(name string, f float64) {
	whole := int(min(f, math.MaxInt32))
	switch name {
	case "minimum", "exclusiveMinimum":
		if open := name == "exclusiveMinimum"; f > n.low || f == n.low && open {
			n.low, n.lowOpen = f, open
		}
	case "maximum", "exclusiveMaximum":
		if open := name == "exclusiveMaximum"; f < n.high || f == n.high && open {
			n.high, n.highOpen = f, open
		}
	case "multipleOf":
		n.multiple = max(n.multiple, f)
	case "minLength":
		n.shortest = max(n.shortest, whole)
	case "minItems":
		n.fewest = max(n.fewest, whole)
	case "minProperties":
		n.fewestOf = max(n.fewestOf, whole)
	case "maxLength":
		n.longest = lesser(n.longest, whole)
	case "maxItems":
		n.most = lesser(n.most, whole)
	case "maxProperties":
		n.mostOf = lesser(n.mostOf, whole)
	}
}

// lesser is the lesser bound; -1 is none.
func lesser(a, b int) int {
	if a < 0 {
		return b
	}
	return min(a, b)
}

// parts adds a keyword about elements or members.
func (n *node) parts(name string, v *jsontree.Value) {
	switch name {
	case "prefixItems":
		if len(n.prefix) < len(v.Items) {
			n.prefix = v.Parts()
		}
	case "items":
		n.items = append(n.items, v)
	case "contains":
		n.contains = v
	case "properties":
		for i, of := range v.Parts() {
			member := v.Fields[i].Name
			if n.of[member] == nil {
				n.members = append(n.members, member)
			}
			n.of[member] = append(n.of[member], of)
		}
	case "patternProperties":
		for i, of := range v.Parts() {
			if re, err := regexp.Compile(v.Fields[i].Name); err == nil {
				n.byPattern = append(n.byPattern, patternText{re, of})
			}
		}
	case "required":
		for _, item := range v.Items {
			if !slices.Contains(n.required, item.Str()) {
				n.required = append(n.required, item.Str())
			}
		}
	case "dependentRequired":
		for _, m := range v.Fields {
			for _, item := range m.Value.Items {
				n.with[m.Name] = append(n.with[m.Name], item.Str())
			}
		}
	case "additionalProperties", "unevaluatedProperties":
		n.additional = append(n.additional, v)
		n.closed = n.closed || v.Is(jsontree.Boolean) && !v.True()
	case "propertyNames":
		n.names = append(n.names, v)
	}
}

// member returns the schemas of a member; known is false if only those of unknown members apply.
func (n *node) member(name string) (schemas []*jsontree.Value, known bool) {
	schemas = append(schemas, n.of[name]...)
	for _, p := range n.byPattern {
		if p.re.MatchString(name) {
			schemas = append(schemas, p.schema)
		}
	}
	if len(schemas) > 0 || n.of[name] != nil {
		return schemas, true
	}
	return n.additional, false
}

// element returns the schemas of an element.
func (n *node) element(i int) []*jsontree.Value {
	if i < len(n.prefix) {
		return append([]*jsontree.Value{n.prefix[i]}, n.each...)
	}
	return n.items
}
