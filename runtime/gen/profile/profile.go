// Package profile is for generated code of MCP services with profiles only: it turns arguments that a client sends in the form of a profile into those
// that the schema has. It makes no promise of compatibility to other code.
//
//test:sequential
package profile

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Plain returns the arguments of a tool as its schema has them, given those of a strict client, which sends every member, and lists of names and values
// for maps. The plan is a JSON object that rpcgen writes:
//
//	optional  names of members that are left out if they are null
//	members   plans of members, by name
//	items     the plan of the elements of an array
//	map       the plan of values: an array of {"name": ..., "value": ...} becomes an object
//	branches  plans of alternatives, of which the first counts that the value looks like: kind, names of its members, and consts, members with one value
//	ref       the name of a plan in defs of the whole plan; # is the whole
//	defs      plans by name, of the whole plan
//
// What a plan does not fit stays as it is, and is refused by the decoder if it has to be. Arguments that are not well formed, or that have a
// member twice, are returned as they are.
func Plain(plan string, arguments []byte) []byte {
	if !wire.PeekAt(arguments).Once() {
		return arguments
	}
	whole := wire.PeekAt([]byte(plan))
	p := converter{whole: whole, defs: whole.In("defs")}
	return p.value(make([]byte, 0, len(arguments)), whole, wire.PeekAt(arguments), 0)
}

type converter struct{ whole, defs wire.Peek }

// value appends a value as a plan has it.
func (c *converter) value(b []byte, plan, v wire.Peek, depth int) []byte {
	plan = c.follow(plan, v)
	if depth > wire.MaxDepth || plan.Kind() != wire.Object {
		return append(b, v.JSON()...)
	}
	switch v.Kind() {
	case wire.Object:
		return c.object(b, plan, v, depth)
	case wire.Array:
		if values := plan.In("map"); values.Kind() == wire.Object && pairs(v) {
			return c.pairs(b, values, v, depth)
		}
		if items := plan.In("items"); items.Kind() == wire.Object {
			b = append(b, '[')
			n := 0
			for item := range v.Elements() {
				if n++; n > 1 {
					b = append(b, ',')
				}
				b = c.value(b, items, item, depth+1)
			}
			return append(b, ']')
		}
	}
	return append(b, v.JSON()...)
}

// mostSteps limits how many references and alternatives lead from one plan to another.
const mostSteps = 100

// follow returns the plan that a plan leads to by references, and by alternatives for a value.
func (c *converter) follow(plan, v wire.Peek) wire.Peek {
	for range mostSteps {
		name, isRef := plan.In("ref").Text()
		branches := plan.In("branches")
		switch {
		case isRef && name == "#":
			plan = c.whole
		case isRef:
			plan = c.defs.In(name)
		case branches.Kind() == wire.Array:
			plan = branchOf(branches, v)
		default:
			return plan
		}
	}
	return wire.Peek{}
}

func (c *converter) object(b []byte, plan, v wire.Peek, depth int) []byte {
	optional, members := texts(plan.In("optional")), plan.In("members")
	b = append(b, '{')
	n := 0
	for name, member := range v.Members() {
		if member.Kind() == wire.Null && slices.Contains(optional, name) {
			continue
		}
		if n++; n > 1 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, name), ':')
		b = c.value(b, members.In(name), member, depth+1)
	}
	return append(b, '}')
}

// pairs reports whether a value is an array of objects with a name, a value, and nothing else.
func pairs(v wire.Peek) bool {
	for item := range v.Elements() {
		members := 0
		for range item.Members() {
			members++
		}
		if _, ok := item.In("name").Text(); !ok || !item.Has("value") || members != 2 {
			return false
		}
	}
	return true
}

// pairs appends an array of names and values as an object. A name that is there twice stays there twice, which the decoder refuses.
func (c *converter) pairs(b []byte, values, v wire.Peek, depth int) []byte {
	b = append(b, '{')
	n := 0
	for item := range v.Elements() {
		if n++; n > 1 {
			b = append(b, ',')
		}
		b = append(append(b, item.In("name").JSON()...), ':')
		b = c.value(b, values, item.In("value"), depth+1)
	}
	return append(b, '}')
}

// kinds are JSON Schema's words for the kinds of values.
var kinds = map[wire.Kind][]string{wire.Null: {"null"}, wire.Boolean: {"boolean"}, wire.NumberKind: {"number", "integer"}, wire.Text: {"string"},
	wire.Array: {"array"}, wire.Object: {"object"}}

// branchOf returns the plan of the alternative that a value looks like: a value that is not there if it looks like none.
func branchOf(branches, v wire.Peek) wire.Peek {
	for b := range branches.Elements() {
		if kind, _ := b.In("kind").Text(); kind != "" && !slices.Contains(kinds[v.Kind()], kind) {
			// A map of a strict client is an array.
			if kind != "object" || v.Kind() != wire.Array || !b.Has("map") {
				continue
			}
		}
		if fits(b, v) {
			return b
		}
	}
	return wire.Peek{}
}

// fits reports whether an object has the members of an alternative and no others.
func fits(b, v wire.Peek) bool {
	if v.Kind() != wire.Object {
		return true
	}
	if names := b.In("names"); names.Kind() == wire.Array {
		known := texts(names)
		for name := range v.Members() {
			if !slices.Contains(known, name) {
				return false
			}
		}
	}
	for name, want := range b.In("consts").Members() {
		if string(v.In(name).JSON()) != string(want.JSON()) {
			return false
		}
	}
	return true
}

func texts(list wire.Peek) []string {
	var all []string
	for item := range list.Elements() {
		if s, ok := item.Text(); ok {
			all = append(all, s)
		}
	}
	return all
}
