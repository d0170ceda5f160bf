package backendtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing/iotest"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime/internal/secretname"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// Record returns a transport that passes requests on to another and appends each exchange to a file, which Replay reads. Of the headers it writes those that
// answers are read by, and never credentials. The credentials of a call of package backend, and those in headers of other requests, are written as [Hidden]
// wherever they stand, if they have 6 bytes or more, and so are the values of the query parameters and of the members of bodies that secrets names or whose
// names are those of secrets, such as password, access_token and DB_PASS: the names are those of the command rpcgen record. Bodies that are not text are left
// out. A nil transport is http.DefaultTransport.
func Record(file string, next http.RoundTripper, secrets ...string) http.RoundTripper {
	return &recorder{file: file, next: cmp.Or(next, http.DefaultTransport), secrets: secrets}
}

type recorder struct {
	file    string
	next    http.RoundTripper
	secrets []string
	mu      sync.Mutex
}

// Headers that a recording keeps.
var (
	requestFields = []string{"Accept", "Content-Type"}
	answerFields  = []string{"Content-Type", "Link", "Location", "Retry-After"}
)

// RoundTrip implements http.RoundTripper. What was sent and read is the same as without a recording.
func (r *recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	var sent []byte
	if q.Body != nil {
		var err error
		if sent, err = io.ReadAll(q.Body); err != nil {
			return nil, err
		}
		_ = q.Body.Close()
		q = q.Clone(q.Context())
		q.Body = io.NopCloser(bytes.NewReader(sent))
	}
	a, err := r.next.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	got, failed := io.ReadAll(a.Body)
	_ = a.Body.Close()
	a.Body = io.NopCloser(bytes.NewReader(got))
	if failed != nil { // where it is read
		a.Body = io.NopCloser(io.MultiReader(bytes.NewReader(got), iotest.ErrReader(failed)))
		return a, nil
	}
	h := r.hiderFor(q, sent)
	return a, r.write(&exchange{
		Request:  message{Method: q.Method, URL: h.url(q.URL), Headers: h.headers(q.Header, requestFields), Body: h.body(sent, true)},
		Response: message{Status: a.StatusCode, Headers: h.headers(a.Header, answerFields), Body: h.body(got, false)},
	})
}

func (r *recorder) write(e *exchange) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.OpenFile(r.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// secretHider hides the secrets of one exchange.
type secretHider struct {
	names []string     // of query parameters and members
	sent  *web.Secrets // values that the request has
}

// hiderFor returns what hides the secrets of an exchange whose request is known: the credentials of the call, those in its headers, and the values that have a
// secret name.
func (r *recorder) hiderFor(q *http.Request, body []byte) *secretHider {
	h := &secretHider{r.secrets, new(web.Secrets)}
	if call, ok := q.Context().Value((*web.Secrets)(nil)).(*web.Secrets); ok {
		h.sent.Include(call)
		for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie"} { // that another transport has added
			h.sent.AddHeader(http.Header{name: q.Header.Values(name)})
		}
	} else {
		h.sent.AddHeader(q.Header)
	}
	h.addNamed(q.URL.Query())
	var v any
	if decode(string(body), &v) {
		h.hide(v, true)
	} else if form, err := url.ParseQuery(string(body)); err == nil {
		h.addNamed(form)
	}
	return h
}

// named reports whether a name is that of a secret.
func (h *secretHider) named(name string) bool {
	return slices.Contains(h.names, name) || secretname.Is(name) || secretname.IsList(name)
}

func (h *secretHider) addNamed(form url.Values) {
	login := form.Has("code_verifier") || form.Get("grant_type") == "authorization_code"
	for name, values := range form {
		if h.named(name) || login && name == "code" {
			h.sent.Add(values...)
		}
	}
}

// text is a text of an answer without secrets.
func (h *secretHider) text(s string) string {
	if hidden := h.sent.Hide(s); hidden != s {
		return strings.ReplaceAll(hidden, web.Hidden, Hidden)
	}
	return s
}

// holds reports whether a text holds a secret.
func (h *secretHider) holds(s string) bool { return h.sent.Hide(s) != s }

// headers are the headers with some names, without secrets.
func (h *secretHider) headers(all http.Header, names []string) map[string]string {
	kept := map[string]string{}
	for _, name := range names {
		if values := all.Values(name); len(values) > 0 {
			kept[name] = h.text(strings.Join(values, ", "))
		}
	}
	return kept
}

// url is the URL of a request without secrets. A value that holds one is hidden as a whole, so that Replay takes any.
func (h *secretHider) url(u *url.URL) string {
	copied := *u
	copied.User = nil
	pairs := strings.Split(copied.RawQuery, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil && value != "" && h.named(plain) || h.holds(value) {
			pairs[i] = h.text(name) + "=" + url.QueryEscape(Hidden)
		}
	}
	copied.RawQuery = strings.Join(pairs, "&")
	return h.text(copied.String())
}

// body is the text of a body without secrets, at any depth of JSON, and in a form. A value of a request that holds one is hidden as a whole, as in a URL.
func (h *secretHider) body(b []byte, request bool) string {
	var v any
	switch {
	case !utf8.Valid(b):
		return ""
	case !decode(string(b), &v):
		if form, err := url.ParseQuery(string(b)); err == nil && bytes.IndexByte(b, '=') > 0 && (h.namedIn(form) || request && h.holds(string(b))) {
			return strings.TrimPrefix(h.url(&url.URL{RawQuery: string(b)}), "?")
		}
		return h.text(string(b))
	case !h.hide(v, request) && !h.holds(string(b)):
		return string(b)
	}
	hidden, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(h.sent.HideJSON(hidden)), web.Hidden, Hidden)
}

// namedIn reports whether a form has a secret with a name.
func (h *secretHider) namedIn(form url.Values) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(form)), h.named)
}

// isLogin reports whether an object is a request for a token, whose code is a secret (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
func isLogin(v map[string]any) bool {
	return v["code_verifier"] != nil || v["grant_type"] == "authorization_code"
}

// hideNamed returns the value of a member whose name is that of a secret, with all texts, and numbers unless the name is that of a list, hidden: members may be
// required. It reports whether there were any.
func (h *secretHider) hideNamed(v any, list, request bool) (hidden any, found bool) {
	switch one := v.(type) {
	case string:
		if request {
			h.sent.Add(one)
		}
		return Hidden, one != ""
	case json.Number, float64:
		if !list {
			return Hidden, true
		}
	case []any:
		for i := range one {
			var some bool
			one[i], some = h.hideNamed(one[i], list, request)
			found = found || some
		}
	case map[string]any:
		for name := range one {
			var some bool
			one[name], some = h.hideNamed(one[name], list, request)
			found = found || some
		}
	}
	return v, found
}

// hide hides the values with secret names in a JSON value, and within a request those that hold a secret; the named ones of a request are secrets from then on.
// It reports whether there were any.
func (h *secretHider) hide(v any, request bool) (found bool) {
	within := func(value any) (any, bool) {
		if text, ok := value.(string); ok && request && h.holds(text) {
			return Hidden, true
		}
		return value, h.hide(value, request)
	}
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if slices.Contains(h.names, name) {
				if text, ok := value.(string); ok && request {
					h.sent.Add(text)
				}
				v[name], found = Hidden, true
			} else if h.named(name) || name == "code" && isLogin(v) {
				hidden, some := h.hideNamed(value, !secretname.Is(name) && name != "code", request)
				v[name], found = hidden, found || some
			} else if hidden, some := within(value); some {
				v[name], found = hidden, true
			}
		}
	case []any:
		for i, value := range v {
			if hidden, some := within(value); some {
				v[i], found = hidden, true
			}
		}
	}
	return found
}
