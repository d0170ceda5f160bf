package openapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// bodyOf adds the body of a request. Revision 2.0 has it among the parameters.
func (b *toolBuilder) bodyOf(whole *parameter, form []parameter) error {
	if b.l.d.two {
		return b.bodyOfTwo(whole, form)
	}
	at, ok := b.op.Sub("requestBody")
	if !ok {
		return nil
	}
	at, fault := b.l.d.resolve(at)
	if fault != nil {
		return asReason(fault)
	}
	required := at.IsTrue("required")
	all := b.l.d.contents(b.op, at, "")
	if len(all) == 0 {
		return nil
	}
	if b.bodiless() {
		if schema, ok := all[0].schema(); !ok || len(b.l.shapeOf(schema).members) == 0 && b.l.shapeOf(schema).kind != "array" {
			return nil
		}
		return b.drops("body", "body", required, b.meaningless())
	}
	m, kind := bestBody(all)
	if kind == "" {
		return b.drops("body", "body", required, "is "+mediaNames(all)+", which is not built")
	}
	b.body, b.bodyRequired = sentAs(m, kind), required
	schema, ok := m.schema()
	if !ok || len(schema.Fields) == 0 {
		schema = at.Of(source.Cursor{Value: object(at), Pointer: at.Pointer, Index: at.Index})
	}
	return b.content(m, kind, schema, required)
}

// bodiless reports whether the body of the operation has no meaning.
func (b *toolBuilder) bodiless() bool { return b.op.method == "get" || b.op.method == "head" }

// meaningless is why what such a body has is left out.
func (b *toolBuilder) meaningless() string {
	return "is the body of a " + strings.ToUpper(b.op.method) + ", which has no meaning (RFC 9110, 9.3.1)"
}

// bodyOfTwo adds the body of a request of revision 2.0: a whole one, or the fields of a form.
func (b *toolBuilder) bodyOfTwo(whole *parameter, form []parameter) error {
	all := b.l.d.contents(b.op, b.op.Part, "consumes")
	if len(form) > 0 {
		b.body = "form"
		for _, p := range form {
			if p.TextOf("type") == "file" || slices.ContainsFunc(all, func(m media) bool { return m.name == "multipart/form-data" }) {
				b.body = "multipart"
			}
		}
		for _, p := range form {
			schema := p.Of(p.Without([]string{"name", "in", "required"}))
			if err := b.member(media{Part: p.Part}, p.name, schema, p.required); err != nil {
				return err
			}
		}
		return nil
	}
	if whole == nil {
		return nil
	}
	m, kind := bestBody(all)
	if kind == "" {
		return b.drops("body", whole.name, whole.required, "is "+mediaNames(all)+", which is not built")
	}
	b.body, b.bodyRequired = sentAs(m, kind), whole.required
	schema, ok := whole.Sub("schema")
	if !ok {
		schema = whole.Of(source.Cursor{Value: object(whole.Part), Pointer: whole.Pointer, Index: whole.Index})
	}
	return b.content(m, kind, schema, whole.required)
}

func mediaNames(all []media) string {
	names := ir.Each(all, func(m media) string { return m.name })
	return strings.Join(names, " or ")
}

// bestBody chooses the kind of content of a request: JSON, a form, several parts, text, and bytes.
func bestBody(all []media) (media, string) {
	for _, want := range []struct {
		fits func(name string) bool
		kind func(name string) string
	}{
		{func(n string) bool {
			return n == "application/json" || n == "*/*" || n == "application/*"
		}, func(string) string { return "json" }},
		{isJSON, func(n string) string { return n }},
		{func(n string) bool { return n == "application/x-www-form-urlencoded" }, func(string) string { return "form" }},
		{func(n string) bool { return n == "multipart/form-data" }, func(string) string { return "multipart" }},
		{isText, func(string) string { return "text" }},
		{isBinary, func(string) string { return "bytes" }},
	} {
		for _, m := range all {
			if want.fits(m.name) {
				return m, want.kind(m.name)
			}
		}
	}
	return media{}, ""
}

// sentAs is how the schema writes a kind of body: that of text and bytes by its media type, where it is not the usual one.
func sentAs(m media, kind string) string {
	usual := strings.Contains(m.name, "*") || m.name == "text/plain" || m.name == "application/octet-stream"
	if kind != "text" && kind != "bytes" || usual {
		return kind
	}
	return m.name
}

// isText reports whether content is text that models read as it is.
func isText(name string) bool {
	return strings.HasPrefix(name, "text/") && name != "text/xml" && name != "text/event-stream" ||
		strings.HasSuffix(name, "yaml") || slices.Contains([]string{"application/x-ndjson", "application/jsonl", "application/toml", "application/csv"}, name)
}

// isBinary reports whether content is bytes that models pass on.
func isBinary(name string) bool {
	return slices.Contains([]string{"application/octet-stream", "application/zip", "application/gzip", "application/x-gzip", "application/pdf",
		"application/x-tar", "application/x-zip-compressed"}, name) ||
		slices.ContainsFunc([]string{"image/", "audio/", "video/"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// content adds a body: the members of an object each for itself, and anything else as the field body.
func (b *toolBuilder) content(m media, kind string, schema source.Part, required bool) error {
	whole := field{name: "body", in: "body", as: "", whole: true, required: required, at: schema}
	switch kind {
	case "text":
		whole.schema = b.withDescription(b.l.addBound(schema, role{}, ofType(schema, "string")), schema, schema.TextOf("description"))
		if !source.HasAny(source.Cursor{Value: whole.schema}, []string{"maxLength"}) && !b.l.o.NoBounds {
			whole.schema.Fields = append(whole.schema.Fields, member("maxLength", number(longestText)))
		}
		b.add(whole)
		return nil
	case "bytes":
		whole.schema = bytesOf(schema)
		b.add(whole)
		return nil
	}
	if kept := b.l.keep[b.op.label()]; kept != nil {
		return b.keptBody(schema, kept)
	}
	s := b.l.shapeOf(schema)
	if b.bodyEmpty = s.kind == "map" && s.closed && s.values == nil && !s.union && required && kind == "json"; b.bodyEmpty {
		return nil
	}
	former := b.l.before.of(b.op)
	form := kind == "form" || kind == "multipart"
	chosen := !form && b.l.isChoice(schema) && (former == nil || slices.Contains(former.places, "body."))
	if s.kind != "object" || chosen || !b.l.flat(schema, map[string]bool{}) {
		if form {
			return b.drops("body", "body", required, "is not an object, which a form is made of")
		}
		whole.schema = b.l.inputSchema(schema, role{})
		b.add(whole)
		return nil
	}
	if s.values != nil && s.values.Kind == ir.Object && len(s.values.Fields) > 0 {
		b.drops("body", "*", false, "may have any name, and the tool names its members")
	}
	if s.union {
		b.note("the members of the alternatives of its body are taken together")
	}
	if err := tooWide("body", s); err != nil {
		return err
	}
	if s.ruled {
		b.drops("body", "*", false, "has rules on the whole body, such as minProperties or not, which only the API checks")
	}
	needed := b.l.neededIn(schema, map[string]map[string]bool{})
	b.l.work.Do(len(needed))
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		if _, there := s.byName[name]; !there {
			b.drops("body", name, false, "is required, and the description does not describe it")
		}
	}
	for _, one := range s.members {
		if err := b.member(m, one.name, one.Part, needed[one.name]); err != nil {
			return err
		}
	}
	return nil
}

// bytesOf is a schema of bytes, which callers give as base64.
func bytesOf(at source.Part) ir.Value {
	return ofType(at, "string", member("contentEncoding", text("base64")))
}

// flat reports whether the members of an object are those of one alternative: what stands for it is not a choice between objects.
func (l *lowering) flat(at source.Part, seen map[string]bool) bool {
	if len(seen) > mostParts {
		return false
	}
	if at.Has("$ref") {
		target, fault := l.d.files.Follow(at)
		if is := target.File() + "#" + target.Pointer; fault == nil && !seen[is] {
			seen[is] = true
			return l.flat(target, seen)
		}
		return fault == nil
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		branches := at.ElementsOf(keyword)
		if len(branches) == 1 && !l.flat(at.Of(branches[0]), seen) || len(branches) != 1 && !l.together(at, branches) {
			return false
		}
	}
	return !slices.ContainsFunc(at.ElementsOf("allOf"), func(part source.Cursor) bool { return !l.flat(at.Of(part), seen) })
}

// together reports whether the members of alternatives can be those of one object: they have some in common, and what has one name is the same in each.
func (l *lowering) together(at source.Part, branches []source.Cursor) bool {
	known, times, objects := map[string]string{}, map[string]int{}, 0
	for _, branch := range branches {
		if !source.HasAny(branch, []string{"properties", "$ref", "allOf", "anyOf", "oneOf"}) {
			continue
		}
		s := l.shapeOf(at.Of(branch))
		if s.kind != "object" {
			return false
		}
		l.work.Do(source.OfValue * len(s.members))
		for _, m := range s.members {
			is := m.Value.String()
			if was, there := known[m.name]; there && was != is {
				return false
			}
			known[m.name] = is
			times[m.name]++
		}
		objects++
	}
	return objects == 0 || slices.Contains(slices.Collect(maps.Values(times)), objects)
}

// neededIn are the members that every value of an object has: those of all that it is, and of each alternative. Known has those of references.
func (l *lowering) neededIn(at source.Part, known map[string]map[string]bool) map[string]bool {
	all := map[string]bool{}
	if at.Has("$ref") {
		target, fault := l.d.files.Follow(at)
		is := target.File() + "#" + target.Pointer
		if _, there := known[is]; fault == nil && !there && len(known) < mostParts {
			known[is] = nil // it may contain itself
			known[is] = l.neededIn(target, known)
		}
		maps.Copy(all, known[is])
	}
	for _, name := range at.ElementsOf("required") {
		if name.Kind == ir.Text {
			all[name.Text] = true
		}
	}
	for _, part := range at.ElementsOf("allOf") {
		maps.Copy(all, l.neededIn(at.Of(part), known))
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		var each map[string]bool
		for i, branch := range at.ElementsOf(keyword) {
			in := l.neededIn(at.Of(branch), known)
			if i == 0 {
				each = in
			}
			maps.DeleteFunc(each, func(name string, _ bool) bool { return !in[name] })
		}
		maps.Copy(all, each)
	}
	return all
}

// member adds a member of a body.
func (b *toolBuilder) member(m media, name string, schema source.Part, required bool) error {
	if schema.IsTrue("readOnly") {
		return nil
	}
	if !required && schema.IsTrue("deprecated") {
		return b.drops("body", name, false, "is deprecated")
	}
	s := b.l.shapeOf(schema)
	f := field{name: fieldName(name), in: "body", as: name, required: required, at: schema}
	encoding, _ := m.Sub("encoding", name)
	media := mediaName(encoding.TextOf("contentType"))
	switch {
	case b.body == "multipart" && s.file && s.kind == "string":
		media, _, _ = strings.Cut(media, ",")
		if f.file = media; f.file == "" {
			f.file = "application/octet-stream"
		}
		f.schema = b.withDescription(bytesOf(schema), schema, schema.TextOf("description"))
		b.add(f)
		return nil
	case b.body == "multipart" && s.items != nil && b.l.shapeOf(*s.items).file:
		return b.drops("body", name, required, "is a list of files, which is not built")
	case b.body == "multipart" && (isJSON(media) || s.kind == "object" || s.kind == "map"):
		f.style = "json"
	case b.body == "form" && s.items != nil && (encoding.TextOf("style") == "deepObject" || b.l.shapeOf(*s.items).kind == "object"):
		f.style = "deep"
	case b.body == "form" && s.kind == "any" && len(s.kinds) == 0:
		f.style = "json"
	}
	if len(s.enum) == 1 && s.kind == "string" && required {
		b.constant("body", name, text(s.enum[0]))
		return nil
	}
	f.schema = b.l.inputSchema(schema, role{form: b.body == "form" || b.body == "multipart"})
	b.add(f)
	return nil
}

// asBody says how the body is written, unless it is JSON.
func (b *toolBuilder) asBody() {
	has := b.fixed["body"] != nil || slices.ContainsFunc(b.fields, func(f field) bool { return f.in == "body" })
	if kind := b.bodyKind(); has && kind != "" && kind != "json" || b.bodyEmpty {
		tree.Set(b.request, "body", tree.Text(kind))
	}
}

// bodyKind is how the body is written. A JSON body that the operation does not need is not sent without members.
func (b *toolBuilder) bodyKind() string {
	isJSON := b.body == "json" || strings.HasSuffix(b.body, "json")
	needed := b.bodyRequired || b.fixed["body"] != nil || slices.ContainsFunc(b.fields, func(f field) bool { return f.in == "body" && (f.required || f.whole) })
	if isJSON && !needed {
		return b.body + "?"
	}
	return b.body
}
