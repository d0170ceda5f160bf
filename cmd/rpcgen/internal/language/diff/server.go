package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// compareServer compares what MCP servers say of themselves.
func (c *comparer) compareServer() {
	old, new := c.doc.old.Server, c.doc.new.Server
	s := c.documentScope(strings.TrimSuffix(c.doc.path("server", ""), "/"), diag.Pos{}, diag.Pos{})
	s.uses = uses{moved: true}
	switch {
	case old == nil && new == nil:
	case old == nil:
		c.emit(s.at(diag.Pos{}, new.Pos), ServerAdded, "", new.Name, "it declares an MCP server now", relation{}, c.clientOfServer("it only adds to the package"))
	case new == nil:
		c.emit(s.at(old.Pos, diag.Pos{}), ServerRemoved, old.Name, "", "it no longer declares an MCP server", relation{}, Judgement{Break, "NewServer is gone"})
	default:
		c.server(s.at(old.Pos, new.Pos), old, new)
	}
}

// clientOfServer: Client is that of the server, and MethodClient that of methods, where a schema has both.
func (c *comparer) clientOfServer(otherwise string) Judgement {
	if len(c.doc.old.Methods) == 0 {
		return Judgement{OK, otherwise}
	}
	return Judgement{Break, "Client is that of the MCP server now, and the client of methods is MethodClient"}
}

func (c *comparer) server(s scope, old, new *ir.Server) {
	before := len(c.changes)
	c.meta(s, old.Meta, new.Meta)
	if old.Instructions != new.Instructions {
		c.emit(s.key("instructions", old.Meta, new.Meta), DocsChanged, old.Instructions, new.Instructions, "its instructions have changed", relation{})
	}
	for _, change := range c.changes[before:] {
		if change.Kind == DocsChanged {
			change.Model = otherWords
		}
	}
	c.set(s, ServerSetting, old.Meta, new.Meta, []setting{
		{name: "name", was: old.Name, is: new.Name},
		{name: "version", was: old.Version, is: new.Version},
		{name: "cache", was: lifetimeWords(old), is: lifetimeWords(new)},
		{name: "websiteUrl", was: old.Website, is: new.Website},
		{name: "icons", was: pictures(old.Icons), is: pictures(new.Icons)},
		{name: "profiles", was: strings.Join(old.Profiles, ", "), is: strings.Join(new.Profiles, ", "),
			model: Judgement{Warning, "some models are told of arguments in another form"}},
		{name: "backends", was: backends(c.doc.old), is: backends(c.doc.new), model: Judgement{Warning, "requests go elsewhere, or carry something else"}},
	})
	c.revisions(s.key("revisions", old.Meta, new.Meta), old.Revisions, new.Revisions)
}

// revisions compares which revisions of MCP are served.
func (c *comparer) revisions(s scope, old, new []string) {
	for _, r := range old {
		if !slices.Contains(new, r) {
			change := c.emit(s.below(r), ServerSetting, r, "", "the revision "+r+" is no longer served", relation{})
			change.Wire = []Direction{{ir.FromClient, Judgement{Break, "new servers refuse clients that speak " + r + " alone"},
				Judgement{OK, "new clients may still speak " + r + " to old servers"}}}
		}
	}
	for _, r := range new {
		if !slices.Contains(old, r) {
			change := c.emit(s.below(r), ServerSetting, "", r, "the revision "+r+" is served", relation{})
			change.Wire = []Direction{{ir.FromClient, Judgement{OK, "old clients speak a revision that is still served"},
				Judgement{Warning, "old servers refuse clients that speak " + r + " alone"}}}
		}
	}
}

// setting is what is said of a part in addition to its types.
type setting struct {
	name, was, is string
	relation
	model Judgement        // not given: as the relation tells
	inGo  func() Judgement // nil if the Go types stay as they are
}

// meaning is a setting that says how the same messages are meant.
func meaning(name, what, was, is string) setting {
	return setting{name: name, was: was, is: is, relation: relation{meaning: changeWords(what, was, is)}}
}

// set compares settings.
func (c *recorder) set(s scope, kind Kind, old, new ir.Meta, all []setting) {
	for _, one := range all {
		if one.was == one.is {
			continue
		}
		change := c.emit(s.key(one.name, old, new).holds("", ""), kind, one.was, one.is, changeWords(one.name, one.was, one.is), one.relation)
		if one.model.Reason != "" {
			change.Model = one.model
		}
		if one.inGo != nil {
			change.Go = one.inGo()
		}
	}
}

// backends are the HTTP APIs that tools call, separated by semicolons.
func backends(d *ir.Document) string {
	return strings.Join(ir.Each(d.Backends, func(b *ir.Backend) string { return b.String() }), "; ")
}

// lifetimeWords says how long lists and resources may be kept, and by whom.
func lifetimeWords(s *ir.Server) string {
	if s.TTLMillis == 0 && s.Scope == "" {
		return ""
	}
	return strings.TrimSpace(strconv.FormatInt(s.TTLMillis, 10) + "ms " + s.Scope)
}

func pictures(icons []ir.Icon) string {
	all := ir.Each(icons, func(i ir.Icon) string {
		return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", i.Src, i.MIMEType, strings.Join(i.Sizes, " "), i.Theme))
	})
	return strings.Join(all, ", ")
}
