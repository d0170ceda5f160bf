package diff

import (
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// compareResources compares the resources and templates of the current documents.
func (c *callComparer) compareResources() {
	eachPair(c.pairing.resources, c.doc.old.Resources, c.doc.new.Resources, func(o *ir.Resource) {
		c.callGone(scope{path: c.doc.path("resources", o.Name), old: o.Pos}, ResourceRemoved, c.pairing.calls[o], uri(o), "the resource is gone",
			handlerGone(c.names.old.Resource(o)))
	}, c.resource, func(n *ir.Resource) {
		c.callAdded(scope{path: c.doc.path("resources", n.Name), new: n.Pos}, ResourceAdded, c.pairing.calls[n], uri(n), "a new resource",
			handlerLacks(c.names.new.Resource(n)))
	})
}

// uri is the URI of a resource, or its template.
func uri(r *ir.Resource) string {
	if r.Template != nil {
		return r.Template.Text
	}
	return r.URI
}

// resource compares two versions of one resource. It is read by its URI; its name is for people, and for models that choose.
func (c *callComparer) resource(o, n *ir.Resource) {
	before, after := c.names.old.Resource(o), c.names.new.Resource(n)
	s := scope{path: c.doc.path("resources", n.Name), old: o.Pos, new: n.Pos, uses: usesOfPair(c.pairing.calls[o], c.pairing.calls[n], inParams)}
	if change := c.rename(s, ResourceRenamed, o.Name, n.Name, before, after, relation{}); change != nil {
		change.Model = otherWords
	}
	c.meta(s, o.Meta, n.Meta)
	c.address(s, o, n)
	c.variables(s, o, n)
	c.content(s, o, n)
	c.set(s, ResourceSetting, o.Meta, n.Meta, []setting{
		{name: "subscribe", was: onOff(o.Subscribe), is: onOff(n.Subscribe), relation: permission("subscriptions", o.Subscribe, n.Subscribe),
			model: Judgement{OK, "models do not subscribe"}},
		{name: "size", was: size(o), is: size(n)},
		{name: "annotations", was: annotations(o.Annotations), is: annotations(n.Annotations)},
		{name: "icons", was: pictures(o.Icons), is: pictures(n.Icons)},
		{name: "meta", was: o.MetaData.Shown(), is: n.MetaData.Shown()},
	})
}

// address compares URIs. Templates that differ in the names of variables alone stand for the same URIs.
func (c *callComparer) address(s scope, o, n *ir.Resource) {
	was, is := uri(o), uri(n)
	if was == is {
		return
	}
	r := relation{lost: "the URI " + was, gained: "the URI " + is, always: true}
	if o.Template != nil && n.Template != nil && skeleton(o.Template) == skeleton(n.Template) {
		r = relation{}
	}
	name := "uri"
	if n.Template != nil {
		name = "uriTemplate"
	}
	c.emit(s.key(name, o.Meta, n.Meta), ResourceSetting, was, is, changeWords("the URI", was, is), r)
}

// skeleton is a template without the names of its variables.
func skeleton(t *ir.Template) string {
	var b strings.Builder
	for _, p := range t.Parts {
		if p.Variable == "" {
			b.WriteString(p.Literal)
		} else {
			b.WriteString("{" + string(rune(p.Operator)) + "}")
		}
	}
	return b.String()
}

// variables compares the variables of templates, whose names are not in any URI.
func (c *callComparer) variables(s scope, o, n *ir.Resource) {
	old, new := anObject(o.Params), anObject(n.Params)
	before := len(c.changes)
	s = c.part(s, "params", c.pairing.calls[o], c.pairing.calls[n], inParams, old, new)
	c.payload(s, "params", old, new)
	for _, change := range c.changes[before:] {
		if change.Kind == FieldRenamed {
			change.Wire = c.judge(s.uses, relation{})
			change.Model = c.modelSees(s, change.Kind, relation{})
		}
	}
}

// content compares what is read.
func (c *callComparer) content(s scope, o, n *ir.Resource) {
	s = c.part(s, "content", c.pairing.calls[o], c.pairing.calls[n], inResult, o.Content, n.Content)
	if was, is := contentForm(o.Content), contentForm(n.Content); was != is {
		c.emit(s, TypeChanged, was, is, changeWords("the content", was, is), relation{lost: was, gained: is, always: true})
	} else {
		c.payload(s, "content", o.Content, n.Content)
	}
	whole := s
	whole.path = strings.TrimSuffix(s.path, "/content")
	c.set(whole, ResourceSetting, o.Meta, n.Meta, []setting{meaning("mimeType", "the media type", o.MIMEType, n.MIMEType)})
}

// contentForm is the form in which content of a type is sent.
func contentForm(t ir.Type) string {
	switch ir.Underlying(t).(type) {
	case *ir.String:
		return "text"
	case *ir.Bytes:
		return "a blob"
	case *ir.Any:
		return "whole results"
	}
	return "JSON"
}

func size(r *ir.Resource) string {
	if r.Size < 0 {
		return ""
	}
	return strconv.FormatInt(r.Size, 10)
}

func annotations(a ir.Annotations) string {
	return facts([]fact{{"audience", strings.Join(a.Audience, " ")}, {"priority", a.Priority}, {"lastModified", a.LastModified}})
}
