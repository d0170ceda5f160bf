package openapi

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	lazy "github.com/rpcgen-go/rpcgen/schema/text"
)

// role is what a schema is for: the same component becomes one type for each.
type role struct {
	answer bool
	form   bool // given in a form, where there is no null
	room   int  // of an answer: how many objects within it are followed
	strict bool // of an answer: as the description has it
	base   bool // what others add to, without them
}

// key identifies a component in a role.
type key struct {
	file, pointer string
	role          role
}

// def is a component that becomes a type.
type def struct {
	key
	target, at source.Part // the component, and where the report finds it: what no file has, where it is referred to
	name       string      // that it has in the description
	id         string      // of the definition in the inner document
	value      ir.Value
	refs       []*def
	empty      bool // an answer of which nothing is left
	depth      int  // of the value alone, without what it refers to
	size       int  // of its JSON, in bytes
}

func text(s string) ir.Value { return ir.Value{Kind: ir.Text, Text: s} }

func boolean(b bool) ir.Value { return ir.Value{Kind: ir.Boolean, Text: strconv.FormatBool(b)} }

func number(n int) ir.Value { return ir.Value{Kind: ir.Integer, Text: strconv.Itoa(n)} }

// object is an object of members; those without a value are left out.
func object(at source.Part, members ...ir.Member) ir.Value {
	return ir.Value{Pos: at.Pos, Kind: ir.Object, Fields: members}
}

func member(name string, v ir.Value) ir.Member { return ir.Member{Name: name, Value: v} }

func ofType(at source.Part, name string, more ...ir.Member) ir.Value {
	return object(at, append([]ir.Member{member("type", text(name))}, more...)...)
}

// component is what a value is that may be a reference; a component that only refers to another is that one.
func (l *lowering) component(s source.Part) (source.Part, *source.Fault) {
	for n := 0; n <= source.Deepest && s.Has("$ref") && (n == 0 || len(s.Fields) == 1); n++ {
		target, fault := l.d.files.Follow(s)
		if fault != nil {
			return s, fault
		}
		s = target
	}
	return s, nil
}

// reference is a reference to the component that a schema refers to, in a role.
func (l *lowering) reference(s source.Part, r role) (ir.Value, *def) {
	target, fault := l.component(s)
	if fault != nil {
		l.fail(fault)
		return object(s), nil
	}
	return l.refer(s, target, r)
}

// refer is a reference to a component, in a role. It is written when it is needed for the first time.
func (l *lowering) refer(s, target source.Part, r role) (ir.Value, *def) {
	r.base = r.base && l.choiceOf(target) != nil
	k := key{target.File(), target.Pointer, r}
	d := l.defs[k]
	if d == nil {
		d = &def{key: k, target: target, at: target, name: nameAt(target), id: "d" + strconv.Itoa(len(l.defs))}
		if target.IsMeta() {
			d.at = s
		}
		l.defs[k] = d
		l.order = append(l.order, d)
		if r.answer && !r.strict {
			l.define(d) // it is known at once whether anything is left of it, and few are within each other
		} else {
			l.queue = append(l.queue, d)
		}
	}
	if !d.empty && !slices.Contains(*l.refs, d) {
		*l.refs = append(*l.refs, d)
	}
	v := object(s, member("$ref", text("#/$defs/"+d.id)))
	if told := l.o.shorten(s.TextOf("description"), longestField); told != "" {
		v.Fields = append(v.Fields, member("description", text(told)))
	}
	return v, d
}

// drain writes the components that are yet to be written.
func (l *lowering) drain() {
	for len(l.queue) > 0 {
		next := l.queue[0]
		l.queue = l.queue[1:]
		l.define(next)
	}
}

// define writes a component in its role.
func (l *lowering) define(d *def) {
	around := l.refs
	l.refs = &d.refs
	if d.role.answer && !d.role.strict {
		d.value, d.empty = l.answerObject(l.shapeOf(d.target), d.role.room)
	} else {
		d.value = l.inputSchema(d.target, d.role)
	}
	l.refs = around
	note := object(d.target, member("schema", text(d.name)))
	d.value.Fields = append(slices.Clone(d.value.Fields), member("x-import", note))
	d.depth, d.size = depthOf(d.value), len(d.value.String())
	l.from["/$defs/"+d.id] = d.at
}

// nameAt is the name of a component after where it stands.
func nameAt(p source.Part) string {
	steps := strings.Split(p.Pointer, "/")
	name := ir.UnescapePointer(steps[len(steps)-1])
	if len(steps) > 2 && slices.Contains([]string{"schemas", "definitions", "$defs"}, steps[len(steps)-2]) {
		return name
	}
	words := wordsWithin(steps[1:])
	if len(words) == 0 {
		title := p.TextOf("title")
		if title == "" {
			title = strings.TrimSuffix(p.File()[strings.LastIndexByte(p.File(), '/')+1:], ".yaml")
		}
		words = wordsOf(title)
	}
	const most = 6
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words[max(0, len(words)-most):], "")
}

// wordsWithin are the words for what lies at a pointer within a component or a path: those of the component and of the innermost member, in the singular for
// the items of a list; without a member those of the fixed parts of the path, with request or answer.
func wordsWithin(steps []string) (words []string) {
	var whole []string // the words of the component
	before := ""
	for _, step := range steps {
		step = ir.UnescapePointer(step)
		_, err := strconv.Atoi(step)
		switch {
		case before == "properties":
			words = append(slices.Clone(whole), wordsOf(step)...)
		case slices.Contains([]string{"schemas", "definitions", "$defs"}, before):
			whole = wordsOf(step)
			words = slices.Clone(whole)
		case step == "items" && len(words) > 0:
			words[len(words)-1] = singular(words[len(words)-1])
		case before == "paths":
			for segment := range strings.SplitSeq(step, "/") {
				if !strings.Contains(segment, "{") && !version().MatchString(segment) {
					words = append(words, wordsOf(segment)...)
				}
			}
		case step == "requestBody":
			words = append(words, "request")
		case step == "responses" && steps[0] == "paths":
			words = append(words, "answer")
		case err == nil, strings.Contains(step, "/"), slices.Contains(places, step), slices.Contains(methods, step), before == "content":
		default:
			words = append(words, wordsOf(step)...)
		}
		before = step
	}
	return words
}

// places are steps of pointers that name no part of an API.
var places = []string{"components", "schemas", "definitions", "paths", "properties", "responses", "parameters", "content", "schema", "items", "allOf",
	"oneOf", "anyOf", "default"}

var version = lazy.Pattern(`^v[0-9]+$`)

// singular is a word in the singular, where it looks like a plural.
func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "s") && len(word) > 3 && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	}
	return word
}

// shortNames are names of components without the prefix of dotted names, as far as the rest is the name of no other: Pod for io.k8s.api.core.v1.Pod.
func (d *description) shortNames() map[string]string {
	all := componentsOf(d.root)
	ends := map[string]int{}
	last := func(name string, n int) string {
		parts := strings.Split(name, ".")
		return strings.Join(parts[max(0, len(parts)-n):], ".")
	}
	for _, m := range all.Members() {
		for n := 1; n <= strings.Count(m.Name, ".")+1; n++ {
			ends[last(m.Name, n)]++
		}
	}
	short := map[string]string{}
	for _, m := range all.Members() {
		for n := 1; n <= strings.Count(m.Name, "."); n++ {
			if end := last(m.Name, n); ends[end] == 1 && len(wordsOf(end)) > 0 && !version().MatchString(end) {
				short[m.Name] = end
				break
			}
		}
	}
	return short
}

// inputSchema is a schema of what callers give, as JSON Schema of draft 2020-12.
func (l *lowering) inputSchema(s source.Part, r role) ir.Value {
	if !l.work.Do(source.OfSchema) {
		l.fail(endFault(s))
		return boolean(true)
	}
	if s.Kind == ir.Boolean {
		return s.Value
	}
	if s.Kind != ir.Object {
		l.fail(&source.Fault{Pos: s.Pos, Pointer: s.Pointer, Message: "a schema must be an object, not " + s.Kind.String()})
		return boolean(true)
	}
	s, fault := s.Plain()
	if fault != nil {
		l.fail(fault)
	}
	if ref, ok := s.Get("$ref"); ok && ref.Kind == ir.Text {
		v, _ := l.reference(s, r)
		if rest := s.Without([]string{"$ref"}); !l.d.old && source.HasAny(rest, source.Checks) {
			both := l.inputSchema(s.Of(rest), r)
			return object(s, member("allOf", ir.Value{Kind: ir.Array, Items: []ir.Value{v, both}}))
		}
		return l.orNull(s, r, v)
	}
	base := r.base
	if r.base = false; !base {
		if c := l.choiceOf(s); c != nil {
			return l.givenChoice(s, r, c)
		}
	}
	v := object(s)
	hidden := l.hiddenMembers(s, r)
	if told := withDefault(l.o.shorten(s.TextOf("description"), longestField), s); told != "" {
		v.Fields = append(v.Fields, member("description", text(told)))
	}
	for _, m := range s.Members() {
		if Fields().Of("Schema", m.Name).Use == source.Used { // others are read elsewhere, or reported
			v.Fields = append(v.Fields, l.givenMember(s, m, r, base, hidden)...)
		}
	}
	if r.answer {
		v = l.answeredNumber(v)
	}
	return l.orNull(s, r, l.addBound(s, r, v))
}

// givenMember is what a keyword of a schema becomes: itself, others, or nothing. A base is given for what adds to it.
func (l *lowering) givenMember(s source.Part, m source.Member, r role, base bool, hidden []string) []ir.Member {
	at := s.Of(m.Cursor)
	switch {
	case base && (m.Name == "oneOf" || m.Name == "anyOf") && propertyOf(s) != "": // they are what adds to it
	case m.Name == "properties" && m.Kind == ir.Object:
		return []ir.Member{member(m.Name, l.givenEach(at, r, hidden))}
	case slices.Contains(source.MapKeywords, m.Name) && m.Kind == ir.Object:
		return []ir.Member{member(m.Name, l.givenEach(at, r, nil))}
	case slices.Contains(source.ListKeywords, m.Name) && m.Kind == ir.Array:
		return l.givenAll(s, m, r)
	case slices.Contains(source.SchemaKeywords, m.Name) && (m.Kind == ir.Object || m.Kind == ir.Boolean):
		return []ir.Member{member(m.Name, l.inputSchema(at, r))}
	case m.Name == "required":
		return requiredOf(m.Cursor, hidden)
	case m.Name == "enum" && len(m.Items) == 0:
	case m.Name == "enum":
		return []ir.Member{member(m.Name, uniqueValues(asTyped(s, m.Value), s.IsTrue("nullable", "x-nullable") && !r.form))}
	case m.Name == "type":
		return []ir.Member{member(m.Name, typeOf(s, r, m.Value))}
	case (m.Name == "maxLength" || m.Name == "minLength") && s.Has("enum") && haveLength(s, m): // its values say it
	case m.Name == "default": // the API has it, and what is absent is not sent
	case m.Name == "format" && m.Text == "byte" && s.TextOf("type") == "string":
		return []ir.Member{member("contentEncoding", text("base64"))}
	default:
		return []ir.Member{member(m.Name, m.Value)}
	}
	return nil
}

// givenAll are the schemas of a list, with its keyword. A form has neither null nor an empty text for it; an alternative left alone is the schema itself.
func (l *lowering) givenAll(s source.Part, m source.Member, r role) []ir.Member {
	all := m.Elements()
	if m.Name == "allOf" {
		all = slices.DeleteFunc(all, func(part source.Cursor) bool { return len(all) > 1 && wordsAlone(part) })
	}
	if r.form && m.Name != "allOf" {
		all = slices.DeleteFunc(all, func(branch source.Cursor) bool {
			values, _ := branch.Get("enum")
			return branch.TextOf("type") == "null" || len(values.Items) == 1 && (values.Items[0].Text == "" || values.Items[0].Kind == ir.Null)
		})
	}
	list := ir.Value{Pos: m.Pos, Kind: ir.Array}
	for _, item := range all {
		f := l.familyOf(s)
		r.base = m.Name == "allOf" && f != nil && f.child
		list.Items = append(list.Items, l.inputSchema(s.Of(item), r))
	}
	differs := func(inner ir.Member) bool {
		own, has := s.Get(inner.Name)
		return has && inner.Name != "description" && !convert.SameValue(own.Value, inner.Value)
	}
	if len(list.Items) == 1 && len(m.Items) > 1 && list.Items[0].Kind == ir.Object && !slices.ContainsFunc(list.Items[0].Fields, differs) {
		return slices.DeleteFunc(slices.Clone(list.Items[0].Fields), func(inner ir.Member) bool {
			return s.Has(inner.Name) || inner.Name == "description" && s.TextOf("description") != ""
		})
	}
	if len(list.Items) == 0 {
		return nil
	}
	return []ir.Member{member(m.Name, list)}
}

// asTyped are the values of an enum as its type has them: texts may lack quotes, as true and 1 in YAML, and integers may have some.
func asTyped(s source.Part, all ir.Value) ir.Value {
	t, _ := s.Get("type")
	is := convert.SetOf(t.Words())
	all.Items = slices.Clone(all.Items)
	for i, v := range all.Items {
		n, err := strconv.Atoi(v.Text)
		switch {
		case (v.Kind == ir.Boolean || v.Kind == ir.Integer || v.Kind == ir.Number) && is["string"] && !is["boolean"] && !is["integer"] && !is["number"]:
			all.Items[i].Kind = ir.Text
		case v.Kind == ir.Text && err == nil && strconv.Itoa(n) == v.Text && is["integer"] && !is["string"]:
			all.Items[i].Kind = ir.Integer
		}
	}
	return all
}

// haveLength reports whether all values of an enum are texts of a length that a limit admits.
func haveLength(s source.Part, limit source.Member) bool {
	values, _ := s.Get("enum")
	return !slices.ContainsFunc(values.Items, func(v ir.Value) bool {
		n := utf8.RuneCountInString(v.Text)
		return v.Kind != ir.Text && v.Kind != ir.Null || v.Kind == ir.Text &&
			(limit.Name == "maxLength" && n > statusOf(limit.Text) || limit.Name == "minLength" && n < statusOf(limit.Text))
	})
}

// withDefault is a description that names the default, which the API sets where nothing is sent.
func withDefault(told string, s source.Part) string {
	d, ok := s.Get("default")
	if !ok || d.Kind == ir.Null || d.Kind == ir.Object || d.Text == "" || len(d.Text) > longestField/4 || strings.Contains(strings.ToLower(told), "default") {
		return told
	}
	return lazy.Sentences(told, "The default is "+d.Text+".")
}

// hiddenMembers are the members of an object that callers do not give, or that answers do not have.
func (l *lowering) hiddenMembers(s source.Part, r role) (names []string) {
	properties, _ := s.Sub("properties")
	for _, p := range properties.Members() {
		if r.answer && p.IsTrue("writeOnly") || !r.answer && p.IsTrue("readOnly") {
			names = append(names, p.Name)
		}
	}
	return names
}

// givenEach are the schemas of members, but for some.
func (l *lowering) givenEach(all source.Part, r role, without []string) ir.Value {
	v := object(all)
	for _, p := range all.Members() {
		if !slices.Contains(without, p.Name) {
			v.Fields = append(v.Fields, member(p.Name, l.inputSchema(all.Of(p.Cursor), r)))
		}
	}
	return v
}

// requiredOf is the list of names that an object asks for, but for some. In revisions before 3.0 it was a boolean of a member, which means nothing.
func requiredOf(all source.Cursor, without []string) []ir.Member {
	if all.Kind != ir.Array {
		return nil
	}
	v := ir.Value{Pos: all.Pos, Kind: ir.Array}
	for _, item := range all.Items {
		if !slices.Contains(without, item.Text) && !slices.ContainsFunc(v.Items, func(other ir.Value) bool { return other.Text == item.Text }) {
			v.Items = append(v.Items, item)
		}
	}
	if len(v.Items) == 0 {
		return nil
	}
	return []ir.Member{member("required", v)}
}

// uniqueValues is an enum without values that are there twice, and with null if that is asked for.
func uniqueValues(all ir.Value, null bool) ir.Value {
	v := ir.Value{Pos: all.Pos, Kind: ir.Array}
	seen := map[string]bool{}
	for _, item := range all.Items {
		if is := item.String(); !seen[is] {
			seen[is] = true
			v.Items = append(v.Items, item)
		}
	}
	if null && !seen["null"] {
		v.Items = append(v.Items, ir.Value{Kind: ir.Null, Text: "null"})
	}
	return v
}

// typeOf is the type of a schema, with null where the description says so in words of its own.
func typeOf(s source.Part, r role, t ir.Value) ir.Value {
	if t.Text == "file" {
		t.Text = "string"
	}
	null := s.IsTrue("nullable", "x-nullable")
	if r.form && t.Kind == ir.Array {
		t.Items = slices.DeleteFunc(slices.Clone(t.Items), func(item ir.Value) bool { return item.Text == "null" })
		if len(t.Items) == 1 {
			t = t.Items[0]
		}
	}
	if null && !r.form && t.Kind == ir.Text && t.Text != "null" && !s.Has("allOf") {
		return ir.Value{Pos: t.Pos, Kind: ir.Array, Items: []ir.Value{t, text("null")}}
	}
	return t
}

// wordsAlone reports whether a part of allOf says nothing of values, but that they may be null.
func wordsAlone(part source.Cursor) bool {
	return part.Kind == ir.Object && !source.HasAny(part, source.Checks) && !part.Has("format") && !part.Has("contentEncoding") && !part.Has("discriminator")
}

// orNull admits null where a schema says so that is a reference or a conjunction: of others, the type says it.
func (l *lowering) orNull(s source.Part, r role, v ir.Value) ir.Value {
	null := s.IsTrue("nullable", "x-nullable") || slices.ContainsFunc(s.ElementsOf("allOf"), func(part source.Cursor) bool {
		return wordsAlone(part.Without([]string{"type"})) && part.IsTrue("nullable", "x-nullable")
	})
	if r.form || s.Has("type") && !s.Has("allOf") || !null || s.Has("enum") || len(v.Fields) == 0 {
		return v
	}
	return object(s, member("anyOf", ir.Value{Pos: s.Pos, Kind: ir.Array, Items: []ir.Value{v, ofType(s, "null")}}))
}

// Bounds of lists and texts of inputs that have none.
const (
	mostItems   = 100
	longestText = 10_000
)

// addBound adds the bound that a list or a text of an input lacks.
func (l *lowering) addBound(s source.Part, r role, v ir.Value) ir.Value {
	if r.answer || l.o.NoBounds {
		return v
	}
	t, _ := s.Get("type")
	is := ""
	for _, word := range t.Words() {
		if word == "string" || word == "array" {
			is = word
		}
	}
	bound := func(least, keyword string, most int) {
		l.said.Bounds++
		low, _ := s.Get(least)
		v.Fields = append(v.Fields, member(keyword, number(max(most, statusOf(low.Text)))))
	}
	switch {
	case is == "string" && !source.HasAny(s.Cursor, []string{"allOf", "enum", "const", "format", "pattern", "maxLength", "contentEncoding"}):
		bound("minLength", "maxLength", longestText)
	case is == "array" && !s.Has("maxItems") && !s.Has("enum"):
		bound("minItems", "maxItems", mostItems)
	}
	return v
}

// depthOf is how many objects and lists lie within each other in a schema, without what it refers to.
func depthOf(v ir.Value) int {
	deepest := 0
	for _, m := range v.Fields {
		inner := 0
		switch {
		case slices.Contains(source.MapKeywords, m.Name):
			for _, p := range m.Value.Fields {
				inner = max(inner, depthOf(p.Value))
			}
			inner++
		case m.Name == "items", m.Name == "additionalProperties" && m.Value.Kind == ir.Object:
			inner = 1 + depthOf(m.Value)
		case slices.Contains(source.SchemaKeywords, m.Name):
			inner = depthOf(m.Value)
		case slices.Contains(source.ListKeywords, m.Name):
			for _, item := range m.Value.Items {
				inner = max(inner, depthOf(item))
			}
		}
		deepest = max(deepest, inner)
	}
	return deepest
}
