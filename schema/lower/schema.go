package lower

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// schema rewrites a schema within an input.
func (l *lowerer) schema(s ir.Value) (ir.Value, *shape) {
	if l.left--; s.Kind != ir.Object || l.left < 0 {
		return ir.Value{Kind: ir.Object}, nil // true is {}, and so is what is too much
	}
	if ref, ok := s.Get("$ref"); ok {
		return l.reference(s, ref.Text)
	}
	out := &builtSchema{}
	s = l.merge(s)
	s, nullable := l.withoutNull(s)
	shape := l.body(out, s)
	l.rest(out, s)
	l.describe(out, s)
	if nullable {
		return l.nullable(out.value()), shape
	}
	return out.value(), shape
}

// reference writes what a reference leads to in place. In strict modes, what leads back to itself stays a definition; otherwise it ends after two levels.
func (l *lowerer) reference(s ir.Value, ref string) (ir.Value, *shape) {
	target, found := jsonschema.Follow(l.whole, ref)
	switch {
	case !found:
		return ir.Value{Kind: ir.Object}.Set("description", text(escape.Sentences(s.Member("description").Text, "Any value."))), nil
	case l.strict && l.recursive[ref]:
		if ref == "#" {
			return ir.Value{Kind: ir.Object}.Set("$ref", text("#")), &shape{ref: "#"}
		}
		name := definitionName(ref)
		if l.named[name] == nil {
			d := &definition{}
			l.named[name] = d
			l.order = append(l.order, name)
			d.schema, d.shape = l.schema(target)
		}
		return ir.Value{Kind: ir.Object}.Set("$ref", text("#/$defs/"+name)), &shape{ref: name}
	case l.within[ref] >= mostLevels || l.left < 0:
		out := &builtSchema{}
		out.set("type", text("object"))
		if types := typesOf(target); len(types) > 0 && types[0] != "null" {
			out.set("type", text(types[0]))
		}
		out.say("As " + escape.Unescaped(definitionName(ref)) + " above.")
		if t, _ := out.get("type"); t.Text == "array" {
			out.set("items", ir.Value{Kind: ir.Object})
		}
		if t, _ := out.get("type"); l.strict && t.Text == "object" {
			out.set("properties", ir.Value{Kind: ir.Object})
			out.set("required", ir.Value{Kind: ir.Array})
			out.set("additionalProperties", no)
		}
		l.describe(out, s)
		return out.value(), nil
	}
	l.within[ref]++
	defer func() { l.within[ref]-- }()
	return l.schema(overlaid(target, s.Without("$ref")))
}

// describe writes the title and the description, with the sentences that were collected.
func (l *lowerer) describe(out *builtSchema, s ir.Value) {
	if title, ok := s.Get("title"); ok && title.Kind == ir.Text {
		out.set("title", title)
	}
	d, _ := s.Get("description")
	if d.Kind != ir.Text {
		d = text("")
	}
	if words := out.words; len(words) > 0 {
		out.set("description", text(escape.Sentences(d.Text, words...)))
	} else if d.Text != "" {
		out.set("description", d)
	}
}

// nullable returns a schema that takes null, too.
func (l *lowerer) nullable(s ir.Value) ir.Value {
	if len(s.Fields) == 0 {
		return s
	}
	if !l.strict {
		return s.Set("nullable", yes)
	}
	null := ir.Value{Kind: ir.Object}.Set("type", text("null"))
	any, isAny := s.Get("anyOf")
	t, typed := s.Get("type")
	switch {
	case isAny:
		if slices.ContainsFunc(any.Items, func(b ir.Value) bool { return slices.Contains(typesOf(b), "null") }) {
			return s
		}
		any.Items = append(slices.Clone(any.Items), null)
		return s.Set("anyOf", any)
	case typed && t.Kind == ir.Text && t.Text != "null":
		s = s.Set("type", ir.TextList(t.Text, "null"))
		if values, ok := s.Get("enum"); ok {
			values.Items = append(slices.Clone(values.Items), ir.Value{Kind: ir.Null, Text: "null"})
			s = s.Set("enum", values)
		}
		return s
	case s.Has("$ref"):
		return ir.Value{Kind: ir.Object}.Set("anyOf", ir.Value{Kind: ir.Array, Items: []ir.Value{s, null}})
	}
	return s
}

// merge returns a schema with what its allOf says: the keywords of all parts, where they do not contradict each other.
func (l *lowerer) merge(s ir.Value) ir.Value {
	for depth := 0; s.Has("allOf") && depth < 20; depth++ {
		all := s.Member("allOf")
		s = s.Without("allOf")
		for _, part := range all.Items {
			for _, m := range l.resolve(part).Fields {
				old, ok := s.Get(m.Name)
				switch {
				case !ok:
					s = s.Set(m.Name, m.Value)
				case m.Name == "properties":
					for _, p := range m.Value.Fields {
						if _, both := old.Get(p.Name); !both {
							old = old.Set(p.Name, p.Value)
						}
					}
					s = s.Set(m.Name, old)
				case m.Name == "required":
					s = s.Set(m.Name, ir.Value{Kind: ir.Array, Items: append(slices.Clone(old.Items), m.Value.Items...)})
				case old.String() != m.Value.String() && m.Name != "description" && m.Name != "title":
					s = s.Set("not", ir.Value{Kind: ir.Object}) // which becomes the words that there is more to it
				}
			}
		}
	}
	return s
}

// withoutNull returns a schema without null, and whether it took null.
func (l *lowerer) withoutNull(s ir.Value) (ir.Value, bool) {
	nullable := false
	if types := typesOf(s); len(types) > 1 && slices.Contains(types, "null") {
		types = slices.DeleteFunc(types, func(t string) bool { return t == "null" })
		nullable = true
		s = s.Set("type", ir.TextList(types...))
		if len(types) == 1 {
			s = s.Set("type", text(types[0]))
		}
	}
	if values, ok := s.Get("enum"); ok && len(values.Items) > 1 {
		rest := slices.DeleteFunc(slices.Clone(values.Items), func(v ir.Value) bool { return v.Kind == ir.Null })
		if len(rest) < len(values.Items) {
			nullable = nullable || !s.Has("type")
			s = s.Set("enum", ir.Value{Kind: ir.Array, Items: rest})
		} else if nullable {
			nullable = false // the enum does not list it
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		branches, ok := s.Get(keyword)
		if !ok {
			continue
		}
		isNull := func(b ir.Value) bool {
			c, isConst := b.Get("const")
			return isConst && c.Kind == ir.Null || slices.Equal(typesOf(b), []string{"null"})
		}
		rest := slices.DeleteFunc(slices.Clone(branches.Items), isNull)
		if len(rest) == len(branches.Items) || len(rest) == 0 {
			continue
		}
		if nullable = true; len(rest) == 1 {
			s = overlaid(l.merge(l.inPlace(rest[0])), s.Without(keyword))
			inner, again := l.withoutNull(s)
			return inner, nullable || again
		}
		s = s.Set(keyword, ir.Value{Kind: ir.Array, Items: rest})
	}
	return s, nullable
}

// inPlace follows a reference, unless that has to stay, or is one level too many.
func (l *lowerer) inPlace(s ir.Value) ir.Value {
	ref, ok := s.Get("$ref")
	if !ok || l.recursive[ref.Text] || !l.strict && l.leadsBack(ref.Text) {
		if ok { // a union of one, which is written as a reference
			return ir.Value{Kind: ir.Object}.Set("anyOf", ir.Value{Kind: ir.Array, Items: []ir.Value{s}})
		}
		return s
	}
	return l.resolve(s)
}

// leadsBack reports whether a definition contains itself.
func (l *lowerer) leadsBack(ref string) bool {
	if len(l.recursive) == 0 {
		l.findRecursive()
	}
	return l.recursive[ref]
}

// body writes the type of a schema and what belongs to it.
func (l *lowerer) body(out *builtSchema, s ir.Value) *shape {
	if values, ok := l.constants(s); ok {
		l.enum(out, s, values)
		return nil
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		branches, ok := s.Get(keyword)
		if !ok {
			continue
		}
		if s.Has("properties") || !slices.ContainsFunc(branches.Items, l.saysMore) {
			l.alternatives(out, branches)
			continue
		}
		return l.union(out, s, keyword, branches.Items)
	}
	types := typesOf(s)
	switch {
	case len(types) > 1:
		branches := ir.Each(types, func(t string) ir.Value { return s.Without("description", "title").Set("type", text(t)) })
		return l.union(out, s, "anyOf", branches)
	case len(types) == 0 && s.Has("properties"):
		types = []string{"object"}
	case len(types) == 0 && s.Has("items", "prefixItems"):
		types = []string{"array"}
	case len(types) == 0:
		return nil
	}
	switch types[0] {
	case "object":
		return l.object(out, s, false)
	case "array":
		return l.array(out, s)
	case "null":
		if l.strict {
			out.set("type", text("null"))
			return nil
		}
		out.set("type", text("string"))
		out.set("nullable", yes)
		out.say("Only null.")
		return nil
	}
	out.set("type", text(types[0]))
	return nil
}

// saysMore reports whether an alternative says more than which members it requires.
func (l *lowerer) saysMore(branch ir.Value) bool {
	return slices.ContainsFunc(branch.Fields, func(m ir.Member) bool {
		return !slices.Contains([]string{"required", "not", "description", "title", "type"}, m.Name) || m.Name == "type" && !branch.Has("required")
	})
}

// alternatives says which members belong together.
func (l *lowerer) alternatives(out *builtSchema, branches ir.Value) {
	var needed []string
	for _, b := range branches.Items {
		if names := namesOf(b, "required"); len(names) > 0 {
			needed = append(needed, strings.Join(names, " and "))
		}
	}
	if len(needed) == len(branches.Items) {
		out.say("Give " + strings.Join(needed, " or ") + ".")
	} else {
		out.say(moreConditions)
	}
}

const moreConditions = "Further conditions hold, which the server checks."

// union writes alternatives.
func (l *lowerer) union(out *builtSchema, _ ir.Value, keyword string, all []ir.Value) *shape {
	list := ir.Value{Kind: ir.Array}
	result := &shape{}
	changes := false
	for _, b := range all {
		lowered, inner := l.schema(b)
		list.Items = append(list.Items, lowered)
		changes = changes || inner != nil
		result.branches = append(result.branches, l.look(b, inner))
	}
	if keyword == "oneOf" && !l.disjoint(all) {
		out.say("Exactly one of the forms.")
	}
	out.set("anyOf", list)
	if !changes {
		return nil
	}
	return result
}

// disjoint reports whether alternatives are told apart by their types, or by a member with one value.
func (l *lowerer) disjoint(all []ir.Value) bool {
	seen := map[string]bool{}
	for _, b := range all {
		b := l.look(b, nil)
		key := b.kind
		for _, c := range b.consts {
			key += " " + c.Name + "=" + c.Value.String()
		}
		if b.kind == "" || seen[key] || seen[b.kind] {
			return false
		}
		seen[key] = true
	}
	return true
}

// look says what the values of an alternative look like.
func (l *lowerer) look(b ir.Value, inner *shape) branch {
	s := l.merge(l.resolve(b))
	one := branch{shape: inner}
	if types := typesOf(s); len(types) == 1 {
		one.kind = types[0]
	}
	properties, ok := s.Get("properties")
	if !ok {
		return one
	}
	one.kind, one.names = "object", []string{}
	for _, m := range properties.Fields {
		one.names = append(one.names, m.Name)
		property := l.resolve(m.Value)
		if c, ok := property.Get("const"); ok {
			one.consts = append(one.consts, ir.Member{Name: m.Name, Value: c})
		} else if values, ok := property.Get("enum"); ok && len(values.Items) == 1 {
			one.consts = append(one.consts, ir.Member{Name: m.Name, Value: values.Items[0]})
		}
	}
	return one
}

// object writes an object, which may be the whole input.
func (l *lowerer) object(out *builtSchema, s ir.Value, whole bool) *shape {
	properties, hasProperties := s.Get("properties")
	extra, hasExtra := s.Get("additionalProperties")
	out.set("type", text("object"))
	if open := !hasExtra || extra.Kind != ir.Boolean || extra.Text != "false"; l.strict && len(properties.Fields) == 0 && open && !whole {
		return l.pairs(out, extra)
	}
	result := &shape{}
	required := namesOf(s, "required")
	all := ir.Value{Kind: ir.Object}
	var names []string
	for _, m := range properties.Fields {
		lowered, inner := l.schema(m.Value)
		optional := !slices.Contains(required, m.Name)
		if l.strict && optional && len(lowered.Fields) > 0 {
			if !l.takesNull(m.Value) {
				result.optional = append(result.optional, m.Name)
			}
			lowered = l.nullable(lowered)
		}
		if inner != nil {
			result.members = append(result.members, part{m.Name, inner})
		}
		if l.strict || !optional {
			names = append(names, m.Name)
		}
		all.Fields = append(all.Fields, ir.Member{Name: m.Name, Value: lowered})
	}
	if hasProperties || l.strict || whole {
		out.set("properties", all)
	}
	if len(names) > 0 || l.strict {
		list := ir.TextList(names...)
		out.set("required", list)
	}
	if l.strict {
		out.set("additionalProperties", no)
	} else if extra.Kind == ir.Object {
		out.say(valuesWords(l.resolve(extra)))
	}
	if len(result.optional) == 0 && len(result.members) == 0 {
		return nil
	}
	return result
}

// takesNull reports whether the plain schema takes null.
func (l *lowerer) takesNull(s ir.Value) bool {
	s = l.merge(l.resolve(s))
	if _, nullable := l.withoutNull(s); nullable || slices.Contains(typesOf(s), "null") {
		return true
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if slices.ContainsFunc(s.Member(keyword).Items, func(b ir.Value) bool { return slices.Contains(typesOf(l.resolve(b)), "null") }) {
			return true
		}
	}
	return !s.Has("type", "enum", "const", "anyOf", "oneOf", "properties", "items") // anything
}

// pairs writes a map as a list of names and values, since strict modes have no free names.
func (l *lowerer) pairs(out *builtSchema, element ir.Value) *shape {
	lowered, inner := l.schema(element)
	pair := &builtSchema{}
	pair.set("type", text("object"))
	pair.set("properties", ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "name", Value: ir.Value{}.Set("type", text("string"))},
		{Name: "value", Value: lowered}}})
	pair.set("required", ir.TextList("name", "value"))
	pair.set("additionalProperties", no)
	out.set("type", text("array"))
	out.set("items", pair.value())
	out.say("Each name once.")
	return &shape{isMap: true, values: inner}
}

// valuesWords says what a map holds.
func valuesWords(element ir.Value) string {
	if types := typesOf(element); len(types) > 0 {
		return "Members have any name, and values of type " + strings.Join(types, " or ") + "."
	}
	return "Members have any name."
}

// array writes a list. A tuple becomes a list of what its elements may be.
func (l *lowerer) array(out *builtSchema, s ir.Value) *shape {
	out.set("type", text("array"))
	items, ok := s.Get("items")
	elements, tuple := s.Get("prefixItems")
	if items.Kind == ir.Array {
		elements, tuple, ok = items, true, false
	}
	if !tuple {
		if !ok || items.Kind != ir.Object {
			out.set("items", ir.Value{Kind: ir.Object})
			out.say("Any values.")
			return nil
		}
		return out.items(l.schema(items))
	}
	all := slices.Clone(elements.Items)
	if ok && items.Kind == ir.Object {
		all = append(all, items)
	}
	var different []ir.Value
	var order []string
	for i, e := range all {
		if !slices.ContainsFunc(different, func(d ir.Value) bool { return d.String() == e.String() }) {
			different = append(different, e)
		}
		word := strings.Join(typesOf(l.resolve(e)), " or ")
		if title, ok := e.Get("title"); ok {
			word = title.Text
		}
		word = cmp.Or(word, "any value")
		if i >= len(elements.Items) {
			word = "then any number of " + word
		}
		order = append(order, word)
	}
	out.say("In this order: " + strings.Join(order, ", ") + ".")
	if len(different) == 0 {
		out.set("items", ir.Value{Kind: ir.Object})
		return nil
	}
	if len(different) == 1 {
		return out.items(l.schema(different[0]))
	}
	element := &builtSchema{}
	inner := l.union(element, ir.Value{}, "anyOf", different)
	return out.items(element.value(), inner)
}
