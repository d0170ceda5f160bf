// Package backendtest replays and records calls of HTTP APIs, for tests of servers whose tools call them. A recording is a file with one exchange a line, each
// a JSON object with the members request (method, url, headers, body) and response (status, headers, body); bodies are text.
//
// The package is young: it has no compatibility promise yet.
package backendtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
)

// exchange is a request with its answer.
type exchange struct {
	Request  message `json:"request"`
	Response message `json:"response"`

	line int
	used bool
}

// message is a request or an answer.
type message struct {
	Method  string            `json:"method,omitempty"`
	URL     string            `json:"url,omitempty"`
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
}

// Hidden is what a recording has in place of a secret. Replay takes any value for it.
const Hidden = "[hidden]"

// read reads a recording.
func read(name string) ([]*exchange, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const longest = 64 << 20
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, longest)
	var all []*exchange
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		e := &exchange{line: n}
		if err := json.Unmarshal(lines.Bytes(), e); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if e.Request.Method == "" || e.Response.Status < 200 || e.Response.Status > 599 {
			return nil, fmt.Errorf("%s:%d: an exchange has a request with method and url, and a response with a status from 200 to 599", name, n)
		}
		if _, err := url.Parse(e.Request.URL); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		all = append(all, e)
	}
	return all, lines.Err()
}

// differences are what two requests do not have in common, each in words. The path may lack what the server's own path begins with.
func differences(want, got *message) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if want.Method != got.Method {
		add("the method is %s, not %s", got.Method, want.Method)
	}
	w, _ := url.Parse(want.URL)
	g, _ := url.Parse(got.URL)
	if path := g.EscapedPath(); path != w.EscapedPath() && !strings.HasSuffix(w.EscapedPath(), "/"+strings.TrimPrefix(path, "/")) {
		add("the path is %s, not %s", path, w.EscapedPath())
	}
	for _, name := range nameDifferences(w.Query(), g.Query()) {
		add("the parameter %s is %q, not %q", name, strings.Join(g.Query()[name], ", "), strings.Join(w.Query()[name], ", "))
	}
	for name, was := range want.Headers {
		if is := header(got, name); isCompared(name) && is != was && was != Hidden {
			add("the header %s is %q, not %q", http.CanonicalHeaderKey(name), is, was)
		}
	}
	if !sameBody(want, got) {
		add("the body is %s, not %s", cut(got.Body), cut(want.Body))
	}
	return all
}

// nameDifferences are the names of values that two queries or forms do not have in common, in order.
func nameDifferences(want, got url.Values) []string {
	all := slices.Sorted(maps.Keys(want))
	for name := range got {
		if !want.Has(name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(all, func(name string) bool {
		return slices.Equal(want[name], got[name]) || want.Get(name) == Hidden && got.Has(name)
	})
}

// isCompared reports whether a header of a request counts: those that clients set by themselves do not.
func isCompared(name string) bool {
	return !slices.Contains([]string{"Accept-Encoding", "Content-Length", "Content-Type", "Host", "User-Agent", "Connection", "Transfer-Encoding",
		"Authorization", "Cookie"}, http.CanonicalHeaderKey(name))
}

func header(m *message, name string) string {
	for key, value := range m.Headers {
		if strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// sameBody compares bodies: JSON and forms by what they say, several parts without the text between them, and others byte for byte.
func sameBody(want, got *message) bool {
	a, b := whole(want), whole(got)
	if strings.TrimSpace(a) == strings.TrimSpace(b) {
		return true
	}
	if header(got, "Content-Type") == "application/x-www-form-urlencoded" {
		x, failed := url.ParseQuery(a)
		y, err := url.ParseQuery(b)
		return failed == nil && err == nil && len(nameDifferences(x, y)) == 0
	}
	var x, y any
	return decode(a, &x) && decode(b, &y) && equal(x, y)
}

// whole is the body, with one boundary for all of several parts.
func whole(m *message) string {
	if _, parameters, err := mime.ParseMediaType(header(m, "Content-Type")); err == nil && parameters["boundary"] != "" {
		return strings.ReplaceAll(m.Body, parameters["boundary"], "boundary")
	}
	return m.Body
}

func decode(s string, v any) bool {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	return d.Decode(v) == nil && !d.More()
}

// equal compares JSON values, of which want may be hidden.
func equal(want, got any) bool {
	switch w := want.(type) {
	case string:
		if w == Hidden {
			return true
		}
	case map[string]any:
		g, ok := got.(map[string]any)
		return ok && maps.EqualFunc(w, g, equal)
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(w, g, equal)
	}
	return reflect.DeepEqual(want, got)
}

// cut is a text for a message.
func cut(s string) string {
	const most = 2000
	if s == "" {
		return "empty"
	}
	if len(s) > most {
		return s[:most] + " ..."
	}
	return s
}
