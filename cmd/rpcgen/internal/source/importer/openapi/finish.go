package openapi

import (
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// finish writes the request of a tool and the note by which the next import finds it.
func (b *toolBuilder) finish() {
	if len(b.fields) > 0 {
		b.t.HasInput = true
		b.schemas = append(b.schemas, member("input", b.inputSchema()))
		for _, f := range b.fields {
			if place := b.place(f); place != nil {
				b.t.Places[f.name] = place
			}
			b.l.from[b.pointer("input")+"/properties/"+ir.EscapePointer(f.name)] = f.at
		}
	}
	if b.t.HasOutput {
		b.schemas = append(b.schemas, member("output", b.gave))
	}
	if b.l.o.Choose && b.large {
		tree.Set(b.t.View, "choose", tree.Text(b.choice()))
	}
	if len(b.t.failures) > 0 {
		all := object(b.op.Part)
		for _, f := range b.t.failures {
			all.Fields = append(all.Fields, member(f.status, f.schema))
			b.l.from[b.pointer("errors")+"/"+f.status] = f.at
		}
		b.schemas = append(b.schemas, member("errors", all))
	}
	h := b.l.hosts
	one := h.of[b.op]
	if len(h.all) > 1 {
		tree.Set(b.request, "backend", tree.Text(one.name))
	}
	b.asBody()
	fixed := flow()
	for _, in := range []string{"query", "header", "body"} {
		tree.SetSome(fixed, in, b.fixed[in])
	}
	tree.SetSome(b.request, "fixed", fixed)
	if auth := h.auth[b.op]; auth != nil && !tree.Same(auth, one.auth) {
		tree.Set(b.request, "auth", tree.Clone(auth))
	}
	if b.page != nil {
		tree.Set(b.request, "page", b.page.node())
	}
	tree.SetSome(b.request, "redirect", tree.Text(b.redirect))
	if len(b.request.Content) == 2 {
		b.request.Style = yaml.FlowStyle
	}
	b.t.HTTP = b.request
	b.t.Note = flow("operation", b.op.label())
	tree.Set(b.t.Note, "places", tree.Texts(b.places))
}

// sharedPages writes the page that most tools of a server have once, with the server.
func (p *Plan) sharedPages(l *lowering, of map[*Tool]*host) {
	for _, one := range l.hosts.all {
		counts, best := map[string]int{}, ""
		nodes := map[string]*yaml.Node{}
		for _, t := range p.Tools {
			if page := tree.Get(t.HTTP, "page"); page != nil && of[t] == one {
				is := string(tree.Encode(page))
				nodes[is] = page
				if counts[is]++; counts[is] > counts[best] || counts[is] == counts[best] && is < best {
					best = is
				}
			}
		}
		if counts[best] < 2 {
			continue
		}
		one.page = tree.Clone(nodes[best])
		for _, t := range p.Tools {
			if page := tree.Get(t.HTTP, "page"); page != nil && of[t] == one && string(tree.Encode(page)) == best {
				tree.Remove(t.HTTP, "page")
				if len(t.HTTP.Content) == 2 {
					t.HTTP.Style = yaml.FlowStyle
				}
			}
		}
	}
}

// head is what the schema says before its declarations.
func (l *lowering) head() *yaml.Node {
	head := tree.Mapping()
	tree.Set(head, "use", tree.Texts([]string{"mcp"}))
	info, _ := l.d.root.Get("info")
	server := tree.Mapping()
	base := filepath.Base(l.source.Name)
	tree.Set(server, "name", tree.Text(l.serverName(base)))
	version, _ := info.Get("version")
	if version.Text == "" {
		version.Text = "0.0.0"
	}
	tree.Set(server, "version", tree.Text(version.Text))
	tree.SetSome(server, "title", tree.Text(cutText(plain(info.TextOf("title")), 100)))
	tree.Set(head, "server", server)
	sum := escape.Digest(l.source.Text)
	note := flow("source", base, "version", version.Text, "sha256", hex.EncodeToString(sum[:]))
	tree.SetSome(note, "options", l.o.note())
	tree.Set(head, noteKey, note)
	backends := tree.Mapping()
	for _, one := range l.hosts.all {
		tree.Set(backends, one.name, l.hosts.node(one))
	}
	tree.Set(head, "backends", backends)
	return head
}

// serverName is the name of the MCP server: that of the file that is there, or that of the host. One that stands for another host gives no name if one is due.
func (l *lowering) serverName(base string) string {
	name := "api"
	if len(l.hosts.all) > 0 {
		name = l.hosts.all[0].name
	}
	source, _, _ := strings.Cut(base, ".")
	switch {
	case l.before != nil && l.before.name != "":
		return l.before.name
	case l.o.Name != "" && (name == "api" || name == "example"):
		return l.o.Name
	case name == "api":
		return source
	}
	return name
}

// keepPart is a part of an input that is named by --keep: a member, and what of it. Without parts it is whole.
type keepPart struct {
	name  string
	list  bool // the rest is of its items
	parts []*keepPart
}

// readKeep reads --keep, by the operations that it names.
func (l *lowering) readKeep(taken []*operation) (map[string][]string, error) {
	all := map[string][]string{}
	for _, said := range l.o.Keep {
		name, paths, ok := strings.Cut(said, ": ")
		if !ok || !slices.ContainsFunc(taken, func(op *operation) bool { return op.label() == name }) {
			return nil, source.Faults{{Pos: l.d.root.Pos, Message: "--keep " + source.Quote(said) + " names no operation that is taken",
				Help: "write OPERATION: PATH, PATH.{A,B}, with [] after a list"}}
		}
		all[name] = append(all[name], expandBraces(paths)...)
	}
	return all, nil
}

// expandBraces are the paths that a list of paths stands for, without braces.
func expandBraces(s string) (all []string) {
	depth, from := 0, 0
	var parts []string
	for i, r := range s {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[from:i])
				from = i + 1
			}
		}
	}
	const most = 1000
	for _, part := range append(parts, s[from:]) {
		part = strings.TrimSpace(part)
		open, end := strings.IndexByte(part, '{'), strings.LastIndexByte(part, '}')
		if open < 0 || end < open {
			if part != "" {
				all = append(all, part)
			}
			continue
		}
		for _, inner := range expandBraces(part[open+1 : end]) {
			if all = append(all, part[:open]+inner+part[end+1:]); len(all) > most {
				return all
			}
		}
	}
	return all
}

// addKept adds a path to parts.
func addKept(parts []*keepPart, path string) []*keepPart {
	step, rest, more := strings.Cut(path, ".")
	name, list := strings.CutSuffix(step, "[]")
	at := slices.IndexFunc(parts, func(k *keepPart) bool { return k.name == name })
	if at < 0 {
		at = len(parts)
		parts = append(parts, &keepPart{name: name})
	}
	parts[at].list = parts[at].list || list
	if more && rest != "" {
		parts[at].parts = addKept(parts[at].parts, rest)
	}
	return parts
}

// keptBody adds the members of a body that --keep names.
func (b *toolBuilder) keptBody(schema source.Part, paths []string) error {
	var parts []*keepPart
	for _, path := range paths {
		parts = addKept(parts, path)
	}
	return b.keptMembers(b.l.shapeOf(schema), parts, "", true)
}

// keptMembers adds the members of an object: what lies in an object, each for itself, and what lies in a list as the list.
func (b *toolBuilder) keptMembers(s *shape, parts []*keepPart, path string, required bool) error {
	for _, k := range parts {
		i, ok := s.byName[k.name]
		if !ok {
			return leftOutf("--keep names %s, which its body does not have", path+k.name)
		}
		at, must := s.members[i].Part, required && s.required[k.name]
		if inner := b.l.shapeOf(at); len(k.parts) > 0 && inner.kind == "object" && !k.list {
			if err := b.keptMembers(inner, k.parts, bodyPath(path, k.name)+".", must); err != nil {
				return err
			}
			continue
		}
		v, err := b.l.restrict(at, k)
		if err != nil {
			return err
		}
		b.add(field{name: fieldName(k.name), in: "body", as: bodyPath(path, k.name), nested: path != "", required: must, at: at, schema: v})
	}
	return nil
}

// restrict is a schema of which only some members are kept.
func (l *lowering) restrict(at source.Part, k *keepPart) (ir.Value, error) {
	if len(k.parts) == 0 {
		return l.inputSchema(at, role{}), nil
	}
	s := l.shapeOf(at)
	if s.kind == "array" && s.items != nil {
		items, err := l.restrict(*s.items, &keepPart{name: k.name, parts: k.parts})
		v := l.describe(ofType(at, "array"), s)
		v.Fields = append(v.Fields, member("items", items))
		if !l.o.NoBounds {
			v.Fields = append(v.Fields, member("maxItems", number(mostItems)))
		}
		return v, err
	}
	v, properties := l.describe(ofType(at, "object"), s), object(at)
	required := ir.Value{Kind: ir.Array}
	for _, part := range k.parts {
		i, ok := s.byName[part.name]
		if !ok {
			return v, leftOutf("--keep names %s, which %s does not have", part.name, k.name)
		}
		is, err := l.restrict(s.members[i].Part, part)
		if err != nil {
			return v, err
		}
		properties.Fields = append(properties.Fields, member(part.name, is))
		if s.required[part.name] {
			required.Items = append(required.Items, text(part.name))
		}
	}
	v.Fields = append(v.Fields, member("properties", properties))
	if len(required.Items) > 0 {
		v.Fields = append(v.Fields, member("required", required))
	}
	return v, nil
}
