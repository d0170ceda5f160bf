package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// Completing is what is known about an argument that is being completed.
type Completing struct {
	Value     string            // what the user has typed so far
	Arguments map[string]string // values of other arguments
}

// complete serves completion/complete.
func complete(ctx context.Context, q *Request) error {
	c := &CompleteCall{handlerCall: handlerCall{q: q, c: q.call}}
	if err := q.decode(c.read); err != nil {
		return err
	}
	if !q.server.completable(ctx, c) {
		c.NotFound("")
		return c.outcome()
	}
	if dynamic := q.server.opts.Dynamic; dynamic == nil || !dynamic.Complete(ctx, c) {
		q.server.declarations.Complete(ctx, c)
	}
	return c.outcome()
}

// completable reports whether the client sees what the arguments belong to.
func (s *Server) completable(ctx context.Context, c *CompleteCall) bool {
	if c.Prompt() != "" {
		return s.visible(ctx, listing.Prompts, c.Prompt())
	}
	return s.visible(ctx, listing.Templates, c.Template())
}

// read reads the params.
func (c *CompleteCall) read(r *wire.Reader) {
	const names = "ref\nargument\ncontext"
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"ref":`) {
			c.readRef(r)
		}
		if r.Key(&o, 1, `"argument":`) {
			c.readArgument(r)
		}
		if r.KeyNotNull(&o, 2, `"context":`) {
			c.readContext(r)
		}
	}
	r.Need(&o, 0b11, names)
}

func (c *CompleteCall) readRef(r *wire.Reader) {
	const kinds = "ref/prompt\nref/resource"
	var member string
	switch c.kind, _ = r.Peek().In("type").Text(); c.kind {
	case "ref/prompt":
		member = "name"
	case "ref/resource":
		member = "uri"
	default:
		r.NoBranch("type", kinds)
		return
	}
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"`+member+`":`) {
			c.ref = r.String()
		}
	}
	r.Need(&o, 1, member)
}

func (c *CompleteCall) readArgument(r *wire.Reader) {
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		r.KeyString(&o, 0, `"name":`, &c.argument)
		r.KeyString(&o, 1, `"value":`, &c.value)
	}
	r.Need(&o, 0b11, "name\nvalue")
}

func (c *CompleteCall) readContext(r *wire.Reader) {
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.KeyNotNull(&o, 0, `"arguments":`) {
			c.known = wire.Map(r, (*wire.Reader).String)
		}
	}
}

// Prompt returns the name of the prompt whose argument is completed. It is empty for a template.
func (c *CompleteCall) Prompt() string {
	if c.kind == "ref/prompt" {
		return c.ref
	}
	return ""
}

// Template returns the URI template whose variable is completed. It is empty for a prompt.
func (c *CompleteCall) Template() string {
	if c.kind == "ref/resource" {
		return c.ref
	}
	return ""
}

// Argument returns the name of the argument or variable.
func (c *CompleteCall) Argument() string { return c.argument }

// Completing returns what is known about the argument.
func (c *CompleteCall) Completing() Completing { return Completing{c.value, c.known} }

// Return answers with values, the best ones first. The response holds at most 100 of them and their
// total number.
func (c *CompleteCall) Return(values []string) {
	const most = 100
	b := append(c.c.Result(), `{"completion":{"values":`...)
	b = wire.AppendStrings(b, values[:min(len(values), most)])
	b = wire.AppendInt(append(b, `,"total":`...), int64(len(values)))
	b = wire.AppendBool(append(b, `,"hasMore":`...), len(values) > most)
	c.give(append(append(b, '}'), c.q.tail()...))
}

// ReturnEnum answers with those values that begin with what was typed, ignoring case. The argument
// holds the values, newline-separated.
func (c *CompleteCall) ReturnEnum(values string) {
	var fits []string
	for _, v := range violation.Names(values) {
		if len(v) >= len(c.value) && strings.EqualFold(v[:len(c.value)], c.value) {
			fits = append(fits, v)
		}
	}
	c.Return(fits)
}

// NotFound answers that there is no such prompt, template or argument. The argument names holds all
// prompts or templates, newline-separated; if the requested one is among them, the argument is
// unknown.
func (c *CompleteCall) NotFound(names string) {
	v := violation.Violation{Pointer: "/argument/name", Rule: "enum", Expected: "an argument of " + peerlog.Clip(c.ref)}
	names = c.q.names(names, listing.Prompts, listing.Templates)
	if all := violation.Names(names); !slices.Contains(all, c.ref) {
		v = violation.Violation{Pointer: "/ref", Rule: "enum", Expected: violation.OneOf(all), Got: peerlog.Clip(c.ref), Closest: violation.Closest(c.ref, all)}
	}
	c.Fail(runtime.InvalidParams([]violation.Violation{v}, 0))
}
