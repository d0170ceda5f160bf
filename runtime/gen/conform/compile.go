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
	patterns          []patterned
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

type patterned struct {
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

func (c *compiler) schemas(at int) []*node {
	var all []*node
	c.children(at, func(_, _, value int) { all = append(all, c.schema(value)) })
	return all
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
	switch name {
	case "type":
		if c.tokens[at].kind() == text {
			n.kinds = kindNames[c.text(at)]
			return
		}
		for _, word := range c.texts(at) {
			n.kinds |= kindNames[word]
		}
	case "const":
		n.constant = map[uint64]bool{c.hash(at): true}
	case "enum":
		n.enum = map[uint64]bool{}
		c.children(at, func(_, _, value int) { n.enum[c.hash(value)] = true })
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		n.numbers = append(n.numbers, limit{name, c.raw(at)})
	case "minLength", "maxLength":
		n.lengths = append(n.lengths, limit{name, c.raw(at)})
	case "pattern":
		n.pattern = regexp.MustCompile(c.text(at)) // the schema checker has compiled it before
	case "minItems", "maxItems":
		n.counts = append(n.counts, limit{name, c.raw(at)})
	case "uniqueItems":
		n.unique = c.raw(at) == "true"
	case "minProperties", "maxProperties":
		n.sizes = append(n.sizes, limit{name, c.raw(at)})
	case "minContains":
		n.least = c.whole(at)
	case "maxContains":
		n.most = c.whole(at)
	case "$ref":
		n.ref = c.target(c.text(at))
	default:
		c.applicator(n, name, at)
	}
}

// whole is a number of values, and so large that none is larger where it does not fit an int.
func (c *compiler) whole(at int) int {
	f, _ := strconv.ParseFloat(c.raw(at), 64)
	return int(min(f, 1<<31))
}

// applicator adds a keyword that holds schemas.
func (c *compiler) applicator(n *node, name string, at int) {
	switch name {
	case "prefixItems":
		n.prefix = c.schemas(at)
	case "allOf":
		n.all = c.schemas(at)
	case "anyOf":
		n.any = c.schemas(at)
	case "oneOf":
		n.one = c.schemas(at)
	case "properties":
		n.properties = map[string]*node{}
		c.children(at, func(_, name, value int) { n.properties[c.text(name)] = c.schema(value) })
	case "patternProperties":
		c.children(at, func(_, name, value int) {
			n.patterns = append(n.patterns, patterned{regexp.MustCompile(c.text(name)), c.schema(value)})
		})
	case "required":
		n.required = c.texts(at)
	case "dependentRequired":
		c.children(at, func(_, name, value int) { n.with = append(n.with, dependency{c.text(name), c.texts(value), nil}) })
	case "dependentSchemas":
		c.children(at, func(_, name, value int) { n.with = append(n.with, dependency{c.text(name), nil, c.schema(value)}) })
	default:
		if field := n.single(name); field != nil {
			*field = c.schema(at)
		}
	}
}

// single is where the schema of a keyword goes that holds one.
func (n *node) single(keyword string) **node {
	switch keyword {
	case "items":
		return &n.items
	case "contains":
		return &n.contains
	case "additionalProperties":
		return &n.additional
	case "propertyNames":
		return &n.names
	case "not":
		return &n.not
	case "if":
		return &n.condition
	case "then":
		return &n.then
	case "else":
		return &n.otherwise
	case "unevaluatedItems":
		return &n.restItems
	case "unevaluatedProperties":
		return &n.restOwn
	}
	return nil
}
