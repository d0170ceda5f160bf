package importer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// cursor is a value of the source with the pointer that leads to it.
type cursor struct {
	ir.Value
	pointer string
	index   *index
}

// manyMembers is from how many members on an object is looked up by an index.
const manyMembers = 16

// index finds the members of large objects of one source, by the first of them and their number: the members of a source never change.
type index struct {
	objects    map[objectID]map[string]int
	references map[string]*references // by the pointers of documents
}

type objectID struct {
	first *ir.Member
	count int
}

func newIndex() *index { return &index{objects: map[objectID]map[string]int{}} }

// find is where a member stands among the members of an object; -1 when it is not there.
func (x *index) find(members []ir.Member, name string) int {
	if x == nil || len(members) < manyMembers {
		return slices.IndexFunc(members, func(m ir.Member) bool { return m.Name == name })
	}
	id := objectID{&members[0], len(members)}
	names, ok := x.objects[id]
	if !ok {
		names = positions(members)
		x.objects[id] = names
	}
	if at, ok := names[name]; ok {
		return at
	}
	return -1
}

// positions says where each member stands.
func positions(members []ir.Member) map[string]int {
	names := make(map[string]int, len(members))
	for i, m := range members {
		names[m.Name] = i
	}
	return names
}

// at is a cursor on a part of the value.
func (c cursor) at(v ir.Value, step string) cursor {
	return cursor{v, c.pointer + "/" + step, c.index}
}

var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// get returns a member of an object.
func (c cursor) get(name string) (cursor, bool) {
	if c.Kind != ir.Object {
		return cursor{}, false
	}
	at := c.index.find(c.Fields, name)
	if at < 0 {
		return cursor{}, false
	}
	return c.at(c.Fields[at].Value, pointerEscape.Replace(name)), true
}

// with is an object of which one member is replaced.
func (c cursor) with(name string, v ir.Value) cursor {
	c.Fields = slices.Clone(c.Fields)
	for i, m := range c.Fields {
		if m.Name == name {
			c.Fields[i].Value = v
		}
	}
	return c
}

func (c cursor) has(name string) bool { _, ok := c.get(name); return ok }

// text is the text of a member; empty when it is not there or no text.
func (c cursor) text(name string) string {
	if m, ok := c.get(name); ok && m.Kind == ir.Text {
		return m.Text
	}
	return ""
}

// members are the members of an object, with their names.
func (c cursor) members() []named {
	if c.Kind != ir.Object {
		return nil
	}
	all := make([]named, 0, len(c.Fields))
	for _, m := range c.Fields {
		all = append(all, named{m.Name, c.at(m.Value, pointerEscape.Replace(m.Name))})
	}
	return all
}

// named is a member of an object.
type named struct {
	name string
	cursor
}

// items are the items of an array.
func (c cursor) items() []cursor {
	if c.Kind != ir.Array {
		return nil
	}
	all := make([]cursor, len(c.Items))
	for i, v := range c.Items {
		all[i] = c.at(v, strconv.Itoa(i))
	}
	return all
}

// path follows members, one after the other.
func (c cursor) path(names ...string) (cursor, bool) {
	for _, name := range names {
		next, ok := c.get(name)
		if !ok {
			return cursor{}, false
		}
		c = next
	}
	return c, true
}

// follow resolves a pointer of RFC 6901 from the value.
func (c cursor) follow(pointer string) (cursor, bool) {
	if pointer == "" {
		return c, true
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		step = pointerUnescape.Replace(step)
		next, ok := c.get(step)
		if i, err := strconv.Atoi(step); c.Kind == ir.Array && err == nil && i >= 0 && i < len(c.Items) {
			next, ok = c.at(c.Items[i], strconv.Itoa(i)), true
		}
		if !ok {
			return cursor{}, false
		}
		c = next
	}
	return c, true
}
