package ir

import "strconv"

// Required returns how many elements a tuple has at least.
func (t *Tuple) Required() int {
	n := 0
	for _, f := range t.Items {
		if !f.Optional {
			n++
		}
	}
	for _, r := range t.Rules {
		if count, ok := r.(*Count); ok {
			n = max(n, count.Min)
		}
	}
	return n
}

// ordinals are what elements of tuples are called that have no names.
var ordinals = [...]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}

// Ordinal returns what the element of a tuple at index i is called that has no name.
func Ordinal(i int) string {
	if i < len(ordinals) {
		return ordinals[i]
	}
	return "item" + strconv.Itoa(i+1)
}

// IsArray reports whether t is a list or a tuple.
func IsArray(t Type) bool {
	switch t.(type) {
	case *List, *Tuple:
		return true
	}
	return false
}

// ElementAt returns the type of the element of a list or a tuple at index i; nil if there is none.
func ElementAt(t Type, i int) Type {
	switch t := t.(type) {
	case *List:
		return t.Elem
	case *Tuple:
		if i < len(t.Items) {
			return t.Items[i].Type
		}
		return t.Rest
	}
	return nil
}

// Lengths returns how many elements a list or a tuple may have by its own rules and by those of its uses; a negative high means no end.
func Lengths(t Type, uses []Rule) (low, high int) {
	var own []Rule
	high = -1
	switch t := t.(type) {
	case *List:
		own = t.Rules
	case *Tuple:
		own, low = t.Rules, t.Required()
		if t.Rest == nil {
			high = len(t.Items)
		}
	}
	for _, rules := range [][]Rule{own, uses} {
		for _, r := range rules {
			count, ok := r.(*Count)
			if !ok {
				continue
			}
			low = max(low, count.Min)
			if count.Max >= 0 && (high < 0 || count.Max < high) {
				high = count.Max
			}
		}
	}
	return low, high
}

// IsObject reports whether t is a map or a struct.
func IsObject(t Type) bool { return AsStruct(t) != nil }

// AsStruct returns a struct, or a map as the struct without fields that keeps its members; nil for other types.
func AsStruct(t Type) *Struct {
	switch t := t.(type) {
	case *Map:
		return &Struct{At: t.At, Additional: AdditionalKept, Extra: t.Elem, Rules: t.Rules}
	case *Struct:
		return t
	}
	return nil
}

// HasFields reports whether t is a struct or a tuple, whose parts are fields.
func HasFields(t Type) bool {
	switch t.(type) {
	case *Struct, *Tuple:
		return true
	}
	return false
}
