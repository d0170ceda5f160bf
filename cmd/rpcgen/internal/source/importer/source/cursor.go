package source

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Cursor is a value of the source with the pointer that leads to it.
type Cursor struct {
	ir.Value
	Pointer string
	Index   *Index
}

// manyMembers is from how many members on an object is looked up by an index.
const manyMembers = 16

// Index finds the members of large objects of one source, by the first of them and their number: the members of a source never change.
type Index struct {
	objects    map[ObjectID]map[string]int
	references map[string]*References // by the pointers of documents
}

// ObjectID identifies an object of a source by where it is kept.
type ObjectID struct {
	first *ir.Member
	count int
}

// ID identifies an object, which must have members.
func (c Cursor) ID() ObjectID { return ObjectID{&c.Fields[0], len(c.Fields)} }

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{objects: map[ObjectID]map[string]int{}} }

// find is where a member stands among the members of an object; -1 when it is not there.
func (x *Index) find(members []ir.Member, name string) int {
	if x == nil || len(members) < manyMembers {
		return slices.IndexFunc(members, func(m ir.Member) bool { return m.Name == name })
	}
	id := ObjectID{&members[0], len(members)}
	names, ok := x.objects[id]
	if !ok {
		names = Positions(members)
		x.objects[id] = names
	}
	if at, ok := names[name]; ok {
		return at
	}
	return -1
}

// Positions says where each member stands.
func Positions(members []ir.Member) map[string]int {
	names := make(map[string]int, len(members))
	for i, m := range members {
		names[m.Name] = i
	}
	return names
}

// at is a cursor on a part of the value.
func (c Cursor) at(v ir.Value, step string) Cursor { return Cursor{v, c.Pointer + "/" + step, c.Index} }

// Get returns a member of an object.
func (c Cursor) Get(name string) (Cursor, bool) {
	at := c.member(name)
	if at < 0 {
		return Cursor{}, false
	}
	return c.at(c.Fields[at].Value, ir.EscapePointer(name)), true
}

// With is an object of which one member is replaced.
func (c Cursor) With(name string, v ir.Value) Cursor {
	c.Fields = slices.Clone(c.Fields)
	for i, m := range c.Fields {
		if m.Name == name {
			c.Fields[i].Value = v
		}
	}
	return c
}

// Has reports whether an object has a member.
func (c Cursor) Has(name string) bool { return c.member(name) >= 0 }

// member is where a member stands in an object; -1 when it is not there.
func (c Cursor) member(name string) int {
	if c.Kind != ir.Object {
		return -1
	}
	return c.Index.find(c.Fields, name)
}

// TextOf is the text of a member; empty when it is not there or no text.
func (c Cursor) TextOf(name string) string {
	if at := c.member(name); at >= 0 && c.Fields[at].Value.Kind == ir.Text {
		return c.Fields[at].Value.Text
	}
	return ""
}

// Members are the members of an object, with their names.
func (c Cursor) Members() []Member {
	if c.Kind != ir.Object {
		return nil
	}
	all := make([]Member, 0, len(c.Fields))
	for _, m := range c.Fields {
		all = append(all, Member{m.Name, c.at(m.Value, ir.EscapePointer(m.Name))})
	}
	return all
}

// Member is a member of an object.
type Member struct {
	Name string
	Cursor
}

// Elements are the items of an array.
func (c Cursor) Elements() []Cursor {
	if c.Kind != ir.Array {
		return nil
	}
	all := make([]Cursor, len(c.Items))
	for i, v := range c.Items {
		all[i] = c.at(v, strconv.Itoa(i))
	}
	return all
}

// Path follows members, one after the other.
func (c Cursor) Path(names ...string) (Cursor, bool) {
	for _, name := range names {
		next, ok := c.Get(name)
		if !ok {
			return Cursor{}, false
		}
		c = next
	}
	return c, true
}

// Follow resolves a pointer of RFC 6901 from the value.
func (c Cursor) Follow(pointer string) (Cursor, bool) {
	if pointer == "" {
		return c, true
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		step = ir.UnescapePointer(step)
		next, ok := c.Get(step)
		if i, err := strconv.Atoi(step); c.Kind == ir.Array && err == nil && i >= 0 && i < len(c.Items) {
			next, ok = c.at(c.Items[i], strconv.Itoa(i)), true
		}
		if !ok {
			return Cursor{}, false
		}
		c = next
	}
	return c, true
}

// Without copies an object, leaving members out.
func (c Cursor) Without(names []string) Cursor {
	return Cursor{c.Value.Without(names...), c.Pointer, c.Index}
}

// HasAny reports whether an object has one of several members.
func HasAny(s Cursor, keywords []string) bool { return slices.ContainsFunc(keywords, s.Has) }

// ElementsOf are the items of the array that a member is.
func (c Cursor) ElementsOf(name string) []Cursor {
	list, _ := c.Get(name)
	return list.Elements()
}

// MembersOf are the members of the object that a member is.
func (c Cursor) MembersOf(name string) []Member {
	object, _ := c.Get(name)
	return object.Members()
}

// FieldsOf are the properties of an object.
func (c Cursor) FieldsOf() []Member { return c.MembersOf("properties") }

// IsTrue reports whether one of some members is true.
func (c Cursor) IsTrue(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { v, _ := c.Get(name); return v.Text == "true" })
}
