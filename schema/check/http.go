package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// http reads the request of a tool.
func (c *serverChecker) http(t *ir.Tool, entry syntax.Entry) {
	if !c.d.mapping(entry, "write {get: /path}") {
		return
	}
	place := grammar.Tool().Value("http")
	c.d.keys(entry.Value, "http", place)
	h := &ir.HTTP{Pos: entry.Key.Span.Pos}
	q := &requestChecker{c: c, d: c.d, t: t, h: h, entry: entry}
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "body":
			h.Body, h.Bodiless = q.bodyKey(e)
		case "fixed":
			q.readFixed(e)
		case "page":
			h.Page = c.paging(e)
		case "retry":
			if c.d.mapping(e, "write {key: Idempotency-Key}") {
				c.d.keys(e.Value, "retry", place.Value("retry"))
				q.retry(e)
			}
		case "wait":
			q.readWaiting(e)
		case "redirect":
			h.Redirect = c.d.word(e, place.Value("redirect").Words...)
		default:
			q.verb(e)
		}
	}
	if q.path == nil {
		c.d.report(diag.MissingKey, entry.Key.Span, "add get:, head:, post:, put:, patch: or delete:, and a path", "http names no path")
		return
	}
	t.HTTP = h
	c.d.settle(q.settle)
}

// requestChecker settles the request of one tool, once its input and output are known.
type requestChecker struct {
	c     *serverChecker
	d     *draft
	t     *ir.Tool
	h     *ir.HTTP
	entry syntax.Entry
	path  *syntax.Node

	inPath []string             // the fields that the path names
	taken  map[string]diag.Span // what is sent in one place, by place and name
	above  map[string]diag.Span // the objects of the body that hold what is sent
	whole  *ir.Field            // the field that is the whole body
	inBody []*ir.Field          // fields that are members of the body
	cursor *ir.Field
}

func (q *requestChecker) verb(e syntax.Entry) {
	if !slices.Contains(grammar.Verbs, e.Key.Text) {
		return
	}
	if q.path != nil {
		q.d.report(diag.ConflictingKeys, e.Key.Span, "keep one of the two", "a request has one method and one path")
		return
	}
	if q.h.Path = q.d.text(e); q.h.Path != "" {
		q.h.Verb, q.path = strings.ToUpper(e.Key.Text), e.Value
	}
}

// bodyKinds are the ways to write a body, other than media types.
var bodyKinds = []string{"json", "form", "multipart", "text", "bytes"}

var jsonMedia = text.Pattern(`^[A-Za-z0-9!#$&^_.+-]+/([A-Za-z0-9!#$&^_.+-]*[+.-])?json$`)

// otherMedia is a media type without parameters, of which the type of the field says whether it is text or bytes.
var otherMedia = text.Pattern(`^(application|audio|font|image|model|text|video)/[A-Za-z0-9!#$&^_.+-]+$`)

// bodyKey reads how the body is written, and whether a JSON body without members is left out.
func (q *requestChecker) bodyKey(e syntax.Entry) (kind string, bodiless bool) {
	text := q.d.text(e)
	kind, bodiless = strings.CutSuffix(text, "?")
	isJSON := kind == "json" || jsonMedia().MatchString(kind)
	if text != "" && !isJSON && (bodiless || !slices.Contains(bodyKinds, kind) && !otherMedia().MatchString(kind) || kind == "application/x-www-form-urlencoded") {
		q.d.report(diag.InvalidValue, e.Value.Span, "write "+orList(bodyKinds)+", or a media type such as application/merge-patch+json or text/csv; json? "+
			"leaves out a body without members", "body cannot be %q", text)
	}
	return kind, bodiless
}

func (q *requestChecker) readFixed(e syntax.Entry) {
	for _, e := range q.d.keyedEntries(e, "write {query: {name: value}}", "fixed", grammar.Tool().Value("http").Value("fixed")) {
		switch e.Key.Text {
		case "query":
			q.h.Query = q.c.constants(e)
		case "header":
			q.h.Headers = q.c.constants(e)
			q.c.allowedHeaders(q.h.Headers)
		case "body":
			for _, e := range q.d.entries(e, "write path: value") {
				m := ir.FixedMember{Pos: e.Key.Span.Pos, Path: e.Key.Text, Value: q.d.value(e.Value)}
				if q.memberPath(m.Path, e.Key.Span) {
					q.h.Members = append(q.h.Members, m)
				}
			}
		}
	}
}

func (q *requestChecker) retry(e syntax.Entry) {
	key := e.Value.Entry("key")
	if key == nil {
		q.d.report(diag.MissingKey, e.Key.Span, "add key: and a header such as Idempotency-Key", "retry names no header")
		return
	}
	if q.h.RetryKey = q.d.text(*key); q.h.RetryKey != "" {
		q.c.allowedHeader(q.h.RetryKey, key.Value.Span)
	}
}

// memberPath reports whether a text is the path of a member of a body that is sent: names with dots between them.
func (q *requestChecker) memberPath(path string, at diag.Span) bool {
	if answerPath().MatchString(path) && !elementStep().MatchString(path) {
		return true
	}
	q.d.report(diag.AnswerPath, at, `write names with dots between them, and ["a.b"] for a name with dots`, "%q is not the path of a member of the body", path)
	return false
}

// elementStep finds a step of a path that leads into a list.
var elementStep = text.Pattern(`\[(-1|[0-9]+)\]`)

func (q *requestChecker) report(code diag.Code, at diag.Span, help, format string, args ...any) {
	q.d.report(code, at, help, format, args...)
}

func (q *requestChecker) settle() {
	if !q.backend() {
		return
	}
	if q.t.Content != nil {
		q.report(diag.ConflictingKeys, q.entry.Key.Span, "remove content:, or http: and write the handler in Go",
			"content blocks are not made of an answer of a backend")
	}
	in, ok := q.input()
	if !ok {
		return
	}
	q.pathFields(in)
	q.taken, q.above = map[string]diag.Span{}, map[string]diag.Span{}
	for _, constants := range []struct {
		in  string
		all []ir.Constant
	}{{"query", q.h.Query}, {"header", q.h.Headers}} {
		for _, f := range constants.all {
			q.take(constants.in, f.Name, point(f.Pos, len(f.Name)))
		}
	}
	for _, m := range q.h.Members {
		q.take("body", m.Path, point(m.Pos, len(m.Path)))
	}
	if in != nil {
		for _, f := range in.Fields {
			if q.t.View == nil || f.Name != q.t.View.Choose {
				q.send(f)
			}
		}
	}
	q.body()
	q.waitFields()
	q.read()
	q.paging()
	q.errors()
}

// backend resolves which backend is called.
func (q *requestChecker) backend() bool {
	all := q.c.doc.Backends
	names := ir.Each(all, func(b *ir.Backend) string { return b.Name })
	switch e := q.entry.Value.Entry("backend"); {
	case e != nil:
		i := slices.Index(names, q.d.text(*e))
		if i < 0 {
			q.report(diag.UnknownBackend, valueSpan(*e), q.d.suggest(e.Value.Text, func() []string { return names }), "unknown backend %q", e.Value.Text)
			return false
		}
		q.h.Backend = all[i]
	case len(all) == 1:
		q.h.Backend = all[0]
	case len(all) == 0:
		q.report(diag.UnknownBackend, q.entry.Key.Span, "add backends: {api: {server: https://...}}", "the file declares no backend")
		return false
	default:
		q.report(diag.UnknownBackend, q.entry.Key.Span, "add backend: "+orList(names), "the file declares %d backends", len(all))
		return false
	}
	if e := q.entry.Value.Entry("auth"); e != nil {
		q.h.Auth = q.c.auth(q.h.Backend, *e)
	}
	return true
}

// input is the object whose fields are sent; nil if the tool takes none.
func (q *requestChecker) input() (*ir.Struct, bool) {
	if q.t.Input == nil {
		return nil, true
	}
	s, ok := ir.Underlying(q.t.Input).(*ir.Struct)
	if ok && s.Additional == ir.AdditionalKept {
		q.report(diag.ConflictingKeys, q.entry.Key.Span, "remove additional:, or add a field of type map with http: body",
			"additional members of the input have no place in the request")
	}
	return s, ok
}

var pathField = text.Pattern(`\{[^{}/]*\}`)

// wellFormed checks the characters of a path.
func (q *requestChecker) wellFormed(path string, at *syntax.Node) bool {
	rest := pathField().ReplaceAllString(path, "x")
	bad := !strings.HasPrefix(path, "/") || strings.ContainsAny(rest, "{}?#\\ %") ||
		strings.ContainsFunc(rest, func(r rune) bool { return r < ' ' || r > '~' }) ||
		slices.ContainsFunc(strings.Split(rest, "/"), func(s string) bool { return s == "." || s == ".." })
	if bad {
		q.report(diag.InvalidValue, at.Span, "write a path such as /users/{id}, whose other characters are printable ASCII; constants of the query go under "+
			"fixed", "%q is not a path below the server", path)
	}
	return !bad
}

// pathFields checks the path and the fields that it names.
func (q *requestChecker) pathFields(in *ir.Struct) {
	path := q.h.Path
	if !q.wellFormed(path, q.path) {
		return
	}
	for _, at := range pathField().FindAllStringIndex(path, -1) {
		name := path[at[0]+1 : at[1]-1]
		var f *ir.Field
		if in != nil {
			f = in.Field(name)
		}
		span := q.path.Within(at[0], at[1]-at[0])
		switch {
		case f == nil:
			help := ""
			if in != nil {
				help = q.d.suggest(name, func() []string { return fieldNames(in) })
			}
			q.report(diag.UnknownPlaceholder, span, help, "%s names {%s}, which is not a field of the input", path, name)
		case f.Optional && f.Default == nil:
			q.report(diag.PathField, point(f.Pos, len(f.Name)), "make it required, or give it a default", "%s is in the path and may be absent", name)
		case !scalars(f.Type) && ir.KindsOf(f.Type)&(ir.KindSet(ir.Array, ir.Object, ir.Null)) != 0:
			q.report(diag.NotInPlace, point(f.Pos, len(f.Name)), "use text, a number, a boolean, or a list of them", "%s is %s, which has no form in a path",
				name, q.kindWords(f.Type))
		case slices.Contains(q.inPath, name):
			q.report(diag.SamePlace, span, "name it once", "the path names {%s} twice", name)
		}
		q.inPath = append(q.inPath, name)
	}
}

// kindWords is a type in a message: its kind with an article.
func (q *requestChecker) kindWords(t ir.Type) string {
	k := ir.KindsOf(t)
	switch {
	case k == ir.EveryKind:
		return "any value"
	case k.Has(ir.Null):
		return "null at times"
	case k.Has(ir.Object):
		return "an object"
	}
	return "a list"
}

// take notes that something is sent in a place, and reports what is sent there already.
func (q *requestChecker) take(in, name string, at diag.Span) {
	key := in + " " + name
	if in == "header" {
		key = strings.ToLower(key)
	}
	first, same := q.taken[key]
	if in == "body" && !same {
		first, same = q.above[key]
		for i := range key {
			if outer, is := q.taken[key[:i]]; key[i] == '.' && is && !same {
				first, same = outer, true
			}
		}
	}
	if same {
		q.d.collide(diag.SamePlace, at, "choose another place for one of the two",
			"two are sent as "+strconv.Quote(name)+" in the "+in, first, "the other one")
		return
	}
	q.taken[key] = at
	for i := range key {
		if key[i] == '.' && in == "body" {
			q.above[key[:i]] = at
		}
	}
}

// body checks how the body is written.
func (q *requestChecker) body() {
	e := q.entry.Value.Entry("body")
	members := len(q.inBody) + len(q.h.Members)
	switch kind := q.h.Body; {
	case e != nil && (q.h.Verb == "GET" || q.h.Verb == "HEAD"):
		q.report(diag.NoBody, e.Key.Span, "remove it", "a %s has no body", strings.ToLower(q.h.Verb))
	case q.whole != nil && members > 0:
		q.report(diag.SamePlace, point(q.whole.Pos, len(q.whole.Name)), "write http: {body: NAME} for a member",
			"%s is the whole body, which has other members as well", q.whole.Name)
	case kind == "text" || kind == "bytes" || otherMedia().MatchString(kind) && !jsonMedia().MatchString(kind):
		f := q.whole
		if f == nil && members == 1 && len(q.inBody) == 1 {
			f = q.inBody[0]
			q.h.Sent = append(q.h.Sent, ir.PlacedField{Field: f, Place: ir.Place{In: "body", Whole: true}})
		}
		_, isBytes := ir.NonNull(typeOf(f)).(*ir.Bytes)
		if kind != "text" && kind != "bytes" {
			q.h.Media, q.h.Body = kind, "text"
			if isBytes {
				q.h.Body = "bytes"
			}
		}
		if f == nil || isBytes != (q.h.Body == "bytes") || ir.KindsOf(f.Type) != ir.KindSet(ir.Text) {
			q.report(diag.NotInPlace, e.Value.Span, "declare one field of that type, and send the others in the query or in headers",
				"a body of the kind %s is one field of type %s", kind, map[string]string{"text": "string", "bytes": "bytes"}[q.h.Body])
		}
	case (kind == "form" || kind == "multipart") && q.whole != nil && ir.KindsOf(q.whole.Type) != ir.KindSet(ir.Object):
		q.report(diag.NotInPlace, point(q.whole.Pos, len(q.whole.Name)), "use an object", "a body of the kind %s is an object", kind)
	}
}

func typeOf(f *ir.Field) ir.Type {
	if f == nil {
		return &ir.Any{}
	}
	return f.Type
}

// errors checks where the data of errors lie.
func (q *requestChecker) errors() {
	for _, err := range q.t.Errors {
		s, ok := err.Data.(*ir.Struct)
		if !ok {
			continue
		}
		for _, f := range s.Fields {
			if f.HTTP != nil && (f.HTTP.In == "body" || f.HTTP.In == "header" || f.HTTP.In == "status") {
				q.d.placed[f.HTTP] = true
			}
		}
	}
}

// statuses reads which answers mean an error.
func (c *reader) statuses(e syntax.Entry) []ir.Statuses {
	var all []ir.Statuses
	for _, word := range c.words(e) {
		n, err := strconv.Atoi(word.Text)
		switch {
		case word.Text == "4xx" || word.Text == "5xx":
			low := 100 * int(word.Text[0]-'0')
			all = append(all, ir.Statuses{Low: low, High: low + 99})
		case err == nil && n >= 400 && n <= 599:
			all = append(all, ir.Statuses{Low: n, High: n})
		default:
			c.report(diag.InvalidValue, word.Span, "write a status from 400 to 599, 4xx, 5xx, or a list of them", "%q is not the status of an error", word.Text)
		}
	}
	return all
}
