package hostcheck

import (
	_ "embed" // for the meta-schema
	"fmt"
	"slices"
	"sync"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// node is a schema within the schema of a tool, where it stands.
type node struct {
	*jsonschema.Place
	root string // the JSON Pointer of the schema of the tool
}

// at returns the JSON Pointer of the schema.
func (n *node) at() string { return n.root + n.Pointer() }

// depth counts the objects and arrays around the schema, itself included.
func (n *node) depth() (depth int) {
	for p := n.Place; p != nil; p = p.Around {
		if is := (&node{Place: p}); is.isObject() || is.is("array") {
			depth++
		}
	}
	return depth
}

// isProperty reports whether the schema is that of a property, which has its name.
func (n *node) isProperty() bool { return n.Keyword.Role == jsonschema.Property }

// get returns a member of the schema; an absent one has the kind of null and no text.
func (n *node) get(name string) ir.Value {
	v, _ := n.Value.Get(name)
	return v
}

func (n *node) has(name string) bool { return n.Value.Has(name) }

// is reports whether the schema says that a value may have a type.
func (n *node) is(kind string) bool {
	t := n.get("type")
	return t.Kind == ir.Text && t.Text == kind || slices.ContainsFunc(t.Items, func(v ir.Value) bool { return v.Kind == ir.Text && v.Text == kind })
}

// isObject reports whether the schema is one of objects.
func (n *node) isObject() bool { return n.is("object") || n.has("properties") }

// nodes returns a schema and all schemas within it, outer ones first.
func nodes(root string, schema ir.Value) (all []*node) {
	jsonschema.Walk(schema, func(p *jsonschema.Place) bool {
		all = append(all, &node{p, root})
		return true
	})
	return all
}

// requiredNames returns the names that an object requires.
func (n *node) requiredNames() []string { return n.get("required").Words() }

// optional returns the properties of an object that may be missing.
func (n *node) optional() []string {
	required, properties := n.requiredNames(), n.get("properties")
	return slices.DeleteFunc(properties.Names(), func(name string) bool { return slices.Contains(required, name) })
}

//go:embed draft07.json
var draft07 []byte

// meta07 is the meta-schema of draft-07, in which the schemas within a schema are objects or booleans: each is looked at on its own.
var meta07 = sync.OnceValue(func() *judge.Schema {
	v, _ := ir.ParseJSON(draft07) // it is embedded, and valid
	return judge.Compile(v)
})

// wrong07 returns the keywords of a schema that the meta-schema of draft-07 does not take, each with what is wrong.
func wrong07(n *node) []wrong {
	var all []wrong
	if n.Value.Kind != ir.Object && n.Value.Kind != ir.Boolean {
		return []wrong{{"", "a schema is an object, true or false, and not " + n.Value.Kind.String()}}
	}
	for _, m := range n.Value.Fields {
		if !meta07().Conforms(ir.Value{Kind: ir.Object, Fields: []ir.Member{m}}) {
			all = append(all, wrong{"/" + ir.EscapePointer(m.Name), fmt.Sprintf("%s cannot be %s in JSON Schema draft-07", m.Name, clip(m.Value.String()))})
		}
	}
	return all
}

// wrong is a keyword with what is wrong with it.
type wrong struct{ tokens, says string }
