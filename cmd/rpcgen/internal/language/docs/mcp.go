package docs

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// serverFacts say what an MCP server says of itself.
func serverFacts(s *ir.Server) []fact {
	if s == nil {
		return nil
	}
	all := []fact{{"MCP server", plain(s.Name + " " + s.Version)}, {"Revisions", plain(strings.Join(s.Revisions, ", "))}}
	if s.TTLMillis > 0 {
		all = append(all, fact{"Cache", plain(strconv.FormatInt(s.TTLMillis, 10) + " ms, " + cmp.Or(s.Scope, "private"))})
	}
	if s.Doc != "" {
		all = append(all, fact{"Description", plain(strings.Join(strings.Fields(s.Doc), " "))})
	}
	if s.Website != "" {
		all = append(all, fact{"Website", plain(s.Website)})
	}
	if s.Instructions != "" {
		all = append(all, fact{"Instructions", plain(strings.Join(strings.Fields(s.Instructions), " "))})
	}
	return all
}

func (v *viewer) tool(t *ir.Tool) entry {
	e := began("tool", t.Name, &t.Meta)
	e.Badges = hints(t.Hints)
	for _, a := range t.Asks {
		asked := plain(a.Method)
		if a.Name != "" {
			asked = plain("the user: " + ir.MessageText(a.Message))
		}
		e.Facts = append(e.Facts, fact{"May ask", asked})
	}
	if t.Timeout > 0 {
		e.add("Timeout", plain(t.Timeout.String()))
	}
	e.add("Rate", plain(t.Rate.String()))
	e.add("Scopes", code(strings.Join(t.Scopes, " ")))
	e.add("Results kept", plain(t.Keep.String()))
	if t.Task != ir.TaskNever {
		e.add("Runs as a task", plain(t.Task.String()))
	}
	e.add("Errors", links("error", ir.Each(t.Errors, func(f *ir.Error) string { return f.Name })))
	e.Shapes = append(e.Shapes, v.whole("Input", t.Input))
	switch {
	case t.Content != nil && t.Published() != nil:
		e.Shapes = append(e.Shapes, v.whole("Output", t.Published()), shape{Name: "Content", Type: contentBlocks(t.Content)})
	case t.Content != nil:
		e.Shapes = append(e.Shapes, shape{Name: "Output", Type: contentBlocks(t.Content)})
	default:
		e.Shapes = append(e.Shapes, v.whole("Output", t.Published()))
	}
	for _, a := range t.Asks {
		if a.Form != nil {
			e.Shapes = append(e.Shapes, v.shape("Form of "+a.Name, a.Form))
		}
	}
	return e
}

// contentBlocks says what content blocks a tool gives.
func contentBlocks(c *ir.Content) words {
	kinds := ir.Each(c.Kinds, func(k ir.ContentKind) string { return string(k) })
	last := max(0, len(kinds)-1)
	text := strings.Join(kinds[last:], "")
	if last > 0 {
		text = strings.Join(kinds[:last], ", ") + " or " + text
	}
	switch {
	case c.Any():
		return plain("content blocks")
	case c.Many:
		return plain("content blocks, each of the kind " + text)
	default:
		return plain("one content block of the kind " + text)
	}
}

// whole shows the fields of a payload, named or not; nil if there is none.
func (v *viewer) whole(name string, t ir.Type) shape {
	if t == nil {
		return shape{Name: name, Type: plain("none")}
	}
	s := v.shape(name, t)
	if ref, ok := t.(*ir.Ref); ok {
		if fields, ok := ref.Decl.Type.(*ir.Struct); ok {
			s.Rows = v.inside("", fields)
			s.Rules = append(rules(fields), s.Rules...)
		}
	}
	return s
}

// hints are what a tool says of what it may do, in words.
func hints(h ir.Hints) []string {
	words := map[string][2]string{
		"readOnly": {"changes things", "read-only"}, "destructive": {"not destructive", "destructive"},
		"idempotent": {"not idempotent", "idempotent"}, "openWorld": {"closed world", "open world"},
	}
	return ir.Each(h.Said(), func(one ir.NamedHint) string { return words[one.Name][one.Hint-ir.HintNo] })
}

func (v *viewer) resource(r *ir.Resource) entry {
	e := began("resource", r.Name, &r.Meta)
	if r.Template != nil {
		e.Badges = append(e.Badges, "template")
		e.Facts = append(e.Facts, fact{"URI template", code(r.Template.Text)})
	} else {
		e.Facts = append(e.Facts, fact{"URI", code(r.URI)})
	}
	if r.Subscribe {
		e.Badges = append(e.Badges, "subscribable")
	}
	e.add("Type", plain(r.MIMEType))
	if r.Size >= 0 {
		e.add("Size", plain(strconv.FormatInt(r.Size, 10)+" bytes"))
	}
	e.add("For", plain(strings.Join(r.Annotations.Audience, ", ")))
	e.add("Priority", plain(r.Annotations.Priority))
	e.add("Last modified", plain(r.Annotations.LastModified))
	if r.Params != nil {
		e.Shapes = append(e.Shapes, v.shape("Params", r.Params))
	}
	e.Shapes = append(e.Shapes, v.shape("Content", r.Content))
	return e
}

func (v *viewer) prompt(p *ir.Prompt) entry {
	e := began("prompt", p.Name, &p.Meta)
	if p.Arguments != nil {
		e.Shapes = []shape{v.shape("Arguments", p.Arguments)}
	}
	return e
}
