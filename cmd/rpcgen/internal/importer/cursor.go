package importer

import (
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// cursor is a value of the source with the pointer that leads to it.
type cursor struct {
	ir.Value
	pointer string
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// get returns a member of an object.
func (c cursor) get(name string) (cursor, bool) {
	if c.Kind != ir.Object {
		return cursor{}, false
	}
	for _, m := range c.Fields {
		if m.Name == name {
			return cursor{m.Value, c.pointer + "/" + pointerEscape.Replace(name)}, true
		}
	}
	return cursor{}, false
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
	var all []named
	if c.Kind != ir.Object {
		return nil
	}
	for _, m := range c.Fields {
		all = append(all, named{m.Name, cursor{m.Value, c.pointer + "/" + pointerEscape.Replace(m.Name)}})
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
		all[i] = cursor{v, c.pointer + "/" + strconv.Itoa(i)}
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
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		next, ok := c.get(step)
		if i, err := strconv.Atoi(step); c.Kind == ir.Array && err == nil && i >= 0 && i < len(c.Items) {
			next, ok = c.items()[i], true
		}
		if !ok {
			return cursor{}, false
		}
		c = next
	}
	return c, true
}
