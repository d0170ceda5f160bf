package openapi

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// budget is the greatest size of the result of a tool.
const budget = "48k"

// success is the answer of an operation that says that it was carried out: that of the lowest status with JSON. It reports whether it is one of several forms.
func (b *toolBuilder) success() (best response, several bool, err error) {
	all, fault := b.l.d.answers(b.op)
	if fault != nil {
		return best, false, asReason(fault)
	}
	var good []*response
	for at := range all {
		if status := all[at].status; len(status) == 3 && status[0] == '2' {
			good = append(good, &all[at])
		}
	}
	if len(good) == 0 {
		at := slices.IndexFunc(all, func(a response) bool { return slices.Contains([]string{"301", "302", "303", "307", "308"}, a.status) })
		if at < 0 {
			at = slices.IndexFunc(all, func(a response) bool { return a.status == "default" })
		}
		if at < 0 {
			return response{status: "default", Part: b.op.Of(source.Cursor{Value: object(b.op.Part), Pointer: b.op.Pointer, Index: b.op.Index})}, false, nil
		}
		good = append(good, &all[at])
	}
	sort.SliceStable(good, func(i, j int) bool { return good[i].status < good[j].status })
	best = *good[0]
	var schemas []string
	for i := len(good) - 1; i >= 0; i-- {
		for _, m := range b.l.d.contents(b.op, good[i].Part, "produces") {
			if schema, ok := m.schema(); ok && isJSON(m.name) {
				best = *good[i]
				if is := schema.Value.String(); !slices.Contains(schemas, is) {
					schemas = append(schemas, is)
				}
			}
		}
	}
	return best, len(schemas) > 1, nil
}

// output is what a tool gives.
func (b *toolBuilder) output() error {
	a, several, err := b.success()
	if err != nil {
		return err
	}
	if several {
		b.l.said.Several = append(b.l.said.Several, b.op.label()+": "+a.status)
	}
	if a.status == "default" && len(a.Fields) == 0 {
		b.note("it describes no answer that says that it was carried out, so that the tool gives nothing")
		return nil
	}
	if a.status[0] == '3' {
		link := ofType(a.Part, "string")
		link.Fields = append(link.Fields, member("format", text("uri")), member("description", text("Where what is asked for can be read.")))
		b.gives(a.Part, []ir.Member{member("location", link)}, nil, map[string]*yaml.Node{"location": flow("header", "Location")})
		b.redirect = "link"
		return nil
	}
	all := b.l.d.contents(b.op, a.Part, "produces")
	var best *media
	other := ""
	for _, m := range all {
		switch {
		case isJSON(m.name) && (best == nil || !isJSON(best.name) || m.name == "application/json" && best.name != m.name):
			best = &m
		case best == nil && (isText(m.name) || isBinary(m.name)):
			best = &m
		case best == nil:
			other = m.name
		}
	}
	if best == nil {
		if other != "" {
			return leftOutf("it answers %s, which is not built", other)
		}
		return nil
	}
	b.accept(all, *best)
	schema, ok := best.schema()
	switch {
	case !isJSON(best.name) && (ok || !b.l.d.two):
		return b.whole(a.Part, best.name)
	case !ok || !isJSON(best.name):
		return nil
	}
	s := b.l.shapeOf(schema)
	if s.file && s.kind == "string" {
		return b.whole(a.Part, "application/octet-stream")
	}
	b.writeOutput(schema)
	_, items := b.listOf(s)
	b.large = b.t.HasOutput && (len(s.members) > 10 || items != nil && items.kind == "object" && len(items.members) > 0)
	return tooWide("answer", s)
}

// tooWide is why an operation whose body or answer has more members than a type may have is left out; nil for others.
func tooWide(what string, s *shape) error {
	if n := len(s.members); n > grammar.MostMembers {
		return leftOutf("its %s has %s members, and at most %s are taken", what, escape.Thousands(n), escape.Thousands(grammar.MostMembers))
	}
	return nil
}

// choice is the name of the member of the input in which callers choose among those of the answer.
func (b *toolBuilder) choice() string {
	name := "fields"
	for slices.ContainsFunc(b.fields, func(f field) bool { return f.name == name }) {
		name = "answer_" + name
	}
	return name
}

// accept asks for the kind of content, where it is not the one that is asked for anyway.
func (b *toolBuilder) accept(all []media, best media) {
	if best.name == "application/json" || strings.Contains(best.name, "*") || len(all) == 0 || b.l.d.two && len(all) == 1 && isJSON(best.name) {
		return
	}
	b.fix("header", "Accept", tree.Text(best.name))
}

// whole is an answer that is not JSON: one field, text or bytes.
func (b *toolBuilder) whole(at source.Part, name string) error {
	is, schema := "text", ofType(at, "string")
	if !isText(name) {
		is, schema = "content", bytesOf(at)
	}
	b.gives(at, []ir.Member{member(is, schema)}, []string{is}, map[string]*yaml.Node{is: tree.Text("body")})
	return nil
}

// gives is an output of fields. What continues a list is the field next alone.
func (b *toolBuilder) gives(at source.Part, fields []ir.Member, required []string, places map[string]*yaml.Node) {
	if b.page != nil {
		next := ofType(at, "string")
		next.Fields = append(next.Fields, member("description", text("The cursor of the next call, absent at the end.")))
		again := func(name string) bool {
			return name == "next" || b.page.by == "cursor" && bodyPath("", name) == b.page.from
		}
		fields = append(slices.DeleteFunc(fields, func(m ir.Member) bool { return again(m.Name) }), member("next", next))
		required = slices.DeleteFunc(required, again)
		places["next"] = tree.Text("next")
	}
	v := ofType(at, "object")
	properties := object(at)
	properties.Fields = fields
	v.Fields = append(v.Fields, member("properties", properties))
	if len(required) > 0 {
		v.Fields = append(v.Fields, member("required", ir.TextList(required...)))
	}
	b.t.Read = places
	b.outputs(at, v)
}

// outputs is the output of the tool, of at most so many bytes.
func (b *toolBuilder) outputs(at source.Part, v ir.Value) {
	b.gave, b.t.HasOutput = v, true
	b.t.View = tree.Mapping()
	b.t.View.Style = yaml.FlowStyle
	tree.Set(b.t.View, "budget", tree.Text(budget))
	b.l.from[b.pointer("output")] = at
}

// pointer is the pointer of a schema of the tool in the inner document.
func (b *toolBuilder) pointer(half string) string {
	return "/tools/" + ir.EscapePointer(b.t.Name) + "/" + half
}

// lists are names of members that hold the items of an answer.
var listNames = []string{"items", "data", "result", "results", "values", "entries", "records", "list", "nodes", "resources", "elements", "objects"}

// writeOutput writes the output of an answer that is JSON.
func (b *toolBuilder) writeOutput(schema source.Part) {
	l := b.l
	if l.o.Strict {
		b.answeredStrictly(schema)
		return
	}
	s := l.shapeOf(schema)
	room := l.o.Depth
	if s.kind != "object" {
		is, ok := l.answer(schema, room)
		if !ok {
			is = object(schema)
		}
		name := b.wrapper(s)
		b.gives(schema, []ir.Member{member(name, is)}, []string{name}, map[string]*yaml.Node{name: tree.Text("body")})
		return
	}
	envelope := s.named == nil || l.isEnvelope(s)
	if !envelope && b.page == nil {
		if v, d := l.reference(*s.named, role{answer: true, room: room}); d != nil && !d.empty {
			b.outputs(schema, object(schema, v.Fields[0]))
			return
		}
	}
	if envelope {
		room++
	}
	v, empty := l.answerObject(s, room)
	if empty {
		return
	}
	properties, _ := source.Cursor{Value: v}.Get("properties")
	b.gives(schema, properties.Fields, nil, map[string]*yaml.Node{})
}

// answeredStrictly writes an output of all that the description says.
func (b *toolBuilder) answeredStrictly(schema source.Part) {
	s := b.l.shapeOf(schema)
	r := role{answer: true, strict: true}
	one := b.l.isChoice(schema) // a choice is not an object, by its look
	if s.kind == "object" && !one && b.page == nil {
		b.outputs(schema, b.l.inputSchema(schema, r))
		return
	}
	if s.kind == "object" && !one {
		var fields []ir.Member
		var required []string
		for _, m := range s.members {
			fields = append(fields, member(m.name, b.l.inputSchema(m.Part, r)))
			if s.required[m.name] {
				required = append(required, m.name)
			}
		}
		b.gives(schema, fields, required, map[string]*yaml.Node{})
		return
	}
	name := b.wrapper(s)
	b.gives(schema, []ir.Member{member(name, b.l.inputSchema(schema, r))}, []string{name}, map[string]*yaml.Node{name: tree.Text("body")})
}

// isEnvelope reports whether an object holds what the answer is about, or a list of it, and little else.
func (l *lowering) isEnvelope(s *shape) bool {
	found := ""
	for _, m := range s.members {
		is := l.shapeOf(m.Part)
		if is.kind == "object" && (len(s.members) == 1 || slices.Contains(listNames, m.name)) {
			return true
		}
		if is.kind != "array" || is.items == nil || l.shapeOf(*is.items).kind != "object" {
			continue
		}
		if found != "" {
			return false
		}
		found = m.name
	}
	const few = 4
	return found != "" && (slices.Contains(listNames, found) || len(s.members) <= few)
}

// wrapper is the name of the field for an answer that is not an object: the last word of the path for a list.
func (b *toolBuilder) wrapper(s *shape) string {
	if s.kind != "array" {
		return "result"
	}
	segments := strings.Split(b.op.path, "/")
	for _, segment := range slices.Backward(segments) {
		if segment == "" || strings.ContainsAny(segment, "{}?#") {
			continue
		}
		name := strings.Join(wordsOf(segment), "_")
		if name != "" && (name[0] < '0' || name[0] > '9') && name != "next" && !strings.HasPrefix(segment, "v") {
			return name
		}
		break
	}
	return "items"
}

// page is how a list is continued.
type page struct {
	by, param, from, more, size string
	first                       int
}

// Parameters that continue lists, the members that hold what they are set to, and parameters for the size of a page.
var (
	tokens = []string{"page_token", "pageToken", "cursor", "next_token", "nextToken", "NextToken", "continue", "after", "start_cursor", "marker",
		"page[cursor]", "starting_after", "pageCursor", "page_cursor",
		"continuation_token", "continuationToken", "next_page_token", "nextPageToken", "next_cursor", "nextCursor", "scroll_id", "bookmark", "iterator"}
	nexts = []string{"next_page_token", "nextPageToken", "next_token", "nextToken", "NextToken", "next_cursor", "nextCursor", "next_marker",
		"nextMarker", "end_cursor", "endCursor", "after",
		"cursor", "continue", "continuation_token", "continuationToken", "scroll_id", "bookmark", "iterator", "last_id"}
	sizes = []string{"per_page", "limit", "page_size", "pageSize", "pagesize", "PageSize", "perPage", "size", "count", "max_results", "maxResults",
		"maxItems", "page[size]", "page[limit]", "first"}
	pages = []string{"page", "page_number", "pageNumber", "Page", "page[number]"}
	skips = []string{"offset", "skip", "start", "startAt", "page[offset]"}
	more  = []string{"has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage", "more"}
)

// pageNames are names of members that may hold one of nexts.
var pageNames = escape.Pattern(`(?i)^\w*(meta|page|paging|pagination|cursor)\w*$`)

// addCursor makes a cursor of the parameter that continues a list, where the kind of page is known.
func (b *toolBuilder) addCursor() error {
	if b.l.o.NoPages || b.op.method != "get" {
		return nil
	}
	a, _, err := b.success()
	if err != nil {
		return nil // it is reported
	}
	var schema source.Part
	for _, m := range b.l.d.contents(b.op, a.Part, "produces") {
		if s, ok := m.schema(); ok && isJSON(m.name) {
			schema = s
		}
	}
	if schema.Kind != ir.Object {
		return nil
	}
	p := b.pageOf(a, b.l.shapeOf(schema))
	if p == nil {
		if token := b.query(tokens); token != "" {
			b.note("the parameter " + token + " looks like the cursor of a page, but no member of the answer is known to hold the next one: it is a parameter " +
				"like others")
		}
		return nil
	}
	if slices.ContainsFunc(b.fields, func(f field) bool { return f.in == "query" && f.required && f.as == p.param }) {
		return nil
	}
	b.page = p
	param := p.param
	if p.by == "link" {
		param = b.query(pages)
		p.param = ""
	}
	b.fields = slices.DeleteFunc(b.fields, func(f field) bool { return f.in == "query" && f.as == param })
	cursor := ofType(b.op.Part, "string")
	cursor.Fields = append(cursor.Fields, member("description", text("What next of the last answer says.")), member("maxLength", number(2000)))
	b.fields = append(b.fields, field{name: "cursor", in: "cursor", as: "cursor", at: b.op.Part, schema: cursor})
	b.l.said.Pages = append(b.l.said.Pages, b.op.label()+": "+p.String())
	return nil
}

// query is the first of some names that is a parameter in the query.
func (b *toolBuilder) query(names []string) string {
	return ir.First(names, func(name string) bool {
		return slices.ContainsFunc(b.fields, func(f field) bool { return f.in == "query" && f.as == name })
	})
}

// counts reports whether a parameter in the query is a number.
func (b *toolBuilder) counts(name string) bool {
	return slices.ContainsFunc(b.fields, func(f field) bool {
		kind := source.Cursor{Value: f.schema}.TextOf("type")
		return f.in == "query" && f.as == name && (kind == "integer" || kind == "number")
	})
}

// pageOf finds out how a list is continued; nil if it is not known.
func (b *toolBuilder) pageOf(a response, s *shape) *page {
	size := b.query(sizes)
	headers, _ := a.Get("headers")
	if headers.Has("Link") || headers.Has("link") {
		return &page{by: "link", size: size}
	}
	list, items := b.listOf(s)
	if token := b.query([]string{"starting_after"}); token != "" && list != "" && list != "." {
		if flag := memberOf(s, more); flag != "" && slices.ContainsFunc(items.members, func(m shapeMember) bool { return m.name == "id" }) {
			return &page{by: "cursor", param: token, from: list + "[-1].id", more: flag, size: size}
		}
	}
	if token := b.query(tokens); token != "" && s.kind == "object" {
		if from := b.nextOf(s); from != "" {
			return &page{by: "cursor", param: token, from: from, more: memberOf(s, more), size: size}
		}
	}
	if token := b.query([]string{"page"}); token != "" && !b.counts(token) && s.kind == "object" {
		if from := memberOf(s, []string{"next_page", "nextPage"}); from != "" {
			return &page{by: "cursor", param: token, from: from, more: memberOf(s, more), size: size}
		}
	}
	if list == "" {
		return nil
	}
	if skip := b.query(skips); skip != "" && size != "" && b.counts(skip) {
		return &page{by: "offset", param: skip, size: size, more: memberOf(s, more)}
	}
	if at := b.query(pages); at != "" && size != "" && b.counts(at) {
		return &page{by: "page", param: at, size: size, more: memberOf(s, more)}
	}
	return nil
}

// listOf is the path of the list of an answer, with the shape of its items; "." if it is the whole.
func (b *toolBuilder) listOf(s *shape) (string, *shape) {
	if s.kind == "array" && s.items != nil {
		return ".", b.l.shapeOf(*s.items)
	}
	for _, m := range s.members {
		if is := b.l.shapeOf(m.Part); is.kind == "array" && is.items != nil {
			return bodyPath("", m.name), b.l.shapeOf(*is.items)
		}
	}
	return "", nil
}

// memberOf is the first of some names that is a member.
func memberOf(s *shape, names []string) string {
	for _, name := range names {
		if _, ok := s.byName[name]; ok {
			return bodyPath("", name)
		}
	}
	return ""
}

// nextOf is the path of the text that continues a list.
func (b *toolBuilder) nextOf(s *shape) string {
	within := func(in *shape, prefix string) string {
		for _, name := range nexts {
			if i, ok := in.byName[name]; ok && b.l.shapeOf(in.members[i].Part).kind == "string" {
				return bodyPath(prefix, name)
			}
		}
		return ""
	}
	from := within(s, "")
	for _, m := range s.members {
		if from == "" && pageNames().MatchString(m.name) {
			from = within(b.l.shapeOf(m.Part), m.name+".")
		}
	}
	return from
}

// String writes how a list is continued, for the report.
func (p *page) String() string {
	parts := []string{"by " + p.by}
	for _, part := range []struct{ word, value string }{{"parameter", p.param}, {"from", p.from}, {"while", p.more}, {"size", p.size}} {
		if part.value != "" {
			parts = append(parts, part.word+" "+part.value)
		}
	}
	return strings.Join(parts, ", ")
}

// node writes how a list is continued, in the language.
func (p *page) node() *yaml.Node {
	m := flow()
	for _, part := range []struct{ key, value string }{{"by", p.by}, {"param", p.param}, {"from", p.from}, {"more", p.more}, {"size", p.size}} {
		tree.SetSome(m, part.key, tree.Text(part.value))
	}
	if p.first != 0 {
		tree.Set(m, "first", tree.Plain(strconv.Itoa(p.first)))
	}
	return m
}
