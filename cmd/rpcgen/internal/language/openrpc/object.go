package openrpc

import (
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// object builds a JSON object member by member.
type object struct{ members []ir.Member }

func (o *object) set(name string, v ir.Value) {
	o.members = append(o.members, ir.Member{Name: name, Value: v})
}

// text adds a text unless it is empty.
func (o *object) text(name, text string) {
	if text != "" {
		o.set(name, ir.Value{Kind: ir.Text, Text: text})
	}
}

// ofTexts is an object of texts; names and texts take turns.
func ofTexts(all ...string) *object {
	o := new(object)
	for pair := range slices.Chunk(all, 2) {
		o.text(pair[0], pair[1])
	}
	return o
}

// texts adds a text, or a list of several.
func (o *object) texts(name string, all []string) {
	switch len(all) {
	case 0:
	case 1:
		o.text(name, all[0])
	default:
		o.set(name, textList(all))
	}
}

// flag adds a member that is only worth a word when it is true.
func (o *object) flag(name string, on bool) {
	if on {
		o.set(name, boolean(true))
	}
}

// object adds an object unless it is empty.
func (o *object) object(name string, inner *object) {
	if len(inner.members) > 0 {
		o.set(name, inner.value())
	}
}

// ext adds the author's own x-* members.
func (o *object) ext(all []ir.Ext) {
	for _, x := range all {
		o.set(x.Key, x.Value)
	}
}

func (o *object) value() ir.Value { return ir.Value{Kind: ir.Object, Fields: o.members} }

func array(items []ir.Value) ir.Value { return ir.Value{Kind: ir.Array, Items: items} }

// textList is a list of texts.
func textList[T ~string](all []T) ir.Value {
	items := ir.Each(all, func(text T) ir.Value { return ir.Value{Kind: ir.Text, Text: string(text)} })
	return array(items)
}

func boolean(b bool) ir.Value { return ir.Value{Kind: ir.Boolean, Text: strconv.FormatBool(b)} }

func integer(n int) ir.Value { return ir.Value{Kind: ir.Integer, Text: strconv.Itoa(n)} }
