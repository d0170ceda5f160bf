package backend

import (
	"errors"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// step is a part of a path into JSON: a member, or an element of a list.
type step struct {
	name  string
	index int // of an element; -1 for the last one
	list  bool
}

// steps is a path into JSON, such as data[-1].id. The empty path is at nothing.
type steps []step

var errPath = errors.New("not a path")

// parsePath reads a path: names with dots between them, [0] for an element, [-1] for the last one, ["a.b"] for a name with dots.
func parsePath(path string) (steps, error) {
	var all steps
	for i := 0; i < len(path); {
		switch {
		case strings.HasPrefix(path[i:], `["`):
			end := strings.Index(path[i:], `"]`)
			if end < 3 {
				return nil, errPath
			}
			all = append(all, step{name: path[i+2 : i+end]})
			i += end + 2
		case path[i] == '[':
			end := strings.IndexByte(path[i:], ']')
			if end < 0 {
				return nil, errPath
			}
			n, err := strconv.Atoi(path[i+1 : i+end])
			if err != nil || n < -1 {
				return nil, errPath
			}
			all = append(all, step{index: n, list: true})
			i += end + 1
		default:
			if path[i] == '.' {
				i++
			}
			end := strings.IndexAny(path[i:], ".[")
			if end < 0 {
				end = len(path) - i
			}
			if end == 0 {
				return nil, errPath
			}
			all = append(all, step{name: path[i : i+end]})
			i += end
		}
	}
	return all, nil
}

// find returns the value at the path, or nothing.
func (s steps) find(p wire.Peek) wire.Peek {
	if len(s) == 0 {
		return wire.Peek{}
	}
	for _, step := range s {
		switch {
		case !step.list:
			p = p.In(step.name)
		case step.index >= 0:
			p = p.At(step.index)
		default:
			var last wire.Peek
			for e := range p.Elements() {
				last = e
			}
			p = last
		}
	}
	return p
}

// tree finds the values at many paths in one pass.
type tree struct {
	found   []int // the indexes of the paths that end here
	members map[string]*tree
	items   map[int]*tree // by index; -1 for the last one
}

// add adds a path with its index.
func (t *tree) add(path steps, index int) {
	for _, s := range path {
		var next *tree
		if s.list {
			if t.items == nil {
				t.items = map[int]*tree{}
			}
			if next = t.items[s.index]; next == nil {
				next = new(tree)
				t.items[s.index] = next
			}
		} else {
			if t.members == nil {
				t.members = map[string]*tree{}
			}
			if next = t.members[s.name]; next == nil {
				next = new(tree)
				t.members[s.name] = next
			}
		}
		t = next
	}
	t.found = append(t.found, index)
}

// pick stores the values at the paths by their indexes.
func (t *tree) pick(p wire.Peek, values []wire.Peek) {
	for _, index := range t.found {
		values[index] = p
	}
	if len(t.members) > 0 {
		for name, member := range p.Members() {
			if next := t.members[name]; next != nil {
				next.pick(member, values)
			}
		}
	}
	if len(t.items) == 0 {
		return
	}
	i, last := 0, wire.Peek{}
	for item := range p.Elements() {
		if next := t.items[i]; next != nil {
			next.pick(item, values)
		}
		i, last = i+1, item
	}
	if next := t.items[-1]; next != nil && i > 0 {
		next.pick(last, values)
	}
}
