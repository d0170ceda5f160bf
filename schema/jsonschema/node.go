package jsonschema

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// node is a part of the document: an object, a list, or JSON text.
type node interface {
	write(out *bytes.Buffer, indent string)
}

// object is a JSON object that keeps the order of its members.
type object struct {
	members []member
	at      map[string]int // where each member stands, once there are many
}

// manyMembers is from how many members on an object is looked up by an index.
const manyMembers = 16

type member struct {
	name  string
	value node
}

// set adds a member, or changes the one that is there.
func (o *object) set(name string, value node) {
	if i := o.find(name); i >= 0 {
		o.members[i].value = value
		return
	}
	if o.at != nil {
		o.at[name] = len(o.members)
	}
	o.members = append(o.members, member{name, value})
}

// with is an object of one member.
func with(name string, value node) *object { return new(object).and(name, value) }

// and is the object with one member more.
func (o *object) and(name string, value node) *object {
	o.set(name, value)
	return o
}

// add sets the members of another object too.
func (o *object) add(other *object) {
	for _, m := range other.members {
		o.set(m.name, m.value)
	}
}

// find is where a member stands; -1 when it does not.
func (o *object) find(name string) int {
	if len(o.members) < manyMembers {
		return slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
	}
	if o.at == nil {
		o.at = make(map[string]int, 2*len(o.members))
		for i, m := range o.members {
			o.at[m.name] = i
		}
	}
	if i, ok := o.at[name]; ok {
		return i
	}
	return -1
}

func (o *object) get(name string) node {
	if i := o.find(name); i >= 0 {
		return o.members[i].value
	}
	return nil
}

// object is the member of a name that is an object; it is made unless it is there.
func (o *object) object(name string) *object {
	m, ok := o.get(name).(*object)
	if !ok {
		m = new(object)
		o.set(name, m)
	}
	return m
}

func (o *object) has(name string) bool { return o.get(name) != nil }

// list is a JSON array.
type list []node

// raw is JSON text that stays on its line.
type raw string

// text is a JSON string.
func text(s string) raw { return raw(ir.Value{Kind: ir.Text, Text: s}.String()) }

func texts(all []string) list { return ir.Each(all, func(s string) node { return text(s) }) }

func integer(n int) raw { return raw(fmt.Sprint(n)) }

// value is a value of the schema, such as a default.
func value(v ir.Value) raw { return raw(v.String()) }

func values(all []ir.Value) list { return ir.Each(all, func(v ir.Value) node { return value(v) }) }

const step = "  "

func (o *object) write(out *bytes.Buffer, indent string) {
	if len(o.members) == 0 {
		out.WriteString("{}")
		return
	}
	out.WriteString("{\n")
	for i, m := range o.members {
		out.WriteString(indent + step)
		text(m.name).write(out, "")
		out.WriteString(": ")
		m.value.write(out, indent+step)
		if i < len(o.members)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString(indent + "}")
}

// write keeps a list of scalars on one line.
func (l list) write(out *bytes.Buffer, indent string) {
	open, between, end := "[", ", ", "]"
	for _, item := range l {
		if _, scalar := item.(raw); !scalar {
			open, between, end = "[\n"+indent+step, ",\n"+indent+step, "\n"+indent+"]"
		}
	}
	out.WriteString(open)
	for i, item := range l {
		if i > 0 {
			out.WriteString(between)
		}
		item.write(out, indent+step)
	}
	out.WriteString(end)
}

func (r raw) write(out *bytes.Buffer, _ string) { out.WriteString(string(r)) }

// fragment writes a name as one step of a pointer in a URI: RFC 6901 sections 3 and 6.
func fragment(name string) string {
	var b strings.Builder
	for _, c := range []byte(ir.EscapePointer(name)) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
