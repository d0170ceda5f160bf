package convert

import (
	"slices"
	"sort"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// mostLeaves bounds the schemas of a branch that are looked at, deepestLeaf their depth, largestLeaf the values of one without a name: others stay.
const (
	mostLeaves  = 1000
	deepestLeaf = 32
	largestLeaf = 100
)

// branching is what is done with the branches of a union before each is converted.
type branching struct{ c *Converter }

// leaf is an alternative that a union has in the end, through those that it refers to.
type leaf struct {
	source.Cursor
	key string // alike for two that are the same schema
}

// leavesOf appends the alternatives of a branch of anyOf to all: of the anyOf that it is or refers to, or else itself. It reports false if there are too many.
func (u branching) leavesOf(s source.Cursor, depth int, all []leaf) ([]leaf, bool) {
	if !u.c.Resolver.Work.May(1) || len(all) >= mostLeaves || depth > deepestLeaf {
		return nil, false
	}
	target := u.c.Resolver.Target(s)
	if inner, ok := target.Get("anyOf"); ok && !source.HasAny(target.Without([]string{"anyOf"}), source.Checks) {
		for _, item := range inner.Elements() {
			if all, ok = u.leavesOf(item, depth+1, all); !ok {
				return nil, false
			}
		}
		return all, true
	}
	key := target.Pointer
	if _, named := u.c.Names[key]; !named && SizeOf(target.Value, largestLeaf) < largestLeaf {
		rules := target
		rules.Fields = slices.DeleteFunc(slices.Clone(target.Fields), func(m ir.Member) bool { return !slices.Contains(source.Checks, m.Name) })
		key = rules.String()
	}
	return append(all, leaf{target, key}), true
}

// branch is a branch of anyOf with its alternatives.
type branch struct {
	source.Cursor
	leaves []leaf // each once; nil if there are too many
}

func (u branching) leaves(items []source.Cursor) []branch {
	all := make([]branch, len(items))
	for i, item := range items {
		of, _ := u.leavesOf(item, 0, nil)
		all[i] = branch{item, of}
		sort.SliceStable(of, func(i, j int) bool { return of[i].key < of[j].key })
		all[i].leaves = slices.CompactFunc(of, func(a, b leaf) bool { return a.key == b.key })
	}
	return all
}

// dropSubsumed leaves out the branches each of whose alternatives is one of another branch as well.
func dropSubsumed(branches []branch) (all []branch) {
	times := map[string]int{}
	for _, b := range branches {
		for _, l := range b.leaves {
			times[l.key]++
		}
	}
	for _, b := range branches {
		if len(b.leaves) == 0 || slices.ContainsFunc(b.leaves, func(l leaf) bool { return times[l.key] < 2 }) {
			all = append(all, b)
			continue
		}
		for _, l := range b.leaves {
			times[l.key]--
		}
	}
	return all
}

// oneText joins the branches that are lists of texts. If one takes any text, so do all that are texts.
func oneText(branches []branch) (all []source.Cursor) {
	isAny := func(l leaf) bool { return anyOfType(l.Cursor) == ir.Text }
	open := slices.ContainsFunc(branches, func(b branch) bool { return slices.ContainsFunc(b.leaves, isAny) })
	isText := func(l leaf) bool { return listsTexts(l.Cursor) || open && l.TextOf("type") == "string" }
	var texts []branch
	at := 0
	for _, b := range branches {
		if len(b.leaves) > 0 && !slices.ContainsFunc(b.leaves, func(l leaf) bool { return !isText(l) }) {
			if texts = append(texts, b); len(texts) > 1 {
				continue
			}
			at = len(all)
		}
		all = append(all, b.Cursor)
	}
	if len(texts) > 1 {
		all[at] = joinedTexts(texts, open)
	}
	return all
}

// joinedTexts is a schema of the texts that several branches take.
func joinedTexts(texts []branch, open bool) source.Cursor {
	text := func(s string) ir.Value { return ir.Value{Kind: ir.Text, Text: s} }
	object := func(name string, v ir.Value) ir.Value {
		return ir.Value{Pos: texts[0].Pos, Kind: ir.Object, Fields: []ir.Member{{Name: name, Value: v}}}
	}
	var values []ir.Value
	seen := map[string]bool{}
	for _, b := range texts {
		for _, l := range b.leaves {
			for _, v := range source.ValuesOf(l.Cursor) {
				if !seen[v.Text] {
					seen[v.Text] = true
					values = append(values, v)
				}
			}
		}
	}
	is, other := object("enum", ir.Value{Kind: ir.Array, Items: values}), object("type", text("string"))
	switch {
	case open && len(values) < 2:
		is = other
	case open:
		is = object("anyOf", ir.Value{Kind: ir.Array, Items: []ir.Value{is, other}})
	}
	return source.Cursor{Value: is, Pointer: texts[0].Pointer, Index: texts[0].Index}
}

// listsTexts reports whether a schema is a list of texts, and no more.
func listsTexts(s source.Cursor) bool {
	values := source.ValuesOf(s)
	return len(values) > 0 && ofType(s, values) && !slices.ContainsFunc(values, func(v ir.Value) bool { return v.Kind != ir.Text }) &&
		!source.HasAny(s.Without([]string{"type", "enum", "const"}), source.Checks)
}

// distribute are the branches of a union, each with what is said of all of them and limits values of its kinds.
func (u branching) distribute(rest source.Cursor, items []source.Cursor) []source.Cursor {
	rest = rest.Without([]string{"title", "description", "default", "examples", "deprecated", "$defs", "definitions", "$schema", "$id", "$anchor"})
	all := make([]source.Cursor, len(items))
	for i, item := range items {
		limits := u.limitsOf(rest, item)
		if !source.HasAny(limits, source.Checks) {
			all[i] = item
			continue
		}
		both := ir.Value{Pos: item.Pos, Kind: ir.Array, Items: []ir.Value{limits.Value, item.Value}}
		all[i] = source.Cursor{Value: ir.Value{Pos: item.Pos, Kind: ir.Object, Fields: []ir.Member{{Name: "allOf", Value: both}}}, Pointer: item.Pointer,
			Index: item.Index}
	}
	return all
}

// limitsOf is a schema without what limits no value of another one.
func (u branching) limitsOf(s, other source.Cursor) source.Cursor {
	kinds := u.c.Resolver.KindsOf(other)
	if kinds == nil {
		return s
	}
	idle := jsonschema.Names(func(k *jsonschema.Keyword) bool { return k.Checks && k.Kind != "" && !slices.Contains(kinds, k.Kind) })
	if t, ok := s.Get("type"); ok {
		takes := u.c.Resolver.KindsOf(source.Cursor{Value: ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "type", Value: t.Value}}}})
		integers := slices.Contains(kinds, "number") && slices.ContainsFunc(append(slices.Clone(t.Items), t.Value),
			func(v ir.Value) bool { return v.Text == "integer" })
		if !integers && !slices.ContainsFunc(kinds, func(k string) bool { return !slices.Contains(takes, k) }) {
			idle = append(idle, "type")
		}
	}
	return s.Without(idle)
}
