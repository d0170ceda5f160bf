package lower

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

func text(s string) ir.Value { return ir.Value{Kind: ir.Text, Text: s} }

var yes, no = ir.Value{Kind: ir.Boolean, Text: "true"}, ir.Value{Kind: ir.Boolean, Text: "false"}

// overlaid returns an object with the members of another, which count where both have one.
func overlaid(v, over ir.Value) ir.Value {
	for _, m := range over.Fields {
		v = v.Set(m.Name, m.Value)
	}
	return v
}

// namesOf returns a list of texts.
func namesOf(v ir.Value, name string) []string {
	var all []string
	for _, item := range v.Member(name).Items {
		if item.Kind == ir.Text && !slices.Contains(all, item.Text) {
			all = append(all, item.Text)
		}
	}
	return all
}

// typesOf returns the types that a schema says.
func typesOf(v ir.Value) []string {
	if t, _ := v.Get("type"); t.Kind == ir.Text {
		return []string{t.Text}
	}
	return namesOf(v, "type")
}

// builtSchema is a schema that is written.
type builtSchema struct {
	fields []ir.Member
	words  []string // sentences for the description
}

func (b *builtSchema) set(name string, value ir.Value) {
	b.fields = ir.Value{Fields: b.fields}.Set(name, value).Fields
}

func (b *builtSchema) get(name string) (ir.Value, bool) { return ir.Value{Fields: b.fields}.Get(name) }

// items sets what a list holds, and returns the shape of the list.
func (b *builtSchema) items(element ir.Value, inner *shape) *shape {
	b.set("items", element)
	if inner == nil {
		return nil
	}
	return &shape{items: inner}
}

func (b *builtSchema) say(sentence string) {
	if !slices.Contains(b.words, sentence) {
		b.words = append(b.words, sentence)
	}
}

func (b *builtSchema) value() ir.Value { return ir.Value{Kind: ir.Object, Fields: b.fields} }
