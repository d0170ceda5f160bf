package openapi

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// family is what components say of each other by a discriminator: which of them add to a component by allOf, and the discriminator that holds for it.
type family struct {
	children      []source.Part
	child         bool // it adds to another
	discriminator source.Part
}

// choice is a union whose branches a member tells apart, as a discriminator says.
type choice struct {
	property string
	branches []branch
	null     bool // or null
}

// branch is a branch of a choice.
type branch struct {
	at    source.Part
	tags  []string
	own   bool // what adds to the component is other branches
	plain bool // it stands in place
}

// placeOf identifies a value of the files.
func placeOf(at source.Part) string { return at.File() + "#" + at.Pointer }

// families finds the families of some components, and of what their discriminators map.
func (l *lowering) families(todo []source.Part) {
	get := func(at source.Part) *family {
		is := placeOf(at)
		if l.family[is] == nil {
			l.family[is] = &family{}
		}
		return l.family[is]
	}
	for ; len(todo) > 0; todo = todo[1:] {
		at, fault := l.component(todo[0])
		if fault != nil || l.relatives[placeOf(at)] {
			continue
		}
		l.relatives[placeOf(at)] = true
		if propertyOf(at) != "" {
			get(at).discriminator = at
			l.owners = append(l.owners, at)
			for _, to := range l.mappingOf(at) {
				todo = append(todo, to.at)
			}
		}
		for _, part := range at.ElementsOf("allOf") {
			if to, fault := l.component(at.Of(part)); part.Has("$ref") && fault == nil {
				get(to).children, get(at).child = append(get(to).children, at), true
			}
		}
	}
	for _, owner := range l.owners { // those that add to it have it as well, unless they have one of their own
		for todo := slices.Clone(get(owner).children); len(todo) > 0; todo = todo[1:] {
			if f := get(todo[0]); f.discriminator.Kind != ir.Object {
				f.discriminator = owner
				todo = append(todo, f.children...)
			}
		}
	}
}

// familyOf is the family of a component; nil if it has none. Those of the components of its file are found before.
func (l *lowering) familyOf(at source.Part) *family {
	if file := at.Whole(); !l.relatives[file.File()] {
		l.relatives[file.File()] = true
		all := componentsOf(file)
		l.families(ir.Each(all.Members(), func(m source.Member) source.Part { return all.Of(m.Cursor) }))
	}
	return l.family[placeOf(at)]
}

// componentsOf are the named schemas of a file.
func componentsOf(file source.Part) source.Part {
	all, ok := file.Sub("components", "schemas")
	if !ok {
		all, _ = file.Sub("definitions")
	}
	return all
}

// propertyOf is the member that the discriminator of a schema names. Revision 2.0 gives its name alone.
func propertyOf(at source.Part) string {
	d, _ := at.Get("discriminator")
	if d.Kind == ir.Text {
		return d.Text
	}
	return d.TextOf("propertyName")
}

// additions are the components that add to one and share its discriminator, in any number of steps; first those that add to it directly.
func (l *lowering) additions(at source.Part) (all []source.Part) {
	f := l.familyOf(at)
	if f == nil || f.discriminator.Kind != ir.Object {
		return nil
	}
	property, seen := propertyOf(f.discriminator), map[string]bool{placeOf(at): true}
	for todo := slices.Clone(f.children); len(todo) > 0 && len(all) < mostParts; todo = todo[1:] {
		is := todo[0]
		if seen[placeOf(is)] {
			continue
		}
		seen[placeOf(is)] = true
		all = append(all, is)
		if sub := l.familyOf(is); propertyOf(sub.discriminator) == property { // others are a choice of their own
			todo = append(todo, sub.children...)
		}
	}
	return all
}

// choiceOf is the choice that a schema is by its discriminator, or by that of what it adds to; nil if it is none.
func (l *lowering) choiceOf(at source.Part) *choice {
	is := placeOf(at)
	if known, there := l.choices[is]; there {
		return known
	}
	l.choices[is] = nil // it may lie in itself
	owner, listed := at, slices.Concat(at.ElementsOf("oneOf"), at.ElementsOf("anyOf"))
	if f := l.familyOf(at); len(listed) > 0 && propertyOf(at) == "" {
		owner = l.ownerOf(at, listed)
	} else if f != nil && f.discriminator.Kind == ir.Object {
		owner = f.discriminator
	}
	c := &choice{property: propertyOf(owner)}
	if c.property == "" {
		return nil
	}
	mapped := l.tagMapping(owner)
	if len(listed) > 0 {
		l.list(c, at, listed)
	} else {
		l.descend(c, at, len(mapped) == 0 || mapped[is] != nil || owner.Pointer != at.Pointer)
	}
	if len(c.branches) == 0 {
		return nil
	}
	reason := l.tag(c, mapped, len(listed) > 0)
	if reason == "" {
		l.choices[is] = c
		return c
	}
	if reason != needless {
		l.note("the discriminator " + source.Quote(c.property) + " (" + owner.Pos.String() + ") is not used: " + reason)
	}
	return nil
}

// ownerOf is the component whose discriminator all branches of a union without one have, as they add to it; the zero Part if there is none.
func (l *lowering) ownerOf(at source.Part, listed []source.Cursor) (owner source.Part) {
	for _, one := range listed {
		if one.TextOf("type") == "null" {
			continue
		}
		target, _ := l.component(at.Of(one))
		f := l.familyOf(target)
		if f == nil || f.discriminator.Kind != ir.Object || owner.Kind == ir.Object && placeOf(owner) != placeOf(f.discriminator) {
			return source.Part{}
		}
		owner = f.discriminator
	}
	return owner
}

// needless is why a discriminator is not used whose branches say all of it themselves.
const needless = "needless"

// add adds a branch that is not there yet.
func (c *choice) add(b branch) {
	if !slices.ContainsFunc(c.branches, func(other branch) bool { return placeOf(other.at) == placeOf(b.at) }) {
		c.branches = append(c.branches, b)
	}
}

// list adds the branches that a union lists. One that is a choice by the same member stands for its branches.
func (l *lowering) list(c *choice, at source.Part, listed []source.Cursor) {
	for _, one := range listed {
		target, plain := at.Of(one), true
		if only := soleRef(target); only != nil {
			if to, fault := l.component(*only); fault == nil { // else it is reported where the branch is written
				target, plain = to, false
			}
		}
		inner := l.choiceOf(target)
		switch {
		case one.TextOf("type") == "null":
			c.null = true
		case inner != nil && inner.property == c.property:
			for _, b := range inner.branches {
				c.add(b)
			}
		default:
			c.add(branch{at: target, plain: plain})
		}
	}
}

// descend adds the components that add to one as branches, and itself if that is one.
func (l *lowering) descend(c *choice, at source.Part, itself bool) {
	children := l.additions(at)
	if itself && len(children) > 0 {
		c.add(branch{at: at, own: true})
	}
	for _, child := range children {
		sub := l.familyOf(child)
		c.add(branch{at: child, own: propertyOf(sub.discriminator) == c.property})
	}
}

// mapping is a tag of a discriminator with what it stands for, or why that is not known.
type mapping struct {
	tag   source.Member
	at    source.Part
	fault *source.Fault
}

// mappingOf is the mapping of a discriminator. What a tag stands for is the name of a component, or a reference.
func (l *lowering) mappingOf(owner source.Part) (all []mapping) {
	tags, _ := owner.Sub("discriminator", "mapping")
	for _, m := range tags.Members() {
		at, named := componentsOf(owner.Whole()).Sub(m.Text)
		if !named {
			at = tags.Of(source.Cursor{Value: object(tags, member("$ref", m.Value)), Pointer: m.Pointer, Index: m.Index})
		}
		to, fault := l.component(at)
		all = append(all, mapping{m, to, fault})
	}
	return all
}

// tagMapping are the tags of the components that a discriminator maps, by their places. Those that lead nowhere, or to something else, are noted.
func (l *lowering) tagMapping(owner source.Part) map[string][]string {
	all := map[string][]string{}
	for _, m := range l.mappingOf(owner) {
		why, f := "", l.familyOf(m.at)
		switch {
		case m.fault != nil:
			why = m.fault.Message
		case !owner.Has("oneOf") && !owner.Has("anyOf") && placeOf(m.at) != placeOf(owner) && (f == nil || !f.child):
			why = "what it leads to does not add to " + nameAt(owner) + " by allOf"
		default:
			all[placeOf(m.at)] = append(all[placeOf(m.at)], m.tag.Name)
			continue
		}
		l.note("the tag " + source.Quote(m.tag.Name) + " (" + m.tag.Pos.String() + ") is not used: " + why)
	}
	return all
}

// note reports what is said once.
func (l *lowering) note(text string) {
	if !slices.Contains(l.said.Notes, text) {
		l.said.Notes = append(l.said.Notes, text)
	}
}

// tag gives the branches of a choice their tags. What it returns says why they are not told apart by these.
func (l *lowering) tag(c *choice, mapped map[string][]string, listed bool) string {
	fixed, times, taken := make([][]string, len(c.branches)), map[string]int{}, map[string]bool{}
	for i, b := range c.branches {
		for _, p := range l.memberSchemas(b.at, c.property) {
			if slices.ContainsFunc(source.ValuesOf(p.Cursor), func(v ir.Value) bool { return v.Kind == ir.Integer }) {
				return needless // the language tells branches apart by numbers as well
			}
			if s := l.shapeOf(p); len(fixed[i]) == 0 && len(s.enum) > 0 && !s.anyText {
				fixed[i] = s.enum
			}
		}
		for _, tag := range fixed[i] {
			times[tag]++
		}
		if len(fixed[i])+len(mapped[placeOf(b.at)]) == 0 {
			times[nameAt(b.at)]++
		}
	}
	needed, all := !listed, c.branches
	c.branches = nil
	for i, b := range all {
		reason, of := "", mapped[placeOf(b.at)]
		if b.tags, reason = b.tagsOf(of, fixed[i], times); reason != "" && (listed || len(of) > 0 || len(all) == 1) {
			return reason
		} else if reason != "" {
			if len(l.additions(b.at)) == 0 { // else it is only what others add to
				l.note("the discriminator " + source.Quote(c.property) + " (" + b.at.Pos.String() + ") has one branch less: " + reason)
			}
			continue
		}
		for _, tag := range b.tags {
			if taken[tag] {
				return source.Quote(tag) + " stands for several branches"
			}
			taken[tag] = true
		}
		needed = needed || b.own || !slices.Equal(b.tags, fixed[i]) || !l.neededIn(b.at, map[string]map[string]bool{})[c.property] || l.choiceOf(b.at) != nil
		c.branches = append(c.branches, b)
	}
	if !needed {
		return needless
	}
	return ""
}

// tagsOf are the tags of a branch: those that mapping and schema agree on, or one of them gives, or else its name. Times counts branches with a value.
func (b branch) tagsOf(mapped, fixed []string, times map[string]int) (tags []string, reason string) {
	name := nameAt(b.at)
	for _, key := range []string{"x-ms-discriminator-value", "x-discriminator-value"} {
		if tag := b.at.TextOf(key); tag != "" && len(mapped) == 0 {
			mapped = []string{tag}
		}
	}
	own := slices.DeleteFunc(slices.Clone(fixed), func(tag string) bool { return times[tag] > 1 })
	if len(mapped) > 0 && len(fixed) > 0 {
		own = slices.DeleteFunc(slices.Clone(mapped), func(tag string) bool { return !slices.Contains(fixed, tag) })
		if len(own) == 0 {
			return nil, "the mapping of " + source.Quote(name) + " and its values differ"
		}
	}
	named := slices.IndexFunc(fixed, func(tag string) bool { return strings.EqualFold(tag, name) })
	switch {
	case len(own) > 0:
		return own, ""
	case len(mapped) > 0:
		return mapped, ""
	case len(b.tags) > 0:
		return b.tags, ""
	case named >= 0:
		return fixed[named : named+1], ""
	case b.plain || len(fixed) > 0:
		return nil, "nothing says which value stands for " + source.Quote(name)
	}
	return []string{name}, ""
}

// memberSchemas are the schemas that a component gives a member: its own, and those of what it adds to.
func (l *lowering) memberSchemas(at source.Part, property string) (all []source.Part) {
	seen := map[string]bool{}
	for todo := []source.Part{at}; len(todo) > 0; todo = todo[1:] {
		at, fault := l.component(todo[0])
		if fault != nil || seen[placeOf(at)] || len(seen) > mostParts {
			continue
		}
		seen[placeOf(at)] = true
		if p, ok := at.Sub("properties", property); ok {
			all = append(all, p)
		}
		for _, part := range at.ElementsOf("allOf") {
			todo = append(todo, at.Of(part))
		}
	}
	return all
}

// isChoice reports whether a schema is a choice, or refers to one and says nothing else.
func (l *lowering) isChoice(at source.Part) bool {
	if only := soleRef(at); only != nil {
		at = *only
	}
	target, fault := l.component(at)
	return fault == nil && l.choiceOf(target) != nil
}

// givenChoice is a choice as a union whose branches have tags.
func (l *lowering) givenChoice(s source.Part, r role, c *choice) ir.Value {
	l.work.Do(source.OfSchema * len(c.branches))
	rest := s.Of(s.Without([]string{"oneOf", "anyOf"}))
	more := source.HasAny(rest.Without([]string{"type"}), source.Checks)
	array := func(items ...ir.Value) ir.Value { return ir.Value{Pos: s.Pos, Kind: ir.Array, Items: items} }
	tags, branches, below := array(), array(), map[string]bool{placeOf(s): true}
	for _, child := range l.additions(s) {
		below[placeOf(child)] = true
	}
	for _, b := range c.branches {
		of := r
		of.base = b.own
		var parts []ir.Value
		if b.plain {
			parts = append(parts, l.inputSchema(b.at, r))
		} else {
			one, _ := l.refer(s.Of(s.Without([]string{"description"})), b.at, of)
			parts = append(parts, one)
		}
		if of.base = true; more && !below[placeOf(b.at)] {
			parts = append(parts, l.inputSchema(rest, of))
		}
		said := l.memberSchemas(b.at, c.property) != nil || l.choiceOf(b.at) != nil
		for _, tag := range b.tags {
			all := parts
			if !said {
				is := object(s, member(c.property, object(s, member("const", text(tag)))))
				tagged := object(s, member("type", text("object")), member("properties", is), member("required", array(text(c.property))))
				all = append(slices.Clone(parts), tagged)
			}
			one := all[0]
			if len(all) > 1 {
				one = object(s, member("allOf", array(all...)))
			}
			branches.Items, tags.Items = append(branches.Items, one), append(tags.Items, text(tag))
		}
	}
	by := object(s, member("property", text(c.property)), member(convert.Tags, tags), member("open", boolean(r.answer)))
	v := object(s, member("anyOf", branches), member(convert.Tags, by))
	if told := l.o.shorten(s.TextOf("description"), longestField); told != "" {
		v.Fields = append(v.Fields, member("description", text(told)))
	}
	t, _ := s.Get("type")
	if !r.form && (c.null || s.IsTrue("nullable", "x-nullable") || slices.ContainsFunc(t.Items, func(v ir.Value) bool { return v.Text == "null" })) {
		v = object(s, member("anyOf", array(v, ofType(s, "null"))))
	}
	return v
}
