package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// byProperty decides a list of branches by a property whose constants they declare.
func (c *decider) byProperty(how decisionKeys, property string, all []leaf) ir.Decision {
	for _, l := range all {
		s, ok := l.shape.(*ir.Struct)
		f := (*ir.Field)(nil)
		if ok {
			f = s.Field(property)
		}
		if f == nil || tagsOf(f.Type) == nil {
			c.branchFault(how, l, "give it "+property+" with a const, or write the union as a mapping from tag to type",
				"branch "+quote(l.name)+" does not fix "+quote(property))
			return nil
		}
	}
	groups, _ := tagProperty(all, property)
	if groups == nil && how.absent == nil {
		c.branchFault(how, all[0], "say which one is meant with absent:", quote(property)+" is optional in several branches")
		return nil
	}
	d, failure := new(inference).byTags(all, property, 0)
	if failure != nil {
		c.undecidable(how, *failure)
		return nil
	}
	return c.withAbsent(how, d)
}

func (c *decider) branchFault(how decisionKeys, l leaf, help, message string) {
	at := how.span
	if how.by != nil {
		at = valueSpan(*how.by)
	}
	c.collide(diag.InvalidUnion, at, help, message, point(l.branch.Pos, 1), "branch "+quote(l.name))
}

// byPropertyTags decides by the tags that the author gave.
func (c *decider) byPropertyTags(u *ir.Union, how decisionKeys, property string, all []leaf) ir.Decision {
	d := &ir.ByProperty{Property: property}
	for _, b := range u.Branches {
		tag := ir.Value{Pos: b.Pos, Kind: ir.Text, Text: b.Name}
		for _, l := range branchLeaves(all, b) {
			found, ok := c.tagOf(how, l, property, b.Name)
			if !ok {
				return nil
			}
			tag.Kind = found
		}
		if inner, ok := ir.Underlying(b.Type).(*ir.Union); ok {
			by, ok := inner.Decide.(*ir.ByProperty)
			if ok && by.Property == property && slices.ContainsFunc(by.Cases, func(one ir.Case) bool { return one.Tag.Text != b.Name }) {
				c.branchFault(how, leaf{branch: b, name: b.Name}, "tell them apart by another property",
					"the branches of the union "+quote(b.Name)+" have other tags in "+quote(property))
				return nil
			}
		}
		d.Cases = append(d.Cases, ir.Case{Tag: tag, Then: &ir.Pick{Branch: b}})
	}
	c.absentCase(how, d)
	return d
}

func branchLeaves(all []leaf, b *ir.Branch) []leaf {
	return slices.DeleteFunc(slices.Clone(all), func(l leaf) bool { return l.branch != b })
}

// tagOf compares a tag with what the branch itself says about the property, and returns the kind of the tag. A branch
// that does not declare the property leaves it to the union.
func (c *decider) tagOf(how decisionKeys, l leaf, property, tag string) (ir.Kind, bool) {
	s, ok := l.shape.(*ir.Struct)
	if !ok {
		if free := ir.AsStruct(l.shape); free != nil && ir.KindsOf(free.Extra).Has(ir.Text) {
			return ir.Text, true
		}
		c.branchFault(how, l, "only objects have properties", "branch "+quote(l.name)+" is not an object")
		return 0, false
	}
	f := s.Field(property)
	if f == nil && s.Additional == ir.AdditionalRejected {
		c.branchFault(how, l, "declare "+property+" there", "branch "+quote(l.name)+" has no "+quote(property)+" and allows no other members")
		return 0, false
	}
	if f == nil && s.Additional == ir.AdditionalKept && !ir.KindsOf(s.Extra).Has(ir.Text) {
		c.branchFault(how, l, "declare "+property+" there", "branch "+quote(l.name)+" has no "+quote(property)+" and keeps no other members that are texts")
		return 0, false
	}
	if f == nil && how.within {
		c.branchFault(how, l, "declare "+property+" there", "the object that tells branch "+quote(l.name)+" apart has no "+quote(property))
		return 0, false
	}
	if f == nil {
		return ir.Text, true
	}
	tags := tagsOf(f.Type)
	if tags == nil {
		if !ir.KindsOf(f.Type).Has(ir.Text) {
			c.branchFault(how, l, "a tag is text unless a const says otherwise", quote(property)+" of branch "+quote(l.name)+" is not text")
			return 0, false
		}
		return ir.Text, true
	}
	for _, v := range tags {
		if v.Text == tag {
			return v.Kind, true
		}
	}
	c.branchFault(how, l, "the tag must be "+quote(tags[0].Text), "the tag "+quote(tag)+" contradicts "+quote(property)+" of branch "+quote(l.name))
	return 0, false
}

// byPresenceTags decides by the properties that the tags name, in the author's order.
func (c *decider) byPresenceTags(u *ir.Union, how decisionKeys, all []leaf) ir.Decision {
	d := &ir.ByPresence{}
	absent := ""
	if how.absent != nil {
		absent = c.text(*how.absent)
	}
	var tags []string
	for _, b := range u.Branches {
		tags = append(tags, b.Name)
		isElse := b.Name == absent && how.absent != nil
		for _, l := range branchLeaves(all, b) {
			if !ir.IsObject(l.shape) {
				c.branchFault(how, l, "only objects have properties", "branch "+quote(l.name)+" is not an object")
				return nil
			}
			if !isElse && !has(l, b.Name) {
				c.branchFault(how, l, "by presence, each tag is a property of its branch", "branch "+quote(l.name)+" has no property "+quote(b.Name))
				return nil
			}
		}
		if isElse {
			d.Else = &ir.Pick{Branch: b}
			continue
		}
		d.Cases = append(d.Cases, ir.PresenceCase{Property: b.Name, Then: &ir.Pick{Branch: b}})
	}
	if how.absent != nil && d.Else == nil {
		c.report(diag.AbsentNoTag, valueSpan(*how.absent), "the tags are "+orList(tags), "absent names %q, which is not a tag of this union", absent)
	}
	return d
}

// byKindTags decides by the JSON kinds that the tags name.
func (c *decider) byKindTags(u *ir.Union, how decisionKeys) ir.Decision {
	d := &ir.ByKind{}
	for _, b := range u.Branches {
		kind, ok := kindNamed(b.Name)
		if !ok {
			c.branchFault(how, leaf{branch: b, name: b.Name}, "write by: {property: kind} if kind is a property; by: kind is the kind of the value, with the "+
				"tags string, number, integer, boolean, array and object", "the tag "+quote(b.Name)+" is not a kind of value")
			return nil
		}
		if !ir.KindsOf(b.Type).Has(kind) {
			c.branchFault(how, leaf{branch: b, name: b.Name}, "tag each branch with the kind of its values: string, number, integer, boolean, array or object",
				"branch "+quote(b.Name)+" is not of the kind that its tag names")
			return nil
		}
		d.Cases = append(d.Cases, ir.KindCase{Kind: kind, Then: &ir.Pick{Branch: b}})
	}
	return setRange(d)
}

func kindNamed(word string) (ir.Kind, bool) {
	for kind := ir.Null; kind <= ir.Object; kind++ {
		if kind.String() == word {
			return kind, true
		}
	}
	return 0, false
}
