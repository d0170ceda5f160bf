package diff

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// output compares what a tool answers: results that fit a type, content blocks, results as its handler makes them, or none.
func (c *callComparer) output(s scope, o, n *ir.Tool) {
	s = c.part(s, "output", c.pairing.calls[o], c.pairing.calls[n], inResult, o.Published(), n.Published())
	had, has := o.Published() != nil, n.Published() != nil
	if had && has {
		from := len(c.changes)
		c.types.compare(s, o.Published(), n.Published())
		c.compareHidden(s, o, n, c.changes[from:])
	}
	if had == has && o.Content.Equal(n.Content) {
		return
	}
	r, bare := relation{lost: refusedContent(o.Content, n.Content), gained: refusedContent(n.Content, o.Content)}, "results without structured content"
	switch {
	case had && !has:
		r.gained, r.ignored, r.always = bare, "structured content", true
	case has && !had:
		r.lost, r.unseen = bare, "structured content"
	}
	was, is := outputWords(o), outputWords(n)
	c.emit(s, TypeChanged, was, is, changeWords("the output", was, is), r, judgedContent(o, n)).Script = outputInScript(o, n)
}

// compareHidden compares the outputs that the methods of two tools return in Go, of which their views hide a part. What callers see is compared already.
func (c *callComparer) compareHidden(s scope, o, n *ir.Tool, seen []*Change) {
	if o.Published() == o.Output && n.Published() == n.Output {
		return
	}
	from := len(c.changes)
	s.uses, s.held = uses{moved: true}, [2]string{c.names.old.Type(o.Output), c.names.new.Type(n.Output)}
	c.types.compare(s, o.Output, n.Output)
	hidden := slices.DeleteFunc(slices.Clone(c.changes[from:]), func(change *Change) bool {
		return change.Go.Verdict == OK || slices.ContainsFunc(seen, func(other *Change) bool { return other.Kind == change.Kind && other.Path == change.Path })
	})
	c.changes = append(c.changes[:from], hidden...)
}

// resultLimit is how the view of a tool limits results, on one line.
func resultLimit(v *ir.View) string {
	if v == nil || v.Budget == 0 {
		return ""
	}
	limit := *v
	limit.Show, limit.Choose = nil, ""
	return limit.String()
}

// outputWords is what a tool answers, in words; empty if nothing.
func outputWords(t *ir.Tool) string {
	switch {
	case t.Content != nil && t.Published() != nil:
		return typeWords(t.Published()) + " with " + blocks(t.Content)
	case t.Content.Any():
		return "whole results"
	case t.Content != nil:
		return blocks(t.Content)
	case t.Published() != nil:
		return typeWords(t.Published())
	}
	return ""
}

// blocks describes content blocks.
func blocks(c *ir.Content) string {
	if c.Any() {
		return "content blocks"
	}
	text := kindWords(c.Kinds)
	if c.Many {
		return text + " blocks"
	}
	return "one " + text + " block"
}

func kindWords(kinds []ir.ContentKind) string {
	return text.Series(ir.Each(kinds, func(k ir.ContentKind) string { return string(k) }), "and")
}

// refusedContent is what the client of one tool refuses of the content blocks that the server of another gives; empty if nothing.
func refusedContent(given, taken *ir.Content) string {
	if taken == nil || taken.Any() {
		return ""
	}
	if given.Any() {
		return "content blocks other than " + blocks(taken)
	}
	if given != nil {
		others := slices.DeleteFunc(slices.Clone(given.Kinds), func(k ir.ContentKind) bool { return slices.Contains(taken.Kinds, k) })
		if len(others) > 0 {
			return kindWords(others) + " blocks"
		}
	}
	if !taken.Many && (given == nil || given.Many) {
		return "results without exactly " + blocks(taken)
	}
	return ""
}

// judgedContent judges another form of result for Go programs.
func judgedContent(o, n *ir.Tool) Judgement {
	had, has := o.Content != nil && o.Output != nil, n.Content != nil && n.Output != nil
	switch {
	case !had && !has && (o.Content == nil || n.Content == nil), had != has, contentInGo(o) != contentInGo(n) && !has:
		return Judgement{Break, "its Go method has another signature"}
	case contentInGo(o) != contentInGo(n):
		return Judgement{Break, "the field Content of its result has another type"}
	}
	return Judgement{OK, "the Go types stay as they are"}
}

// contentInGo tells the Go types of content blocks apart: those of one kind have its type, all others that of any block.
func contentInGo(t *ir.Tool) string {
	if _, one := t.Content.One(); one || t.Content.Any() && t.Published() == nil {
		return t.Content.String()
	}
	return "blocks"
}
