package conform

import (
	"regexp"
	"strconv"
)

// node is a schema, compiled. The zero node takes everything.
type node struct {
	never          bool            // the schema false
	kinds          kind            // those that `type` names; 0 for all
	constant, enum map[uint64]bool // hashes of values

	numbers           []limit // on numbers
	lengths           []limit // on the characters of a text
	pattern           *regexp.Regexp
	counts            []limit // on elements
	sizes             []limit // on members
	unique            bool
	prefix            []*node
	items, contains   *node
	least, most       int // values that contains must fit; most is -1 without a bound
	properties        map[string]*node
	patterns          []patternSchema
	additional, names *node
	required          []string
	with              []dependency
	asked             map[string]int // the names of required and with, each with a number

	id int // of a schema that references lead to

	ref                *node
	all, any, one      []*node
	not                *node
	condition          *node
	then, otherwise    *node
	restItems, restOwn *node // unevaluatedItems, unevaluatedProperties
}

// limit is a keyword that bounds a number.
type limit struct {
	keyword, bound string
}

type patternSchema struct {
	re *regexp.Regexp
	of *node
}

// dependency is what the presence of a member asks for: other members, or a schema of the whole object.
type dependency struct {
	name     string
	required []string
	schema   *node
}

// compiler compiles one document.
type compiler struct {
	*document
	targets map[string]*node // by the reference that leads there; their ids are 0, 1, ...
}

// compile returns the schema of a document, and how many schemas references lead to.
func compile(source string) (root *node, targets int) {
	c := &compiler{document: new(document), targets: map[string]*node{}}
	c.parse(source)
	root = c.target("#")
	c.fill(root, 0)
	if c.tokens[0].kind() == object {
		c.children(0, func(_, name, value int) {
			if c.text(name) == "$defs" {
				c.children(value, func(_, name, value int) { c.fill(c.target("#/$defs/"+c.text(name)), value) })
			}
		})
	}
	return root, len(c.targets)
}

// target is the schema that a reference leads to.
func (c *compiler) target(ref string) *node {
	n := c.targets[ref]
	if n == nil {
		n = &node{id: len(c.targets)}
		c.targets[ref] = n
	}
	return n
}

func (c *compiler) schema(at int) *node {
	n := &node{}
	c.fill(n, at)
	return n
}

func (c *compiler) texts(at int) []string {
	var all []string
	c.children(at, func(_, _, value int) { all = append(all, c.text(value)) })
	return all
}

func (c *compiler) fill(n *node, at int) {
	n.least, n.most = 1, -1
	if c.tokens[at].kind() != object {
		n.never = c.raw(at) == "false"
		return
	}
	c.children(at, func(_, name, value int) { c.keyword(n, c.text(name), value) })
	n.number()
}

// number numbers the names whose presence matters.
func (n *node) number() {
	add := func(names ...string) {
		for _, name := range names {
			if _, there := n.asked[name]; !there {
				n.asked[name] = len(n.asked)
			}
		}
	}
	if len(n.required)+len(n.with) == 0 {
		return
	}
	n.asked = map[string]int{}
	add(n.required...)
	for _, d := range n.with {
		add(d.name)
		add(d.required...)
	}
}

// keyword adds what one keyword says.
func (c *compiler) keyword(n *node, name string, at int) {
	switch field := n.field(name).(type) {
	case *kind:
		if c.tokens[at].kind() == text {
			*field = kindNames[c.text(at)]
		}
		for _, word := range c.texts(at) {
			*field |= kindNames[word]
		}
	case *map[uint64]bool:
		*field = map[uint64]bool{}
		if name == "const" {
			(*field)[c.hash(at)] = true
			return
		}
		c.children(at, func(_, _, value int) { (*field)[c.hash(value)] = true })
	case *[]limit:
		*field = append(*field, limit{name, c.raw(at)})
	case *int:
		f, _ := strconv.ParseFloat(c.raw(at), 64)
		*field = int(min(f, 1<<31)) // so large that none is larger where it does not fit an int
	case *bool:
		*field = c.raw(at) == "true"
	case **regexp.Regexp:
		*field = regexp.MustCompile(c.text(at)) // the schema checker has compiled it before
	case *[]string:
		*field = c.texts(at)
	case *[]dependency:
		c.children(at, func(_, name, value int) {
			d := dependency{name: c.text(name)}
			if c.tokens[value].kind() == array {
				d.required = c.texts(value)
			} else {
				d.schema = c.schema(value)
			}
			*field = append(*field, d)
		})
	case *[]patternSchema:
		c.children(at, func(_, name, value int) {
			*field = append(*field, patternSchema{regexp.MustCompile(c.text(name)), c.schema(value)})
		})
	case *map[string]*node:
		*field = map[string]*node{}
		c.children(at, func(_, name, value int) { (*field)[c.text(name)] = c.schema(value) })
	case *[]*node:
		c.children(at, func(_, _, value int) { *field = append(*field, c.schema(value)) })
	case **node:
		if name == "$ref" {
			*field = c.target(c.text(at))
		} else {
			*field = c.schema(at)
		}
	}
}

// fields are where keywords go, in any order: the type of a field says what the keyword holds.
var fields = [...]struct {
	keyword string
	of      func(n *node) any
}{
	{"type", func(n *node) any { return &n.kinds }},
	{"const", func(n *node) any { return &n.constant }},
	{"enum", func(n *node) any { return &n.enum }},
	{"minimum", func(n *node) any { return &n.numbers }},
	{"maximum", func(n *node) any { return &n.numbers }},
	{"exclusiveMinimum", func(n *node) any { return &n.numbers }},
	{"exclusiveMaximum", func(n *node) any { return &n.numbers }},
	{"multipleOf", func(n *node) any { return &n.numbers }},
	{"minLength", func(n *node) any { return &n.lengths }},
	{"maxLength", func(n *node) any { return &n.lengths }},
	{"pattern", func(n *node) any { return &n.pattern }},
	{"minItems", func(n *node) any { return &n.counts }},
	{"maxItems", func(n *node) any { return &n.counts }},
	{"uniqueItems", func(n *node) any { return &n.unique }},
	{"minContains", func(n *node) any { return &n.least }},
	{"maxContains", func(n *node) any { return &n.most }},
	{"minProperties", func(n *node) any { return &n.sizes }},
	{"maxProperties", func(n *node) any { return &n.sizes }},
	{"required", func(n *node) any { return &n.required }},
	// those that hold schemas, or lead to one
	{"prefixItems", func(n *node) any { return &n.prefix }},
	{"items", func(n *node) any { return &n.items }},
	{"contains", func(n *node) any { return &n.contains }},
	{"unevaluatedItems", func(n *node) any { return &n.restItems }},
	{"properties", func(n *node) any { return &n.properties }},
	{"patternProperties", func(n *node) any { return &n.patterns }},
	{"additionalProperties", func(n *node) any { return &n.additional }},
	{"propertyNames", func(n *node) any { return &n.names }},
	{"dependentRequired", func(n *node) any { return &n.with }},
	{"dependentSchemas", func(n *node) any { return &n.with }},
	{"unevaluatedProperties", func(n *node) any { return &n.restOwn }},
	{"$ref", func(n *node) any { return &n.ref }},
	{"allOf", func(n *node) any { return &n.all }},
	{"anyOf", func(n *node) any { return &n.any }},
	{"oneOf", func(n *node) any { return &n.one }},
	{"not", func(n *node) any { return &n.not }},
	{"if", func(n *node) any { return &n.condition }},
	{"then", func(n *node) any { return &n.then }},
	{"else", func(n *node) any { return &n.otherwise }},
}

// field returns where a keyword goes; nil for an annotation.
func (n *node) field(keyword string) any {
	for i := range fields {
		if fields[i].keyword == keyword {
			return fields[i].of(n)
		}
	}
	return nil
}
