package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// place reads where a field lies in a request or an answer.
func (c *draft) place(e syntax.Entry) *ir.Place {
	p := &ir.Place{Pos: e.Key.Span.Pos}
	c.places = append(c.places, p)
	place := grammar.Schema(grammar.Field).Value("http")
	if e.Value.Kind != syntax.Mapping {
		p.In = c.word(e, place.Words...)
		p.Whole = p.In == "body"
		return p
	}
	c.keys(e.Value, "http of a field", place)
	for _, e := range e.Value.Entries {
		switch e.Key.Text {
		case "query", "header", "body", "file":
			if p.In != "" {
				c.report(diag.ConflictingKeys, e.Key.Span, "keep one of the two", "a field lies in one place, and not in %s and %s", p.In, e.Key.Text)
				continue
			}
			p.In, p.Name = e.Key.Text, c.text(e)
		case "style":
			p.Style = c.word(e, place.Value("style").Words...)
		case "type":
			p.Type = c.text(e)
		}
	}
	switch {
	case p.In == "" && p.Style == "":
		c.report(diag.MissingKey, e.Key.Span, "write {query: NAME}, {header: NAME}, {body: PATH} or {file: NAME}", "http does not say where the field lies")
	case p.Type != "" && p.In != "file":
		c.report(diag.ConflictingKeys, e.Key.Span, "remove it, or write file: in place of "+p.In+":", "type belongs to a file")
	}
	return p
}

// reportUnplaced reports places of fields that no request and no answer has.
func (c *draft) reportUnplaced() {
	for _, p := range c.places {
		if !c.placed[p] {
			c.report(diag.MisplacedKey, point(p.Pos, len("http")), "http belongs to a field of the input, the output or the data of an error of a tool with "+
				"http", "http means nothing here")
		}
	}
}

// send finds the place of a field of the input.
func (q *requestChecker) send(f *ir.Field) {
	at := point(f.Pos, len(f.Name))
	inPath := slices.Contains(q.inPath, f.Name)
	byRule := "body"
	switch {
	case inPath:
		byRule = "path"
	case q.h.Verb == "GET" || q.h.Verb == "HEAD" || q.h.Verb == "DELETE":
		byRule = "query"
	}
	place := ir.Place{In: byRule}
	if f.HTTP != nil {
		q.d.placed[f.HTTP] = true
		place = *f.HTTP
		place.In = cmp.Or(place.In, byRule)
		q.h.Sent = append(q.h.Sent, ir.PlacedField{Field: f, Place: place})
		at = point(f.HTTP.Pos, len("http"))
	}
	if inPath != (place.In == "path") {
		q.report(diag.ConflictingKeys, at, "remove http, or {"+f.Name+"} from the path",
			"%s is a field of the path where the path names it, and nowhere else", f.Name)
		return
	}
	name := cmp.Or(place.Name, f.Name)
	switch place.In {
	case "path", "none":
		q.style(f, place, at)
	case "query":
		q.take("query", name, at)
		q.style(f, place, at)
	case "header":
		if !q.c.allowedHeader(name, at) {
			q.take("header", name, at)
		}
		q.style(f, place, at)
	case "body":
		q.member(f, place, name, at)
	case "file":
		q.file(f, name, at)
	case "cursor":
		q.cursorField(f, at)
	default:
		q.report(diag.ConflictingKeys, at, "write query, header, body, path, cursor or none", "%s is a place of an answer, and not of a request", place.In)
	}
}

// member checks a field that is a member of the body, or the whole body.
func (q *requestChecker) member(f *ir.Field, place ir.Place, name string, at diag.Span) {
	switch {
	case q.h.Verb == "GET" || q.h.Verb == "HEAD":
		q.report(diag.NoBody, at, "write http: query", "a %s has no body: say where %s goes", strings.ToLower(q.h.Verb), f.Name)
		return
	case place.Whole && q.whole != nil:
		q.report(diag.SamePlace, at, "write http: {body: NAME} for members of the body", "%s and %s are both the whole body", q.whole.Name, f.Name)
		return
	case place.Whole:
		q.whole = f
		return
	case place.Name != "" && !q.memberPath(place.Name, at):
		return
	}
	q.take("body", name, at)
	q.inBody = append(q.inBody, f)
	if q.h.Body == "form" || q.h.Body == "multipart" {
		q.style(f, place, at)
	} else if place.Style != "" {
		q.report(diag.ConflictingKeys, at, "remove style", "a style is for queries and forms: %s is JSON", f.Name)
	}
}

func (q *requestChecker) file(f *ir.Field, name string, at diag.Span) {
	if _, ok := ir.NonNull(f.Type).(*ir.Bytes); !ok || ir.KindsOf(f.Type) != ir.KindSet(ir.Text) {
		q.report(diag.NotInPlace, at, "declare it as bytes", "%s is not bytes, which a file is made of", f.Name)
	}
	if q.h.Body != "multipart" {
		q.report(diag.NotInPlace, at, "write body: multipart", "a file is a part of a multipart body")
	}
	q.take("body", name, at)
	q.inBody = append(q.inBody, f)
}

func (q *requestChecker) cursorField(f *ir.Field, at diag.Span) {
	switch {
	case q.cursor != nil:
		q.report(diag.SamePlace, at, "keep one of the two", "%s and %s are both the cursor", q.cursor.Name, f.Name)
	case !isString(f.Type) || !f.Optional || f.Default != nil:
		q.report(diag.NotInPlace, at, "declare "+f.Name+"?: {type: string, http: cursor}", "the cursor is an optional text without a default")
	default:
		q.cursor = f
	}
}

func isString(t ir.Type) bool {
	_, ok := t.(*ir.String)
	return ok
}

// isDeep reports whether a place has a style that writes members and elements under their paths.
func isDeep(place ir.Place) bool { return place.Style == "deep" || place.Style == "deep-index" }

// styleFaults are what a field of some kinds can lack in its place, the first of which is reported. The arguments of a text are the name of the field,
// what it is, where it lies, and its style.
var styleFaults = []struct {
	found      func(kinds ir.Kinds, place ir.Place, t ir.Type) bool
	code       diag.Code
	help, text string
}{
	{func(kinds ir.Kinds, place ir.Place, _ ir.Type) bool {
		return kinds.Has(ir.Null) && place.In != "header" && (kinds.Has(ir.Object) || kinds.Has(ir.Array))
	}, diag.NotInPlace, "write style: json, or a type without null", "%[1]s is %[2]s, which has no form in %[3]s; style json would send it as JSON"},
	{func(kinds ir.Kinds, _ ir.Place, _ ir.Type) bool { return kinds.Has(ir.Null) },
		diag.NotInPlace, "use a type without null, or style: json", "%[1]s may be null, which has no form in %[3]s"},
	{func(kinds ir.Kinds, place ir.Place, _ ir.Type) bool {
		return kinds.Has(ir.Object) && (place.In == "header" || place.Style == "comma" || place.Style == "repeat")
	}, diag.NotInPlace, "write style: json", "%[1]s is an object, which has no form in %[3]s; style json would send it as JSON"},
	{func(kinds ir.Kinds, place ir.Place, _ ir.Type) bool {
		return kinds.Has(ir.Array) && place.In == "header" && place.Style != "" && place.Style != "comma"
	}, diag.NotInPlace, "write style: comma or json", "a list has no style %[4]s in a header"},
	{func(kinds ir.Kinds, place ir.Place, t ir.Type) bool {
		return kinds.Has(ir.Array) && !isDeep(place) && !scalars(t)
	}, diag.NotInPlace, "write style: deep, deep-index or json", "the elements of %[1]s are not text, numbers and booleans alone, which the style needs"},
	{func(kinds ir.Kinds, place ir.Place, _ ir.Type) bool {
		return place.Style != "" && !kinds.Has(ir.Array) && !kinds.Has(ir.Object)
	}, diag.ConflictingKeys, "remove style", "%[1]s is not a list or an object"},
}

// style checks that a field has a form in its place.
func (q *requestChecker) style(f *ir.Field, place ir.Place, at diag.Span) {
	if place.In == "path" && place.Style != "" {
		q.report(diag.ConflictingKeys, at, "remove style", "a path has no styles")
	}
	kinds, multipart := ir.KindsOf(f.Type), place.In == "body" && q.h.Body == "multipart"
	switch form := place.In == "body" && q.h.Body == "form"; {
	case place.In == "path", place.In == "none", place.Style == "json":
	case multipart && kinds.Has(ir.Object) && !kinds.Has(ir.Array) && place.Style == "": // a part of its own, as JSON
	case kinds == ir.EveryKind && (isDeep(place) || place.Style == "" && form): // null in it is refused when it is sent
	default:
		for _, fault := range styleFaults {
			if fault.found(kinds, place, f.Type) {
				where := map[string]string{"query": "a query", "header": "a header", "body": "a form"}[place.In]
				q.report(fault.code, at, fault.help, fault.text, f.Name, q.kindWords(f.Type), where, place.Style)
				return
			}
		}
	}
}

// scalars reports whether all elements of a list are text, numbers or booleans.
func scalars(t ir.Type) bool {
	list, ok := ir.Underlying(t).(*ir.List)
	return ok && ir.KindsOf(list.Elem)&ir.KindSet(ir.Array, ir.Object, ir.Null) == 0
}

// read finds the places of the fields of the output.
func (q *requestChecker) read() {
	if q.t.Output == nil {
		return
	}
	out, ok := ir.Underlying(q.t.Output).(*ir.Struct)
	if !ok {
		return
	}
	for _, f := range out.Fields {
		if f.HTTP == nil {
			continue
		}
		q.d.placed[f.HTTP] = true
		at := point(f.HTTP.Pos, len("http"))
		switch f.HTTP.In {
		case "body":
			if f.HTTP.Name != "" && !answerPath().MatchString(f.HTTP.Name) {
				q.report(diag.AnswerPath, at, `write names with dots between them, [0] for an element, [-1] for the last one, and ["a.b"] for a name with dots`,
					"%q is not a path", f.HTTP.Name)
			}
		case "header":
			if f.HTTP.Name != "" && !headerName().MatchString(f.HTTP.Name) {
				q.report(diag.InvalidHeader, at, "use letters, digits and -", "%q cannot name a header", f.HTTP.Name)
			}
			if ir.KindsOf(f.Type)&ir.KindSet(ir.Array, ir.Object) != 0 {
				q.report(diag.NotInPlace, at, "use text, a number or a boolean", "%s is %s, which has no form in a header", f.Name, q.kindWords(f.Type))
			}
		case "status":
			if !ir.KindsOf(f.Type).Has(ir.Integer) {
				q.report(diag.NotInPlace, at, "use integer", "the status is an integer, and %s is not", f.Name)
			}
		case "next":
			if !isString(ir.NonNull(f.Type)) || !f.Optional {
				q.report(diag.NotInPlace, at, "declare "+f.Name+"?: {type: string, http: next}", "what continues a list is an optional text")
			}
		case "none":
			if !f.Optional {
				q.report(diag.NotInPlace, at, "declare "+f.Name+"?", "%s is not read, and must be there", f.Name)
			}
		default:
			q.report(diag.ConflictingKeys, at, "write body, header, status, next or none", "%s is a place of a request, and not of an answer", f.HTTP.In)
		}
		if f.HTTP.Style != "" {
			q.report(diag.ConflictingKeys, at, "remove style", "an answer has no styles")
		}
		q.h.Read = append(q.h.Read, ir.PlacedField{Field: f, Place: *f.HTTP})
	}
}

// paging checks that what continues a list is complete: the cursor, the next one, and how.
func (q *requestChecker) paging() {
	own := q.entry.Value.Entry("page")
	next := slices.IndexFunc(q.h.Read, func(p ir.PlacedField) bool { return p.Place.In == "next" })
	switch {
	case q.cursor == nil && next >= 0:
		p := q.h.Read[next].Place.Pos
		q.report(diag.MissingKey, point(p, len("http")), "declare cursor?: {type: string, http: cursor} in input",
			"the output says how the list goes on, and the input has no cursor")
	case q.cursor == nil && own != nil:
		q.report(diag.MissingKey, own.Key.Span, "declare cursor?: {type: string, http: cursor} in input", "page needs a field of the input that is the cursor")
	case q.cursor == nil:
		q.h.Page = nil
	case next < 0:
		q.report(diag.MissingKey, point(q.cursor.Pos, len(q.cursor.Name)), "declare next?: {type: string, http: next} in output",
			"the input has a cursor, and the output does not say how the list goes on")
	default:
		if q.h.Page == nil && own == nil {
			q.h.Page = q.h.Backend.Page
		}
		if q.h.Page == nil && own == nil {
			q.report(diag.MissingKey, point(q.cursor.Pos, len(q.cursor.Name)), "add page: {by: ...} to http, or to the backend",
				"nothing says how lists of the backend %s are continued", q.h.Backend.Name)
		}
		if q.h.Page != nil && q.h.Page.Param != "" {
			q.take("query", q.h.Page.Param, point(q.cursor.Pos, len(q.cursor.Name)))
		}
	}
}
