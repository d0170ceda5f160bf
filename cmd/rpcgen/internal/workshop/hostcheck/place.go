package hostcheck

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// Of returns the list of tools that the server of a schema has, with the entries that are published word for word.
func Of(doc *ir.Document) (List, error) {
	l := List{}
	if doc.Server != nil {
		l.Server, l.Instructions = doc.Server.Name, doc.Server.Instructions
	}
	var err error
	l.Tools, err = templates.Listed(doc)
	return l, err
}

// Place returns where the declaration stands that a JSON Pointer into the list of a schema is about, and its path for lint.ignore.
func Place(doc *ir.Document, pointer string) (diag.Span, string) {
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, t := range tokens {
		tokens[i] = ir.UnescapePointer(t)
	}
	p := placer{doc: doc, path: "server"}
	if doc.Server != nil {
		p.at = doc.Server.Pos
	}
	if tokens[0] == "instructions" && doc.Server != nil {
		p.key(&doc.Server.Meta, tokens[0])
		p.path = "server.instructions"
		return diag.Span{Pos: p.at, Len: 1}, p.path
	}
	if len(tokens) < 2 {
		return diag.Span{Pos: p.at, Len: 1}, "tools"
	}
	i, err := strconv.Atoi(tokens[1])
	if err != nil || i >= len(doc.Tools) {
		return diag.Span{Pos: p.at, Len: 1}, "tools"
	}
	t := doc.Tools[i]
	p.at, p.path = t.Pos, "tools."+t.Name
	length := len(t.Name)
	if len(tokens) > 2 {
		switch rest := tokens[3:]; tokens[2] {
		case "inputSchema":
			p.path += ".input"
			if t.Schema != nil {
				p.path = "tools." + t.Name + ".inputSchema"
				p.value(*t.Schema, rest)
			} else {
				p.walk(&t.Meta, t.Input, rest)
			}
		case "outputSchema":
			p.path += ".output"
			p.walk(&t.Meta, t.Output, rest)
		default:
			p.key(&t.Meta, tokens[2])
		}
	}
	if p.at != t.Pos {
		length = max(1, p.length)
	}
	return diag.Span{Pos: p.at, Len: length}, p.path
}

// placer follows the tokens of a pointer through the types of a schema, and keeps the last place that it knows.
type placer struct {
	doc    *ir.Document
	at     diag.Pos
	length int
	path   string
}

func (p *placer) key(m *ir.Meta, name string) {
	if at := m.Key(name); at.Valid() {
		p.at, p.length = at, len(name)
	}
}

func (p *placer) set(at diag.Pos, length int) {
	if at.Valid() {
		p.at, p.length = at, length
	}
}

// value follows a schema that is written as JSON Schema.
func (p *placer) value(v ir.Value, tokens []string) {
	for _, t := range tokens {
		next, ok := v.Get(t)
		if i, err := strconv.Atoi(t); err == nil && i < len(v.Items) {
			next, ok = v.Items[i], true
		}
		if !ok {
			return
		}
		v = next
		p.set(v.Pos, 1)
	}
}

// walk follows the tokens into a type. Meta is what its author says where it is used; nil if nothing.
func (p *placer) walk(meta *ir.Meta, t ir.Type, tokens []string) {
	if t == nil || len(tokens) == 0 {
		return
	}
	if d := p.definition(tokens); d != nil {
		p.set(d.Pos, len(d.Name))
		p.path = "types." + d.Name
		p.walk(&d.Meta, d.Type, tokens[2:])
		return
	}
	if ref, ok := t.(*ir.Ref); ok && tokens[0] != "$ref" {
		p.walk(&ref.Decl.Meta, ref.Decl.Type, tokens)
		return
	}
	if n, ok := t.(*ir.Nullable); ok {
		if tokens[0] == "anyOf" || tokens[0] == "oneOf" {
			tokens = tokens[min(2, len(tokens)):]
		}
		p.walk(meta, n.Elem, tokens)
		return
	}
	switch s, rest := ir.AsStruct(t), tokens[1:]; {
	case tokens[0] == "properties" && len(rest) > 0 && s != nil:
		i := slices.IndexFunc(s.Fields, func(f *ir.Field) bool { return f.Name == rest[0] })
		if i < 0 {
			return
		}
		f := s.Fields[i]
		p.set(f.Pos, len(f.Name))
		if f.From != nil {
			p.path = "types." + f.From.Name
		}
		p.path += "." + f.Name
		p.walk(&f.Meta, f.Type, rest[1:])
	case tokens[0] == "additionalProperties" && s != nil && s.Extra != nil:
		p.part(s.Extra, "{}", rest)
	case tokens[0] == "items" && ir.IsArray(t):
		p.part(ir.ElementAt(t, math.MaxInt32), "[]", rest) // of a tuple, what follows its items
	case tokens[0] == "prefixItems" && len(rest) > 0:
		if i, err := strconv.Atoi(rest[0]); err == nil {
			p.part(ir.ElementAt(t, i), "["+rest[0]+"]", rest[1:])
		}
	case tokens[0] == "anyOf" || tokens[0] == "oneOf":
		p.branch(t, rest)
	default:
		if meta != nil {
			p.key(meta, tokens[0])
		}
	}
}

func (p *placer) part(t ir.Type, step string, rest []string) {
	if t != nil {
		p.path += step
		p.set(t.Position(), 1)
		p.walk(ir.NoteOf(t), t, rest)
	}
}

func (p *placer) branch(t ir.Type, tokens []string) {
	n := 0
	for part := range ir.Parts(t) {
		b := part.Branch
		if b == nil || len(tokens) == 0 {
			return
		}
		if strconv.Itoa(n) == tokens[0] {
			p.path += "|" + b.Name
			p.set(b.Pos, 1)
			p.walk(&b.Meta, b.Type, tokens[1:])
			return
		}
		n++
	}
}

// definition returns the declaration that tokens lead to, if they begin with $defs.
func (p *placer) definition(tokens []string) *ir.Decl {
	if len(tokens) < 2 || tokens[0] != "$defs" {
		return nil
	}
	name, err := url.PathUnescape(tokens[1])
	if err != nil {
		name = tokens[1]
	}
	for _, n := range []string{tokens[1], name} {
		for _, d := range p.doc.Types {
			if d.Name == n {
				return d
			}
		}
		if alias, of, ok := strings.Cut(n, "."); ok {
			for _, i := range p.doc.Imports {
				if i.Alias == alias && i.Doc != nil {
					if d := (&placer{doc: i.Doc}).definition([]string{"$defs", of}); d != nil {
						return d
					}
				}
			}
		}
	}
	return nil
}
