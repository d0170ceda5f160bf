package backend

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// maxURL is the greatest length of the URL of a request.
const maxURL = 32 << 10

// request is a request in the making.
type request struct {
	url    *url.URL
	header http.Header
	body   []byte
	size   int // the size of a page that is asked for; 0 if that is not known
	at     int // the offset or page that is asked for

	call   *Call
	plan   *plan
	query  pairs
	paths  map[string]string
	lists  map[string][]string  // of the path
	values map[string]wire.Peek // members of the input whose place is a path in the body
	whole  wire.Peek            // the whole body
	field  string               // of the input, with the whole body
	json   []byte               // members of the body at its root, each with a comma before it
	form   []formValue
	cursor string
	given  map[string]Credential // for the last try, by scheme
	sent   []sentCredential      // credentials of all tries
	asked  []http.Header         // of requests that a transport has made of those of the tries
	try    int                   // from 1
}

// formValue is a member of a body that is not JSON.
type formValue struct {
	place *Place
	name  string
	value wire.Peek
}

// build makes the request for an input, a JSON object or nothing.
func (c *Client) build(call *Call, input []byte, principal string) (*request, error) {
	q := &request{call: call, plan: call.callPlan()}
	q.header = make(http.Header, len(c.headers)+len(q.plan.headers)+4)
	maps.Copy(q.header, c.headers)
	maps.Copy(q.header, q.plan.headers)
	for _, h := range call.Query {
		q.query.pair(q.query.escapeName(h.Name), h.Value)
	}
	for name, value := range wire.PeekAt(input).Members() {
		if err := q.place(name, value); err != nil {
			return nil, err
		}
	}
	path, err := q.path()
	if err != nil {
		return nil, err
	}
	if err := c.continues(q, principal); err != nil {
		return nil, err
	}
	text := c.server + path
	if len(q.query.b) > 0 {
		text += "?" + string(q.query.b)
	}
	if len(text) > maxURL {
		return nil, &Error{Kind: Refused, Text: fmt.Sprintf("the arguments are too long: the URL of the request would have %d bytes, and may have %d",
			len(text), maxURL)}
	}
	if q.url, err = url.Parse(text); err != nil {
		return nil, &Error{Kind: Refused, Text: "the arguments cannot be sent to the API", Cause: err}
	}
	if err := q.makeBody(); err != nil {
		return nil, err
	}
	if q.header.Get("Accept") == "" {
		q.header["Accept"] = q.plan.accept
	}
	return q, nil
}

// accepts is the media type of the answer.
func (c *Call) accepts() string {
	for _, p := range c.Output {
		if p.Whole && (p.Bytes || p.Text) {
			return "*/*"
		}
	}
	return "application/json"
}

// place puts a member of the input where it belongs.
func (q *request) place(name string, value wire.Peek) error {
	place := q.plan.places[name]
	if place == nil {
		place = &Place{Field: name}
	}
	in, as := cmp.Or(place.In, q.plan.byRule), cmp.Or(place.As, name)
	switch in {
	case "path":
		if value.Kind() == wire.Array {
			return q.pathList(name, value)
		}
		text, ok := scalar(value)
		if !ok || text == "" || text == "." || text == ".." {
			return invalid(name, "path", "text that is not empty, . or ..")
		}
		if q.paths == nil {
			q.paths = make(map[string]string, len(q.plan.fields))
		}
		q.paths[name] = text
	case "query":
		if !q.query.value(q.query.escapeName(as), value, place.Style) {
			return invalid(name, "query", "a value without null in it")
		}
		if q.call.Page != nil && as == q.call.Page.Size {
			text, _ := scalar(value)
			_, _ = fmt.Sscan(text, &q.size)
		}
	case "header":
		return q.setHeader(name, as, value, place.Style)
	case "cursor":
		q.cursor, _ = value.Text()
	case "body", "file":
		q.member(place, as, value)
	}
	return nil
}

// pathList notes a list that is a part of a segment of the path.
func (q *request) pathList(name string, value wire.Peek) error {
	texts, ok := scalars(value)
	if joined := strings.Join(texts, ","); !ok || joined == "." || joined == ".." || len(texts) == 0 || slices.Contains(texts, "") {
		return invalid(name, "path", "at least one element, none of which is empty, . or ..")
	}
	if q.lists == nil {
		q.lists = map[string][]string{}
	}
	q.lists[name] = texts
	return nil
}

func (q *request) setHeader(name, as string, value wire.Peek, style string) error {
	text, ok := scalar(value)
	switch {
	case style == "json":
		text, ok = string(value.JSON()), true
	case value.Kind() == wire.Array:
		var texts []string
		texts, ok = scalars(value)
		text = strings.Join(texts, ",")
	}
	if wrong := headerText(text); wrong != "" || !ok {
		return invalid(name, "header", wrong)
	}
	q.header.Set(as, text)
	return nil
}

// member notes a member of the body.
func (q *request) member(place *Place, as string, value wire.Peek) {
	switch {
	case place.Whole:
		q.whole, q.field = value, place.Field
	case q.isJSON() && place.As != "":
		if q.values == nil {
			q.values = map[string]wire.Peek{}
		}
		q.values[place.Field] = value
	case q.isJSON():
		q.json = append(append(wire.AppendString(append(q.json, ','), as), ':'), value.JSON()...)
	default:
		q.form = append(q.form, formValue{place, as, value})
	}
}

// isJSON reports whether the body is JSON.
func (q *request) isJSON() bool {
	switch q.call.Body {
	case "form", "multipart", "text", "bytes":
		return false
	}
	return true
}

// path is the path of the request, escaped. A value of a caller is a part of one segment.
func (q *request) path() (string, error) {
	var b []byte
	for i, text := range q.plan.texts {
		b = append(b, text...)
		if i == len(q.plan.fields) {
			break
		}
		value, ok := q.paths[q.plan.fields[i]]
		list := q.lists[q.plan.fields[i]]
		if !ok && list == nil {
			return "", invalid(q.plan.fields[i], "required", "a value, which the path of the request needs")
		}
		b = escapeSegment(b, value)
		for j, text := range list {
			if j > 0 {
				b = append(b, ',')
			}
			b = escapeSegment(b, text)
		}
	}
	for segment := range strings.SplitSeq(string(b), "/") {
		if (segment == "." || segment == "..") && len(q.plan.fields) > 0 {
			return "", invalid(q.plan.fields[0], "path", "values that are not . or .. together")
		}
	}
	return string(b), nil
}

// makeBody writes the body.
func (q *request) makeBody() error {
	switch q.call.Body {
	case "form":
		form := pairs{form: true}
		err := q.eachValue(func(name []string, value wire.Peek, style string) (expected string) {
			if !form.value(form.nestName(name), value, style) {
				return notNull
			}
			return ""
		})
		if err != nil {
			return err
		}
		q.setBody(form.b, "application/x-www-form-urlencoded")
	case "multipart":
		return q.makeParts()
	case "text":
		text, _ := q.whole.Text()
		if q.whole.Kind() != wire.Invalid {
			q.setBody([]byte(text), cmp.Or(q.call.Media, "text/plain; charset=utf-8"))
		}
	case "bytes":
		if q.whole.Kind() != wire.Invalid {
			b, err := decodeBytes(q.whole)
			if err != nil {
				return err
			}
			q.setBody(b, cmp.Or(q.call.Media, "application/octet-stream"))
		}
	default:
		media := q.call.Body
		if media == "" || media == "json" {
			media = "application/json"
		}
		switch members := q.plan.body.appendMembers(q.json, q.values); {
		case q.whole.Kind() != wire.Invalid:
			q.setBody(bytes.Clone(q.whole.JSON()), media)
		case len(members) > 0:
			members[0] = '{'
			q.setBody(append(members, '}'), media)
		case q.call.Object:
			q.setBody([]byte("{}"), media)
		}
	}
	return nil
}

func (q *request) setBody(b []byte, media string) {
	q.body = b
	q.header.Set("Content-Type", media)
}

// What members of a body that is not JSON have to be.
const (
	notNull  = "a value without null in it"
	partName = "names without a backslash or a control character, which are the names of parts"
)

// eachValue calls add with the members of a body that is not JSON: the constants, and what is sent. What add returns is what it expected of a member that it
// refuses.
func (q *request) eachValue(add func(name []string, value wire.Peek, style string) (expected string)) error {
	for _, m := range q.call.Members {
		add(names(m.Name), wire.PeekAt([]byte(m.Value)), "")
	}
	values := q.form
	if q.whole.Kind() == wire.Object {
		for name, value := range q.whole.Members() {
			values = append(values, formValue{&Place{Field: q.field}, name, value})
		}
	}
	for _, v := range values {
		name := []string{v.name}
		if v.place.As != "" && v.place.In == "body" {
			name = names(v.name)
		}
		if expected := add(name, v.value, v.place.Style); expected != "" {
			return invalid(v.place.Field, "form", expected)
		}
	}
	return nil
}

// names are the names of a path.
func names(path string) []string {
	var all []string
	for _, s := range mustPath(path) {
		all = append(all, s.name)
	}
	return all
}

// makeParts writes a multipart body (RFC 7578).
func (q *request) makeParts() error {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	var failed error
	part := func(name, file, media, text string) (expected string) {
		if strings.ContainsFunc(name, func(c rune) bool { return c == '\\' || c != '\r' && c != '\n' && unicode.IsControl(c) }) { // not all servers read it alike
			return partName
		}
		h := textproto.MIMEHeader{}
		disposition := `form-data; name="` + quoteParam(name) + `"`
		if file != "" {
			disposition += `; filename="` + quoteParam(file) + `"`
		}
		h.Set("Content-Disposition", disposition)
		if media != "" {
			h.Set("Content-Type", media)
		}
		if p, err := w.CreatePart(h); err == nil {
			_, _ = p.Write([]byte(text))
		}
		return ""
	}
	err := q.eachValue(func(path []string, value wire.Peek, style string) (expected string) {
		name := bracketName(path)
		if style == "json" || style == "" && value.Kind() == wire.Object {
			return part(name, "", "application/json", string(value.JSON()))
		}
		if text, ok := scalar(value); ok {
			if place := q.fileOf(name); place != nil {
				var content []byte
				if content, failed = decodeBytes(value); failed != nil {
					return notNull // failed says more
				}
				media := cmp.Or(place.Type, "application/octet-stream")
				return part(name, name, media, string(content))
			}
			return part(name, "", "", text)
		}
		if style == "" || style == "repeat" {
			texts, ok := scalars(value)
			if !ok {
				return notNull
			}
			for _, text := range texts {
				expected = cmp.Or(expected, part(name, "", "", text))
			}
			return expected
		}
		return q.flat(name, value, style, part)
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	_ = w.Close()
	q.setBody(b.Bytes(), w.FormDataContentType())
	return nil
}

// bracketName is the name of a part at a path: a[b][c].
func bracketName(path []string) string {
	name := path[0]
	for _, s := range path[1:] {
		name += "[" + s + "]"
	}
	return name
}

// flat writes the parts of a list or an object in a style of forms.
func (q *request) flat(name string, value wire.Peek, style string, part func(name, file, media, text string) string) (expected string) {
	var form pairs
	if !form.value(form.escapeName(name), value, style) {
		return notNull
	}
	for pair := range strings.SplitSeq(string(form.b), "&") {
		key, text, _ := strings.Cut(pair, "=")
		key, _ = url.PathUnescape(key)
		text, _ = url.PathUnescape(text)
		expected = cmp.Or(expected, part(key, "", "", text))
	}
	return expected
}

// fileOf returns the place of the file that a part is; nil if it is none.
func (q *request) fileOf(name string) *Place {
	for i := range q.call.Input {
		if p := &q.call.Input[i]; p.In == "file" && (p.As == name || p.As == "" && p.Field == name) {
			return p
		}
	}
	return nil
}

// quoteParam is a text in the quotes of a parameter of Content-Disposition, as browsers write it (HTML, Multipart form data).
func quoteParam(s string) string {
	return strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A").Replace(s)
}

// decodeBytes returns the bytes of a member of type bytes.
func decodeBytes(v wire.Peek) ([]byte, error) {
	text, _ := v.Text()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, &Error{Kind: Refused, Text: "a member of the input is not base64", Cause: err}
	}
	return b, nil
}
