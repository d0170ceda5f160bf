// Package backend_test tests servers that are generated for HTTP APIs: the tools of backend.rpc.yaml, against APIs of httptest.
package backend_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// api is an HTTP API that notes what it gets.
type api struct {
	*httptest.Server
	mu     sync.Mutex
	seen   []string // method, URI and body
	header http.Header
}

// newAPI returns an API that answers with what answer writes.
func newAPI(t *testing.T, answer http.HandlerFunc) *api {
	a := new(api)
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.seen = append(a.seen, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body)))
		a.header = r.Header.Clone()
		a.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(a.Close)
	return a
}

func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func (a *api) last() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.seen) == 0 {
		return ""
	}
	return a.seen[len(a.seen)-1]
}

// client returns the Backend that calls the API.
func (a *api) client(t *testing.T, change ...func(*backend.Options)) *rpc.Backend {
	t.Helper()
	o := backend.Options{
		Server: a.URL, Logger: slog.New(slog.DiscardHandler), CallTimeout: time.Hour, // no test has the timeouts of the schema
		Credentials: backend.Fixed{"token": backend.Bearer("tok"), "secret": backend.Basic("me", "pw"), "session": backend.Key("s1")},
	}
	for _, f := range change {
		f(&o)
	}
	b, err := rpc.NewBackend(rpc.BackendOptions{Tracker: o, Pay: o})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRequests compares requests, byte for byte.
func TestRequests(t *testing.T) {
	a := newAPI(t, says(200, `{}`))
	c := a.client(t)
	shipping := &rpc.Shipping{Name: runtime.Some("A & B"), Address: &rpc.Address{City: "São Paulo"}, Tags: []string{"x", "y"}, Boxes: []rpc.Address{{City: "a"}, {City: "b"}}}
	for _, test := range []struct {
		name string
		call func(context.Context) error
		want string
	}{
		{"a path, a default and a list with commas", func(ctx context.Context) error {
			_, err := c.IssuesList(ctx, rpc.IssuesListInput{Owner: "o/../x", Repo: "r?a=b#c", State: "open", Labels: []string{"a,b", "c d"}, PerPage: runtime.Some(int32(5))})
			return unlessOdd(err) // {} is not a list
		}, "GET /repos/o%2F..%2Fx/r%3Fa%3Db%23c/issues?state=open&labels=a%2Cb,c%20d&per_page=5"},
		{"a JSON body", func(ctx context.Context) error {
			_, err := c.IssueCreate(ctx, rpc.IssueCreateInput{Owner: "o", Repo: "r", Title: `"t"`, Labels: []string{"x"}})
			return err
		}, `POST /repos/o/r/issues {"title":"\"t\"","labels":["x"]}`},
		{"a query with objects and lists", func(ctx context.Context) error {
			_, err := c.IssueSearch(ctx, rpc.IssueSearchInput{Q: "a+b&c", Filter: shipping, IDs: []int64{1, 2}, Sort: []string{"x", "y"}, Raw: runtime.Some(runtime.RawOf([]byte(`{"a":[1]}`)))})
			return err
		}, "GET /search?q=a%2Bb%26c&filter[name]=A%20%26%20B&filter[address][city]=S%C3%A3o%20Paulo&filter[tags][]=x&filter[tags][]=y&filter[boxes][0][city]=a&filter[boxes][1][city]=b&id[]=1&id[]=2&sort=x&sort=y&raw=%7B%22a%22%3A%5B1%5D%7D"},
		{"no body", func(ctx context.Context) error { return c.IssueLock(ctx, rpc.IssueLockInput{Number: 7}) }, "PUT /issues/7/lock"},
		{"a whole body", func(ctx context.Context) error {
			_, err := c.IssuePatch(ctx, rpc.IssuePatchInput{Number: 7, Changes: map[string]runtime.Raw{"a": runtime.RawOf([]byte("null"))}})
			return unlessOdd(err) // {} is not an issue
		}, `PATCH /issues/7 {"a":null}`},
		{"a query of a delete", func(ctx context.Context) error {
			_, err := c.IssueRemove(ctx, rpc.IssueRemoveInput{Number: 7, Reason: runtime.Some("é")})
			return err
		}, "DELETE /issues/7.json?reason=%C3%A9"},
		{"a form", func(ctx context.Context) error {
			_, err := c.ChargeCreate(ctx, rpc.ChargeCreateInput{Amount: 5, Currency: "eur", Shipping: shipping, Metadata: map[string]string{"a b": "c d"}, Lines: []string{"1", "2"}})
			return err
		}, "POST /v1/charges?expand=customer source[kind]=card&amount=5&currency=eur&shipping[name]=A+%26+B&shipping[address][city]=S%C3%A3o+Paulo&shipping[tags][]=x&shipping[tags][]=y&shipping[boxes][0][city]=a&shipping[boxes][1][city]=b&metadata[a+b]=c+d&lines=1&lines=2"},
		{"members at paths, and constants", func(ctx context.Context) error {
			_, err := c.PodCreate(ctx, rpc.PodCreateInput{Namespace: "n", Name: "p", Ports: []rpc.Port{{ContainerPort: 80}}, Note: runtime.Some(runtime.Null[string]())})
			return err
		}, `POST /api/v1/namespaces/n/pods?fieldValidation=Strict {"note":null,"metadata":{"name":"p"},"spec":{"ports":[{"containerPort":80}],"restart":false},"apiVersion":"v1","kind":"Pod"}`},
		{"text", func(ctx context.Context) error {
			_, err := c.NoteSet(ctx, rpc.NoteSetInput{Text: "a\n\"b\""})
			return err
		}, "PUT /v1/note a\n\"b\""},
		{"a list in the path", func(ctx context.Context) error {
			return c.NotesGet(ctx, rpc.NotesGetInput{IDs: []string{"a,b", "c/.."}})
		}, "GET /v1/notes/a%2Cb,c%2F.."},
		{"bytes", func(ctx context.Context) error {
			return c.RawPut(ctx, rpc.RawPutInput{Name: "a b", Content: []byte("\xff\x00x")})
		}, "PUT /v1/raw/a%20b \xff\x00x"},
		{"an empty object", func(ctx context.Context) error { return c.Ping(ctx) }, "POST /v1/Ping {}"},
	} {
		if err := test.call(t.Context()); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := a.last(); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
}

// unlessOdd is an error other than that the answer does not have the declared form.
func unlessOdd(err error) error {
	if e := (*backend.Error)(nil); errors.As(err, &e) && e.Kind == backend.Odd {
		return nil
	}
	return err
}

// TestHeaders compares the headers of requests.
func TestHeaders(t *testing.T) {
	a := newAPI(t, says(200, `{"issues":[]}`))
	c := a.client(t)
	for _, test := range []struct {
		call func(context.Context) error
		want map[string]string
	}{
		{func(ctx context.Context) error {
			_, err := c.IssueCreate(ctx, rpc.IssueCreateInput{Owner: "o", Repo: "r", Title: "t"})
			return err
		}, map[string]string{"Authorization": "Bearer tok", "Accept": "application/vnd.tracker+json", "X-Api-Version": "2022-11-28", "Content-Type": "application/json", "Cookie": ""}},
		{func(ctx context.Context) error {
			_, err := c.IssueSearch(ctx, rpc.IssueSearchInput{Q: "q", Exact: runtime.Some(true)})
			return err
		}, map[string]string{"Authorization": "", "X-Exact": "true"}},
		{func(ctx context.Context) error {
			_, err := c.ChargeCreate(ctx, rpc.ChargeCreateInput{Amount: 1, Currency: "eur"})
			return err
		}, map[string]string{"Authorization": "Basic bWU6cHc=", "X-Source": "rpcgen", "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}},
		{func(ctx context.Context) error {
			_, err := c.PodCreate(ctx, rpc.PodCreateInput{Namespace: "n", Name: "p"})
			return err
		}, map[string]string{"Authorization": "", "Cookie": "sid=s1"}},
		{func(ctx context.Context) error {
			_, err := c.IssuePatch(ctx, rpc.IssuePatchInput{Changes: map[string]runtime.Raw{}})
			_ = err // the answer is not an issue
			return nil
		}, map[string]string{"Content-Type": "application/merge-patch+json"}},
		{func(ctx context.Context) error { return c.RawPut(ctx, rpc.RawPutInput{Name: "a"}) }, map[string]string{"Content-Type": "image/png"}},
		{func(ctx context.Context) error {
			_, err := c.NoteSet(ctx, rpc.NoteSetInput{Text: "a"})
			return unlessOdd(err)
		}, map[string]string{"Content-Type": "text/csv"}},
	} {
		if err := test.call(t.Context()); err != nil {
			t.Error(err)
		}
		for name, want := range test.want {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %s: got %q, want %q", a.last(), name, got, want)
			}
		}
	}
	if _, err := c.ChargeCreate(t.Context(), rpc.ChargeCreateInput{Amount: 1, Currency: "eur"}); err != nil || a.header.Get("Idempotency-Key") == "" {
		t.Error("the call has no key", err)
	}
}

// TestAlternatives takes the first alternative for which there are credentials.
func TestAlternatives(t *testing.T) {
	a := newAPI(t, says(200, `[]`))
	c := a.client(t, func(o *backend.Options) {
		o.Credentials = backend.Fixed{"key": backend.Key("k&1"), "app": backend.Key("a1")}
	})
	if _, err := c.IssuesList(t.Context(), rpc.IssuesListInput{Owner: "o", Repo: "r"}); err != nil {
		t.Fatal(err)
	}
	if got := a.last(); !strings.HasSuffix(got, "api_key=k%261") || a.header.Get("X-App") != "a1" || a.header.Get("Authorization") != "" {
		t.Error(got, a.header)
	}
	c = a.client(t, func(o *backend.Options) { o.Credentials = backend.Fixed{} })
	_, err := c.IssuesList(t.Context(), rpc.IssuesListInput{Owner: "o", Repo: "r"})
	if err == nil || err.Error() != "there is no credential of scheme token: the log of the server says why" {
		t.Error(err)
	}
}

// TestUpload reads a multipart body as a server does.
func TestUpload(t *testing.T) {
	var parts []string
	a := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil {
			t.Error(err)
		}
		reader := multipart.NewReader(r.Body, params["boundary"])
		for {
			p, err := reader.NextPart()
			if err != nil {
				break
			}
			b, _ := io.ReadAll(p)
			parts = append(parts, fmt.Sprintf("%s %q %s %q", p.FormName(), p.FileName(), p.Header.Get("Content-Type"), b))
		}
		_, _ = io.WriteString(w, `{"id":"f1"}`)
	}))
	defer a.Close()
	c := (&api{Server: a}).client(t)
	out, err := c.FileUpload(t.Context(), rpc.FileUploadInput{File: []byte("%PDF\xff"), Purpose: "x\r\ny", Tags: []string{"a", "b"}, About: &rpc.Address{City: "c"}})
	if err != nil || out.ID.Or("") != "f1" {
		t.Fatal(out, err)
	}
	want := []string{`file "file" application/pdf "%PDF\xff"`, `purpose ""  "x\r\ny"`, `tags ""  "a"`, `tags ""  "b"`, `about "" application/json "{\"city\":\"c\"}"`}
	if got := strings.Join(parts, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestAnswers reads outputs from where they lie.
func TestAnswers(t *testing.T) {
	a := newAPI(t, says(201, `{"number":5,"page_url":"https://a.example/5","labels":[{"name":"x"},{"name":"y"}],"user":{"login":"ann"},"more":[1]}`, "X-Request-Id", "abc"))
	out, err := a.client(t).IssueCreate(t.Context(), rpc.IssueCreateInput{Owner: "o", Repo: "r", Title: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if out.Number.Or(0) != 5 || out.Status.Or(0) != 201 || out.Request.Or("") != "abc" || out.Author.Or("") != "ann" || out.Last.Or("") != "y" {
		t.Errorf("%+v", out)
	}
	a = newAPI(t, says(200, "\xff\x00", "Content-Type", "image/png"))
	if out, err := a.client(t).FileGet(t.Context(), rpc.FileGetInput{ID: "1"}); err != nil || string(out.Content) != "\xff\x00" || out.Kind.Or("") != "image/png" {
		t.Error(out, err)
	}
	a = newAPI(t, says(200, "plain", "Content-Type", "text/plain"))
	if out, err := a.client(t).NoteSet(t.Context(), rpc.NoteSetInput{}); err != nil || out.Echo.Or("") != "plain" {
		t.Error(out, err)
	}
	a = newAPI(t, says(302, "", "Location", "https://elsewhere.example/x?sig=1"))
	if out, err := a.client(t).LinkGet(t.Context(), rpc.LinkGetInput{ID: "1"}); err != nil || out.Location.Or("") != "https://elsewhere.example/x?sig=1" {
		t.Error(out, err)
	}
	a = newAPI(t, says(204, ""))
	if out, err := a.client(t).IssueRemove(t.Context(), rpc.IssueRemoveInput{Number: 1}); err != nil || out.Done.Or(0) != 204 {
		t.Error(out, err)
	}
}

// TestDeviations reads answers that break the schema.
func TestDeviations(t *testing.T) {
	for _, test := range []struct {
		name, body, want string // the output, or the beginning of the error
		reported         []string
	}{
		{"null and an unknown value", `[{"number":1,"title":"a","state":"half","user":null,"labels":null}]`, "[{1 a { false} <nil> []}]", []string{"/issues/0/state enum"}},
		{"another kind where a member may be absent", `[{"number":1,"title":"a","user":{"login":5}},{"number":2,"title":"b","labels":"x"}]`, "[{1 a { false} <nil> []} {2 b { false} <nil> []}]",
			[]string{"/issues/0/user/login type", "/issues/1/labels type"}},
		{"a member is missing", `[{"number":1}]`, "The answer (HTTP 200) does not have the declared form (/issues/0/title: required", []string{"/issues/0/title required"}},
		{"an object in place of a list", `{"message":"a\u0007b"}`, "The answer (HTTP 200) does not have the declared form (/issues: type: expected array, got object", []string{"/issues type"}},
		{"HTML", `<html>`, "The answer (HTTP 200) does not have the declared form (it is not JSON): <html>", nil},
		{"nothing", ``, "The answer (HTTP 200) does not have the declared form", []string{"/issues required"}},
	} {
		var reported []string
		a := newAPI(t, says(200, test.body))
		c := a.client(t, func(o *backend.Options) {
			o.OnDeviation = func(_ context.Context, d backend.Deviation) { reported = append(reported, d.Pointer+" "+d.Rule) }
		})
		out, err := c.IssuesList(t.Context(), rpc.IssuesListInput{Owner: "o", Repo: "r"})
		got := fmt.Sprint(out.Issues)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, strings.TrimSuffix(test.want, "...")) {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
		if fmt.Sprint(reported) != fmt.Sprint(test.reported) {
			t.Errorf("%s: reported %q, want %q", test.name, reported, test.reported)
		}
	}
	a := newAPI(t, says(201, `[]`))
	_, err := a.client(t).IssueCreate(t.Context(), rpc.IssueCreateInput{Owner: "o", Repo: "r", Title: "t"})
	_ = err // an output without required members has a form
	a = newAPI(t, says(201, `{"number":`))
	_, err = a.client(t).IssueCreate(t.Context(), rpc.IssueCreateInput{Owner: "o", Repo: "r", Title: "t"})
	if err == nil || !strings.HasPrefix(err.Error(), "The call was carried out (HTTP 201). Its answer does not have the declared form") {
		t.Error(err)
	}
}

// TestErrors answers with errors of the API.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		status     int
		body, want string
	}{
		{404, `{"message":"Not\u0000 Found","errors":[{"code":7}]}`, `*backend.shownError not found, or not visible to you: Not\x00 Found`},
		{404, `{"message":"` + strings.Repeat("a", 5000) + `"}`, "*backend.shownError not found, or not visible to you: " + strings.Repeat("a", 2000-len("not found, or not visible to you: ")) + " ..."},
		{410, `{"message":"gone","errors":[{"code":null}]}`, "*backend.NotFoundError not found, or not visible to you: gone"},
		{404, `nothing`, "*backend.InvalidError the API does not take these values"},
		{422, `{"message":"Validation Failed","errors":["title is missing"]}`, "*backend.InvalidError the API does not take these values"},
		{500, `{"message":"Oops","errors":["a\u001bb"]}`, `*backend.Error the API failed (500 Internal Server Error): Oops; errors: a\x1bb`},
		{500, "<html>secret</html>", `*backend.Error the API failed (500 Internal Server Error)`},
		{302, ``, "*backend.Error the API answered with a redirect (302 Found) that is not followed"},
	} {
		a := newAPI(t, says(test.status, test.body))
		_, err := a.client(t).IssuesList(t.Context(), rpc.IssuesListInput{Owner: "o", Repo: "r"})
		if got := fmt.Sprintf("%T %v", err, err); got != test.want {
			t.Errorf("%d %s:\ngot  %s\nwant %s", test.status, test.body, got, test.want)
		}
	}
	a := newAPI(t, says(404, `{"message":"m\u0000","errors":[{"code":7}]}`))
	_, err := a.client(t).IssuesList(t.Context(), rpc.IssuesListInput{Owner: "o", Repo: "r"})
	if e := (*rpc.NotFoundError)(nil); !errors.As(err, &e) || e.Message != "m\x00" || e.Code.Or(0) != 7 {
		t.Error(err)
	}
	a = newAPI(t, says(401, `{"message":"Bad credentials tok"}`))
	_, err = a.client(t).IssueCreate(t.Context(), rpc.IssueCreateInput{Owner: "o", Repo: "r", Title: "t"})
	if err == nil || err.Error() != "the API did not accept the credential of the call (401 Unauthorized): scheme token" {
		t.Error(err)
	}
}

// TestServer calls tools through the MCP server and its client.
func TestServer(t *testing.T) {
	a := newAPI(t, says(200, `[{"number":1,"title":"a","user":{"login":"ann"}}]`))
	conn, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(rpc.NewServer(a.client(t), mcp.Options{})), mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := rpc.NewClient(conn)
	out, err := c.IssuesList(t.Context(), rpc.IssuesListInput{Owner: "o", Repo: "r"})
	if err != nil || len(out.Issues) != 1 || out.Issues[0].User.Login != "ann" {
		t.Error(out, err)
	}
	if a.last() != "GET /repos/o/r/issues?state=open" {
		t.Error(a.last())
	}
	for _, ids := range [][]string{nil, {}, {""}, {".."}, {"", ""}, {"a", ""}} {
		if err := c.NotesGet(t.Context(), rpc.NotesGetInput{IDs: ids}); err == nil || !strings.Contains(err.Error(), "/ids") {
			t.Errorf("%q: %v", ids, err)
		}
	}
	if _, err = c.FileGet(t.Context(), rpc.FileGetInput{ID: ".."}); err == nil || !strings.Contains(err.Error(), "/id") {
		t.Error(err)
	}
	if _, err = c.ByHand(t.Context()); err == nil {
		t.Error("a tool without http answers")
	}
}

// TestOverride embeds the Backend and writes one method.
func TestOverride(t *testing.T) {
	a := newAPI(t, says(201, `{"number":1}`))
	s := overriding{a.client(t)}
	var _ rpc.Server = s
	if _, err := s.IssueCreate(t.Context(), rpc.IssueCreateInput{Owner: "o", Repo: "r", Title: " t "}); err != nil || !strings.Contains(a.last(), `{"title":"t"}`) {
		t.Error(err, a.last())
	}
}

type overriding struct{ *rpc.Backend }

func (s overriding) IssueCreate(ctx context.Context, in rpc.IssueCreateInput) (rpc.IssueCreateOutput, error) {
	in.Title = strings.TrimSpace(in.Title)
	return s.Backend.IssueCreate(ctx, in)
}

// TestHostileValues sends values that try to change where a request goes.
func TestHostileValues(t *testing.T) {
	var seen []*url.URL
	c := (&api{Server: &httptest.Server{URL: "https://api.example.com/v3"}}).client(t, func(o *backend.Options) {
		o.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			seen = append(seen, r.URL)
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("[]"))}, nil
		})
	})
	pieces := []string{"..", ".", "/", "\\", "%2e", "%2E%2e", "%2f", "%00", "?", "#", "&", "=", ";", ":", "@", "//", "http://evil.example", "\r\n", "\n", "\x00", " ", "a", "é", "\u2028", "\xff", "[", "]", "{", "}", "+", "*", "..;", "%", "%%", "'", `"`}
	sent := 0
	for i := range 10_000 {
		seen = nil
		value := pieces[i%len(pieces)] + pieces[i/len(pieces)%len(pieces)] + pieces[(i*7+3)%len(pieces)]
		if i%3 == 0 {
			value = pieces[i%len(pieces)]
		}
		value = strings.ToValidUTF8(value, "?")
		out, err := c.IssuesList(t.Context(), rpc.IssuesListInput{Owner: value, Repo: "r", Labels: []string{value}})
		_ = out
		if err != nil {
			if seen != nil {
				t.Fatalf("%q: refused after it was sent: %v", value, err)
			}
			continue
		}
		sent++
		u := seen[0]
		segments := strings.Split(u.EscapedPath(), "/")
		again, err := url.Parse(u.String())
		if err != nil || u.Host != "api.example.com" || u.Scheme != "https" || again.Host != u.Host || u.User != nil || u.Fragment != "" || len(segments) != 6 || segments[1] != "v3" || segments[2] != "repos" || segments[5] != "issues" {
			t.Fatalf("%q: %s", value, u)
		}
		if decoded, err := url.PathUnescape(segments[3]); err != nil || decoded != value {
			t.Fatalf("%q: the segment is %q", value, segments[3])
		}
		query, err := url.ParseQuery(u.RawQuery)
		if err != nil || len(query) != 2 && len(query) != 1 || len(query["labels"]) != 1 || query.Get("labels") != value {
			t.Fatalf("%q: the query is %s", value, u.RawQuery)
		}
	}
	if sent < 5000 {
		t.Errorf("%d of 10000 were sent", sent)
	}
	if _, err := c.IssuesList(t.Context(), rpc.IssuesListInput{Owner: strings.Repeat("a", 1<<20), Repo: "r"}); err == nil {
		t.Error("1 MB is sent")
	}
	if _, err := c.IssuesList(t.Context(), rpc.IssuesListInput{Owner: "", Repo: "r"}); err == nil || !strings.Contains(err.Error(), "/owner") {
		t.Error("an empty segment is sent", err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestPrincipals calls for two principals at once, whose credentials and cursors never mix.
func TestPrincipals(t *testing.T) {
	c := (&api{Server: &httptest.Server{URL: "https://api.example.com"}}).client(t, func(o *backend.Options) {
		o.Credentials = backend.Func(func(_ context.Context, q backend.Ask) (backend.Credential, error) {
			return backend.Bearer("token-of-" + q.Principal), nil
		})
		o.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			who := strings.Split(r.URL.Path, "/")[2]
			if got := r.Header.Get("Authorization"); got != "Bearer token-of-"+who {
				return nil, fmt.Errorf("%s calls with %s", who, got)
			}
			body := fmt.Sprintf(`[{"number":1,"title":%q}]`, who)
			return &http.Response{StatusCode: 200, Header: http.Header{"Link": {"<" + r.URL.Path + "?page=" + who + ">; rel=next"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
		})
	})
	calls := 10_000
	if testing.Short() {
		calls = 2_000
	}
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			who := []string{"ann", "bob"}[i%2]
			ctx := principal.With(context.Background(), who)
			out, err := c.IssuesList(ctx, rpc.IssuesListInput{Owner: who, Repo: "r"})
			if err != nil || out.Issues[0].Title != who {
				t.Error(who, out, err)
				return
			}
			again, err := c.IssuesList(ctx, rpc.IssuesListInput{Owner: who, Repo: "r", Cursor: out.Next})
			if err != nil || again.Issues[0].Title != who {
				t.Error(who, again, err)
			}
		})
	}
	wg.Wait()
}
