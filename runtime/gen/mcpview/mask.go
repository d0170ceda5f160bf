package mcpview

import (
	"iter"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// mask is what of a value is shown: all of it, or some members of the object that it is, or of the
// objects that it lists.
type mask struct {
	all     bool
	members map[string]*mask
}

var wholeMask = mask{all: true}

// newMask returns what the paths lead to.
func newMask(paths iter.Seq[string]) *mask {
	m := new(mask)
	for path := range paths {
		m.add(path)
	}
	return m
}

// add shows what a path leads to.
func (m *mask) add(path string) {
	for name := range strings.SplitSeq(path, ".") {
		if m.members == nil {
			m.members = map[string]*mask{}
		}
		if m.members[name] == nil {
			m.members[name] = new(mask)
		}
		m = m.members[name]
	}
	m.all = true
}

// of is what of a member is shown; nil if nothing.
func (m *mask) of(name string) *mask {
	if m.all {
		return &wholeMask
	}
	return m.members[name]
}

// append appends what is shown of a value.
func (m *mask) append(b, value []byte) []byte {
	if m.all || len(value) == 0 {
		return append(b, value...)
	}
	switch value[0] {
	case '{':
		b = append(b, '{')
		start := len(b)
		for member := range members(value) {
			if inner := m.of(member.name); inner != nil {
				if len(b) > start {
					b = append(b, ',')
				}
				b = inner.append(append(b, member.key...), member.value)
			}
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		start := len(b)
		for item := range items(value) {
			if len(b) > start {
				b = append(b, ',')
			}
			b = m.append(b, item)
		}
		return append(b, ']')
	}
	return append(b, value...)
}

// member is a member of an object in compact JSON.
type member struct {
	name  string
	key   []byte // with its quotes and the colon
	value []byte
}

// members returns the members of an object in compact JSON, which must be valid.
func members(object []byte) iter.Seq[member] {
	return func(yield func(member) bool) {
		for i := 1; i < len(object)-1; i++ { // skips the brace, and then each comma
			name, at := wire.Str(object, i)
			at++ // the colon
			end := wire.Skip(object, at, wire.MaxDepth)
			if at <= 0 || end < 0 || !yield(member{name, object[i:at], object[at:end:end]}) {
				return
			}
			i = end
		}
	}
}

// items returns the items of a list in compact JSON, which must be valid.
func items(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := 1; i < len(list)-1; i++ {
			end := wire.Skip(list, i, wire.MaxDepth)
			if end < 0 || !yield(list[i:end:end]) {
				return
			}
			i = end
		}
	}
}
