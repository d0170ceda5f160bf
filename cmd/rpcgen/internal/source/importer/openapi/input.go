package openapi

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// toolBuilder makes one tool.
type toolBuilder struct {
	l       *lowering
	op      *operation
	t       *Tool
	fields  []field
	places  []string // what the operation has, as x-import keeps it
	request *yaml.Node
	fixed   map[string]*yaml.Node // constants by place
	body    string                // how the body is written; empty for none or JSON
	page    *page
	schemas []ir.Member // input and output
	gave    ir.Value    // what the tool gives

	bodyRequired bool   // the operation needs a body
	bodyEmpty    bool   // the body is an object that has no members
	large        bool   // the answer has a list of objects, or many members
	redirect     string // what becomes of a redirect, if not what the rule says
}

// field is a field of the input.
type field struct {
	name     string // of the field
	in       string // path, query, header or body
	as       string // its name there
	style    string
	file     string // of a file: its media type
	whole    bool   // it is the whole body
	nested   bool   // as is a path of several members
	required bool
	at       source.Part
	schema   ir.Value
}

// words are what models read of a tool.
func (b *toolBuilder) words() {
	o, op := b.l.o, b.op
	summary, description := op.TextOf("summary"), op.TextOf("description")
	b.t.Title = cutText(plain(summary), 100)
	b.t.Description = cmp.Or(o.toldOf(description, summary), op.line())
	if strings.TrimRight(b.t.Title, ".") == strings.TrimRight(b.t.Description, ".") {
		b.t.Title = ""
	}
	hints := flow()
	is := func(name string, v string) { tree.Set(hints, name, tree.Plain(v)) }
	is("readOnly", strconv.FormatBool(reads(op)))
	if op.method == "delete" {
		is("destructive", "true")
	}
	if op.method == "delete" || op.method == "put" || op.says(Repeats) == "true" {
		is("idempotent", "true")
	}
	is("openWorld", "true")
	b.t.Hints = hints
}

// neverInput are headers that say how a request is sent, and are not arguments.
var neverInput = []string{"accept", "content-type", "authorization", "host", "cookie", "connection", "content-length", "transfer-encoding", "te",
	"trailer", "upgrade", "user-agent", "accept-encoding", "content-encoding"}

// input is what a tool takes: the parameters of the operation and the members of its body, in one object.
func (b *toolBuilder) input() error {
	all, fault := b.l.d.parameters(b.op)
	if fault != nil {
		return asReason(fault)
	}
	var form []parameter
	var whole *parameter
	for _, p := range all {
		var err error
		if p.twice {
			b.drops(p.in, p.name, false, "is there twice; the later one counts")
		}
		if p.in == "path" {
			p.name = b.inPath(p.name, all)
		}
		switch p.in {
		case "body", "formData":
			if b.bodiless() {
				err = b.drops("body", p.name, p.required, b.meaningless())
			} else if p.in == "body" {
				whole = &p
			} else {
				form = append(form, p)
			}
		case "path", "query", "header", "cookie":
			err = b.parameter(p)
		default:
			err = leftOutf("the parameter %s is in %s, which is not a place of a request", p.name, p.in)
		}
		if err != nil {
			return err
		}
	}
	if err := b.bodyOf(whole, form); err != nil {
		return err
	}
	if err := b.addCursor(); err != nil {
		return err
	}
	b.apart()
	return b.path()
}

// drops notes a parameter or a member that is left out. A required one takes the operation with it.
func (b *toolBuilder) drops(in, name string, required bool, reason string) error {
	if required {
		return leftOutf("the required %s of %s %s", name, cmp.Or(map[string]string{"header": "the headers"}[in], "the "+in), reason)
	}
	b.l.said.Dropped = append(b.l.said.Dropped, report.LeftOut{Operation: b.op.label(), Pointer: in + "." + name, Reason: reason})
	return nil
}

// parameter adds a parameter.
func (b *toolBuilder) parameter(p parameter) error {
	lower := strings.ToLower(p.name)
	switch {
	case b.l.hosts.keys[p.in+" "+lower]: // it is a credential
		return nil
	case p.in == "header" && (slices.Contains(neverInput, lower) || strings.HasPrefix(lower, "proxy-")):
		return b.drops(p.in, p.name, false, "says how a request is sent, which a tool does by itself")
	case p.in == "cookie":
		return b.drops(p.in, p.name, p.required, "is a cookie, which only schemes set")
	case p.in == "path" && !strings.Contains(b.op.path, "{"+p.name+"}"): // it is reported
		return nil
	case !p.required && p.in != "path" && p.IsTrue("deprecated"):
		return b.drops(p.in, p.name, false, "is deprecated")
	}
	f := field{in: p.in, as: p.name, name: fieldName(p.name), required: p.required || p.in == "path", at: p.Part}
	schema, style, foreign := b.schemaOf(p)
	if foreign != "" {
		return b.drops(p.in, p.name, f.required, "is written as "+foreign+", which is not built")
	}
	f.style = style
	s := b.l.shapeOf(schema)
	if s.lost != nil {
		return b.drops(p.in, p.name, f.required, "has a schema that is not known: "+asReason(s.lost).Error())
	}
	bare := len(s.kinds) > 1 && f.style == "" && p.TextOf("style") != "deepObject" && !slices.Contains(s.kinds, "array") && slices.Contains(s.kinds, "object")
	if bare { // a text, a number or a boolean is all that has a form there
		s.kinds = slices.DeleteFunc(slices.Clone(s.kinds), func(kind string) bool { return kind == "object" })
		b.drops(p.in, p.name, false, "is taken without the object that it may be, which has no form there")
	}
	f.schema, s.kind = b.l.inputSchema(schema, role{form: true}), b.simpleKind(s, f.style)
	if s.kind == "string" && (bare || len(s.kinds) != 1) || s.kind == "array" && (len(s.kinds) != 1 || b.itemKind(s) != "") {
		f.schema = b.simple(schema, s)
	}
	if f.style == "" {
		var reason string
		if f.style, reason = b.style(p, s); reason != "" {
			return b.drops(p.in, p.name, f.required, reason)
		}
	}
	if f.style == "members" {
		return b.spread(p, s)
	}
	if constant, is := constantOf(schema, s, p); is {
		b.constant(p.in, p.name, constant)
		return nil
	}
	if b.l.d.two {
		f.schema = f.schema.Without("name", "in", "required")
	}
	f.schema = b.withDescription(f.schema, schema, p.TextOf("description"))
	b.add(f)
	return nil
}

// schemaOf is the schema of a parameter, its style if it is sent as JSON, and the media type that it is written as if that is not built.
func (b *toolBuilder) schemaOf(p parameter) (schema source.Part, style, foreign string) {
	schema, ok := p.Sub("schema")
	if content, there := p.Sub("content"); there && !ok {
		for _, m := range content.Members() {
			if !isJSON(mediaName(m.Name)) {
				return schema, "", m.Name
			}
			schema, ok = content.Of(m.Cursor).Sub("schema")
			style = "json"
		}
	}
	switch {
	case b.l.d.two:
		schema = p.Part // its keywords stand next to its place
	case !ok:
		schema = p.Of(source.Cursor{Value: ofType(p.Part, "string"), Pointer: p.Pointer, Index: p.Index})
	}
	return schema, style, ""
}

// simpleKind is the kind of a parameter that is not JSON: where it may be several, a list if it may be one, and otherwise text.
func (b *toolBuilder) simpleKind(s *shape, style string) string {
	is := func(kind string) bool { return slices.Contains(s.kinds, kind) }
	switch {
	case style == "json" || s.kind != "any" && s.kind != "string or object":
		return s.kind
	case is("array"):
		return "array"
	case is("object"):
		return s.kind
	}
	return "string"
}

// itemKind is the kind of the items of a list that have to become text, because they may be several; empty for others.
func (b *toolBuilder) itemKind(s *shape) string {
	if s.items == nil {
		return "string"
	}
	if items := b.l.shapeOf(*s.items); items.kind == "any" && !slices.Contains(items.kinds, "array") && !slices.Contains(items.kinds, "object") {
		return "string"
	}
	return ""
}

// simple is a parameter of which the description says less, or more, than a text or a list of texts.
func (b *toolBuilder) simple(at source.Part, s *shape) ir.Value {
	if s.kind == "string" {
		return b.l.describe(b.textValue(at, s), s)
	}
	one := b.textValue(at, &shape{})
	v := b.l.describe(ofType(at, "array"), s)
	if s.items != nil && b.itemKind(s) == "" {
		one = b.l.inputSchema(*s.items, role{form: true})
	} else if s.items != nil {
		one = b.textValue(at, b.l.shapeOf(*s.items))
	}
	v.Fields = append(v.Fields, member("items", one))
	if !b.l.o.NoBounds {
		v.Fields = append(v.Fields, member("maxItems", number(mostItems)))
	}
	return v
}

// textValue is the text that a value becomes: of numbers, booleans and texts that are listed, it has a pattern.
func (b *toolBuilder) textValue(at source.Part, s *shape) ir.Value {
	v := ofType(at, "string")
	patterns := map[string]string{"integer": "-?[0-9]+", "number": `-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`, "boolean": "true|false"}
	var all []string
	loose := len(s.kinds) == 0
	for _, kind := range s.kinds {
		if pattern := patterns[kind]; pattern != "" {
			all = append(all, pattern)
		} else if kind != "string" || s.anyText {
			loose = true
		}
	}
	if loose || len(all)+len(s.enum) == 0 {
		return b.l.addBound(at.Of(source.Cursor{Value: v, Pointer: at.Pointer, Index: at.Index}), role{}, v)
	}
	all = append(all, ir.Each(s.enum, regexp.QuoteMeta)...)
	v.Fields = append(v.Fields, member("pattern", text("^(?:"+strings.Join(all, "|")+")$")))
	return v
}

// withDescription gives a schema the description of its place, which counts more than its own.
func (b *toolBuilder) withDescription(v ir.Value, of source.Part, description string) ir.Value {
	told := b.l.o.shorten(description, longestField)
	if told != "" {
		told = withDefault(told, of)
	}
	if told == "" || v.Kind != ir.Object {
		return v
	}
	return v.Without("description").Set("description", text(told))
}

// style is how a list or an object is written; "members" for an object whose members are parameters each.
func (b *toolBuilder) style(p parameter, s *shape) (style, reason string) {
	list := s.kind == "array"
	if style := p.TextOf("style"); p.in == "path" && style != "" && style != "simple" {
		return b.pathStyle(p, style, s)
	}
	if !list && s.kind != "object" && s.kind != "map" {
		return "", ""
	}
	style, explode := p.TextOf("style"), p.in == "query"
	if e, ok := p.Get("explode"); ok {
		explode = e.Text == "true"
	}
	if b.l.d.two {
		style, explode = map[string]string{"": "form", "csv": "form", "multi": "form"}[p.TextOf("collectionFormat")], p.TextOf("collectionFormat") == "multi"
		if style == "" {
			return "", "is a list in the format " + p.TextOf("collectionFormat") + ", which is not built"
		}
	}
	switch {
	case p.in == "path" && !list:
		return "", "is an object, which has no form in a path"
	case p.in == "header" && list:
		return "comma", ""
	case p.in == "header":
		return "", "is an object, which has no form in a header"
	case style == "deepObject":
		if list {
			return "deep", ""
		}
		return "", "" // the rule for objects
	case style != "" && style != "form" && p.in != "path":
		return "", "is in the style " + style + ", which is not built"
	case list && s.items != nil && slices.Contains([]string{"object", "map", "array"}, b.l.shapeOf(*s.items).kind):
		return "", "is a list of objects or of lists, whose form the description does not say"
	case list && (explode || p.in == "path"):
		return "", "" // the rule for lists
	case list:
		return "comma", ""
	case explode && s.kind == "object":
		return "members", ""
	case explode:
		return "", "is a map whose members are parameters of any name"
	}
	return "", "is an object that is written as a list, which is not built"
}

// pathStyle is what stands before a value in the path, which is a style of its own there.
func (b *toolBuilder) pathStyle(p parameter, style string, s *shape) (lead, reason string) {
	switch {
	case s.kind == "object", s.kind == "map", s.kind == "array" && p.IsTrue("explode"):
	case style == "label":
		return ".", ""
	case style == "matrix" && matrixName().MatchString(p.name):
		return ";" + p.name + "=", ""
	}
	return "", "is in the style " + style + ", which is not built for it"
}

// matrixName is a name that a path has as it is.
var matrixName = escape.Pattern(`^[A-Za-z0-9._~-]+$`)

// spread adds the members of an object, each of which is a parameter.
func (b *toolBuilder) spread(p parameter, s *shape) error {
	for _, m := range s.members {
		required := p.required && s.required[m.name]
		if inner := b.l.shapeOf(m.Part).kind; inner == "object" || inner == "map" {
			if err := b.drops(p.in, p.name+"."+m.name, required, "is an object within an object, which has no form"); err != nil {
				return err
			}
			continue
		}
		if m.IsTrue("readOnly") {
			continue
		}
		b.add(field{in: p.in, as: m.name, name: fieldName(m.name), required: required, at: m.Part, schema: b.l.inputSchema(m.Part, role{form: true})})
	}
	return nil
}

// constantOf is the only value that a required parameter may have, or the default of a required header.
func constantOf(schema source.Part, s *shape, p parameter) (ir.Value, bool) {
	if !p.required || p.in == "path" {
		return ir.Value{}, false
	}
	if len(s.enum) == 1 && s.kind == "string" {
		return text(s.enum[0]), true
	}
	d, ok := schema.Get("default")
	return d.Value, ok && p.in == "header" && d.Kind == ir.Text
}

// constant adds a constant of the request.
func (b *toolBuilder) constant(in, name string, v ir.Value) {
	b.places = append(b.places, in+"."+name)
	b.fix(in, field{in: in, as: name}.path(), tree.Value(v))
}

// fix gives a place of the request a constant.
func (b *toolBuilder) fix(in, name string, v *yaml.Node) {
	if b.fixed[in] == nil {
		b.fixed[in] = flow()
	}
	tree.Set(b.fixed[in], name, tree.Clone(v))
}

// add adds a field.
func (b *toolBuilder) add(f field) {
	if slices.Contains(b.places, f.in+"."+f.as) {
		return
	}
	b.places = append(b.places, f.in+"."+f.as)
	b.fields = append(b.fields, f)
}

// apart gives fields with one name names of their own: the one whose name it is in the request keeps it, then that of the path, and that of the body.
func (b *toolBuilder) apart() {
	rank := map[string]int{"path": 0, "body": 1, "query": 2, "header": 3}
	made := func(f field) int {
		if f.name == f.as {
			return 0
		}
		return len(rank)
	}
	order := make([]int, len(b.fields))
	for i := range order {
		order[i] = i
	}
	place := func(at int) int { return made(b.fields[order[at]]) + rank[b.fields[order[at]].in] }
	sort.SliceStable(order, func(i, j int) bool { return place(i) < place(j) })
	taken := map[string]bool{}
	for _, i := range order {
		f := &b.fields[i]
		name := f.name
		if taken[name] {
			name += "_" + f.in
		}
		for taken[name] {
			name += "_"
		}
		f.name = strings.TrimRight(name, "_")
		if taken[f.name] {
			f.name = withHash(f.name, f.in+f.as, 64)
		}
		taken[f.name] = true
	}
	group := func(f field) int {
		switch {
		case f.in == "path":
			return 0
		case f.required:
			return 1
		}
		return 2
	}
	sort.SliceStable(b.fields, func(i, j int) bool { return group(b.fields[i]) < group(b.fields[j]) })
}

// path writes the request line: each part in braces is a field.
func (b *toolBuilder) path() error {
	path, _, _ := strings.Cut(b.op.path, "#") // a fragment is never sent
	path, named, _ := strings.Cut(path, "{?") // parameters of the query, as Springfox names them
	for name := range strings.SplitSeq(strings.TrimSuffix(named, "}"), ",") {
		if named != "" && !slices.ContainsFunc(b.fields, func(f field) bool { return f.in == "query" && f.as == name }) {
			b.drops("query", name, false, "is named by the path alone")
		}
	}
	path, query, _ := strings.Cut(path, "?")
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			if strings.Contains(value, "{") {
				return leftOutf("its path %s has a parameter in the query", b.op.path)
			}
			b.constant("query", name, text(value))
		} else if name != "" {
			b.constant("query", name, text(""))
		}
	}
	var out strings.Builder
	for rest := path; rest != ""; {
		before, after, ok := strings.Cut(rest, "{")
		out.WriteString(before)
		if !ok {
			break
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed {
			return leftOutf("its path %s has a brace that is not closed", b.op.path)
		}
		out.WriteString(b.placeholder(name))
		rest = tail
	}
	tree.Set(b.request, b.op.method, tree.Text(out.String()))
	return nil
}

// placeholder is the field for a part of the path, in braces, with what its style has before it. One that the description does not declare is text.
func (b *toolBuilder) placeholder(name string) string {
	for _, f := range b.fields {
		if f.in == "path" && f.as == name {
			return f.style + "{" + f.name + "}"
		}
	}
	f := field{name: fieldName(name), in: "path", as: name, required: true, at: b.op.Part, schema: b.l.addBound(b.op.Part, role{}, ofType(b.op.Part, "string"))}
	for slices.ContainsFunc(b.fields, func(other field) bool { return other.name == f.name }) {
		f.name += "_path"
	}
	b.note("no parameter describes " + name + " of the path, which is any text then")
	b.places = append(b.places, "path."+name)
	b.fields = append([]field{f}, b.fields...)
	return "{" + f.name + "}"
}

// place is where a field stands in the request; nil if the rule says it.
func (b *toolBuilder) place(f field) *yaml.Node {
	query := b.op.method == "get" || b.op.method == "head" || b.op.method == "delete"
	rule := "body"
	if query {
		rule = "query"
	}
	m := flow()
	switch {
	case f.in == "path":
		return nil
	case f.in == "cursor":
		return tree.Text("cursor")
	case f.whole:
		return tree.Text("body")
	case f.file != "":
		tree.Set(m, "file", tree.Text(f.as))
		tree.Set(m, "type", tree.Text(f.file))
		return m
	case f.in == rule && f.style == "" && f.name == f.as:
		return nil
	case f.in != "body" && f.style == "" && f.name == f.as:
		return tree.Text(f.in)
	default:
		tree.Set(m, f.in, tree.Text(f.path()))
	}
	tree.SetSome(m, "style", tree.Text(f.style))
	return m
}

// path is how a place of the request names the field: by its name there, or by its path in the body.
func (f field) path() string {
	if f.in == "body" && !f.nested {
		return bodyPath("", f.as)
	}
	return f.as
}

// bodyPath is the path of a member of a body, in the object with the given path, which ends in a dot.
func bodyPath(within, name string) string {
	if name == "" || strings.ContainsAny(name, ".[]\" \t\n\f\r") {
		return strings.TrimSuffix(within, ".") + "[" + text(name).String() + "]"
	}
	return within + name
}

// fits refuses an input that is too large for hosts.
func (b *toolBuilder) fits(refs []*def) error {
	input := b.inputSchema()
	var given []*def
	for _, d := range refs {
		if !d.role.answer {
			given = append(given, d)
		}
	}
	size, depth, recursive := measure(input, given)
	help := "; name what it needs with --keep " + shellQuoted(b.op.label()+": PATH, ...")
	switch {
	case recursive:
		return leftOutf("its input contains itself%s", help)
	case size > largestInput:
		return leftOutf("its input has %s bytes, and at most %s are taken%s", escape.Thousands(size), escape.Thousands(largestInput), help)
	case depth > deepestInput:
		return leftOutf("its input has %d levels, and at most %d are taken%s", depth, deepestInput, help)
	}
	return nil
}

// inputSchema is the schema of the input.
func (b *toolBuilder) inputSchema() ir.Value {
	properties, required := object(b.op.Part), ir.Value{Kind: ir.Array}
	for _, f := range b.fields {
		properties.Fields = append(properties.Fields, member(f.name, f.schema))
		if f.required {
			required.Items = append(required.Items, text(f.name))
		}
	}
	v := ofType(b.op.Part, "object", member("properties", properties), member("additionalProperties", boolean(false)))
	if len(required.Items) > 0 {
		v.Fields = append(v.Fields, member("required", required))
	}
	return v
}
