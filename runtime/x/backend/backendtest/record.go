package backendtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Record returns a transport that passes requests on to another and appends each exchange to a file, which Replay reads. Of the headers it writes those that answers are read by, and never
// credentials; the values of the query parameters and of the members of bodies that secrets names are written as [Hidden]. Bodies that are not text are left out. A nil transport is
// http.DefaultTransport.
func Record(file string, next http.RoundTripper, secrets ...string) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &recorder{file: file, next: next, secrets: secrets}
}

type recorder struct {
	file    string
	next    http.RoundTripper
	secrets []string
	mu      sync.Mutex
}

// Headers that a recording keeps.
var (
	asked    = []string{"Accept", "Content-Type"}
	answered = []string{"Content-Type", "Link", "Location", "Retry-After"}
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
	if failed != nil {
		return a, failed
	}
	return a, r.write(&exchange{
		Request:  message{Method: q.Method, URL: r.withoutSecrets(q.URL), Headers: kept(q.Header, asked), Body: r.body(sent)},
		Response: message{Status: a.StatusCode, Headers: kept(a.Header, answered), Body: r.body(got)},
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

func kept(h http.Header, names []string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		if values := h.Values(name); len(values) > 0 {
			all[name] = strings.Join(values, ", ")
		}
	}
	return all
}

// withoutSecrets is a URL whose secrets are hidden.
func (r *recorder) withoutSecrets(u *url.URL) string {
	copied := *u
	copied.User = nil
	pairs := strings.Split(copied.RawQuery, "&")
	for i, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil && slices.Contains(r.secrets, plain) {
			pairs[i] = name + "=" + url.QueryEscape(Hidden)
		}
	}
	copied.RawQuery = strings.Join(pairs, "&")
	return copied.String()
}

// body is the text of a body whose secrets are hidden, at any depth of JSON, and in a form.
func (r *recorder) body(b []byte) string {
	var v any
	switch {
	case !utf8.Valid(b):
		return ""
	case len(r.secrets) == 0:
		return string(b)
	case !decode(string(b), &v):
		if form, err := url.ParseQuery(string(b)); err == nil && slices.ContainsFunc(r.secrets, form.Has) {
			return strings.TrimPrefix(r.withoutSecrets(&url.URL{RawQuery: string(b)}), "?")
		}
		return string(b)
	case !r.hide(v):
		return string(b)
	}
	hidden, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(hidden)
}

// hide hides the secrets in a JSON value. It reports whether there were any.
func (r *recorder) hide(v any) (found bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if slices.Contains(r.secrets, name) {
				v[name], found = Hidden, true
			} else if r.hide(value) {
				found = true
			}
		}
	case []any:
		for _, value := range v {
			found = r.hide(value) || found
		}
	}
	return found
}
