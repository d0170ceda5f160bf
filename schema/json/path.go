package json

import (
	"slices"
	"strconv"
	"strings"
)

// Step is one part of a path: the name of a member, or the index of an element.
type Step struct {
	Name  string
	Index int // -1 for a member
}

// Put returns the value with a part of it replaced; nil removes a member or an element. The parts before the last one have to be there.
func (v *Value) Put(path []Step, part *Value) *Value {
	if len(path) == 0 {
		return part
	}
	step := path[0]
	if step.Index < 0 {
		return v.With(step.Name, v.In(step.Name).Put(path[1:], part))
	}
	n := &Value{Kind: Array, Items: slices.Clone(v.Items)}
	if part = n.Items[step.Index].Put(path[1:], part); part == nil {
		n.Items = slices.Delete(n.Items, step.Index, step.Index+1)
	} else {
		n.Items[step.Index] = *part
	}
	return n
}

var (
	escapes = strings.NewReplacer("~", "~0", "/", "~1")
	names   = strings.NewReplacer("~1", "/", "~0", "~")
)

// Escape writes a name as one step of a JSON Pointer (RFC 6901 section 3).
func Escape(name string) string { return escapes.Replace(name) }

// Unescape reads one step of a JSON Pointer.
func Unescape(step string) string { return names.Replace(step) }

// Pointer returns the JSON Pointer (RFC 6901) of a path.
func Pointer(path []Step) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteByte('/')
		if s.Index >= 0 {
			b.WriteString(strconv.Itoa(s.Index))
		} else {
			b.WriteString(Escape(s.Name))
		}
	}
	return b.String()
}

// At returns the value that a JSON Pointer leads to, or nil.
func (v *Value) At(pointer string) *Value {
	if pointer == "" {
		return v
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if !v.Is(Array) {
			v = v.In(Unescape(part))
		} else if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(v.Items) {
			v = &v.Items[i]
		} else {
			return nil
		}
	}
	return v
}

// Walk visits the value and all that lies in it, with their paths, until visit returns false for a value, whose parts are left out. It visits
// nothing of a nil value.
func (v *Value) Walk(path []Step, visit func(path []Step, v *Value) bool) {
	if v == nil || !visit(path, v) {
		return
	}
	for i, part := range v.Parts() {
		step := Step{Index: i}
		if v.Kind == Object {
			step = Step{Name: v.Fields[i].Name, Index: -1}
		}
		part.Walk(append(path[:len(path):len(path)], step), visit)
	}
}
