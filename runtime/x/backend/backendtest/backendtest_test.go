package backendtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendtest"
)

// fails is a test that notes how it failed.
type fails struct {
	testing.TB
	mu     sync.Mutex
	errors []string
}

func (f *fails) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func (f *fails) Helper() {}

const recording = `{"request":{"method":"GET","url":"https://api.example.com/v1/books?author=A+B&n=1","headers":{"Accept":"application/json"}},"response":{"status":200,"headers":{"Link":"</v1/books?page=2>; rel=next"},"body":"[]"}}
{"request":{"method":"GET","url":"https://api.example.com/v1/books?author=A+B&n=1"},"response":{"status":200,"body":"[1]"}}

{"request":{"method":"POST","url":"https://api.example.com/v1/books","body":"{\"title\":\"T\",\"key\":\"[hidden]\"}"},"response":{"status":201,"body":"{}"}}
`

func TestReplay(t *testing.T) {
	name := filepath.Join(t.TempDir(), "api.jsonl")
	if err := os.WriteFile(name, []byte(recording), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &fails{TB: t}
	site := backendtest.Replay(f, name)
	send := func(method, path, body string) string {
		r, err := http.NewRequest(method, site.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "application/json")
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		b, _ := io.ReadAll(a.Body)
		return fmt.Sprintf("%d %s %s", a.StatusCode, b, a.Header.Get("Link"))
	}
	for i, test := range []struct{ method, path, body, want string }{
		{"GET", "/v1/books?n=1&author=A%20B", "", "200 [] </v1/books?page=2>; rel=next"},
		{"GET", "/books?n=1&author=A%20B", "", "200 [1] "},
		{"GET", "/books?n=1&author=A%20B", "", "200 [1] "},
		{"POST", "/books", ` {"key": "any", "title": "T"}`, "201 {} "},
	} {
		if got := send(test.method, test.path, test.body); got != test.want {
			t.Errorf("%d: %s", i, got)
		}
	}
	if len(f.errors) > 0 {
		t.Error(f.errors)
	}
	if got := send("POST", "/books", `{"key":"any","title":"U"}`); !strings.HasPrefix(got, "501") {
		t.Error(got)
	}
	send("GET", "/ooks?n=2&author=A%20B", "")
	for i, want := range []string{
		`POST /books: no exchange of ` + name + ` has this request; of line 4 differs: the body is {"key":"any","title":"U"}, not {"title":"T","key":"[hidden]"}`,
		`GET /ooks?n=2&author=A%20B: no exchange of ` + name + ` has this request; of line 1 differs: the path is /ooks, not /v1/books; the parameter n is "2", not "1"`,
	} {
		if i >= len(f.errors) || f.errors[i] != want {
			t.Errorf("%q", f.errors)
		}
	}
}

// TestRecord records exchanges and replays them. Secrets are not in the file.
func TestRecord(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "s=cookie-secret")
		w.WriteHeader(201)
		fmt.Fprintf(w, `{"got":%d,"token":"answer-secret"}`, len(b))
	}))
	defer api.Close()
	name := filepath.Join(t.TempDir(), "api.jsonl")
	recorded := &http.Client{Transport: backendtest.Record(name, nil, "appid", "token", "password")}
	call := func(c *http.Client, site, key string, form bool) string {
		body, media := `{"a":{"password":"body-secret"},"b":1}`, "application/json"
		if form {
			body, media = "password=form-secret&b=1", "application/x-www-form-urlencoded"
		}
		r, _ := http.NewRequest("POST", site+"/x?appid="+key+"&q=1", strings.NewReader(body))
		r.Header.Set("Content-Type", media)
		r.Header.Set("Authorization", "Bearer header-secret")
		a, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		b, _ := io.ReadAll(a.Body)
		return fmt.Sprint(a.StatusCode, string(b))
	}
	if got := call(recorded, api.URL, "query-secret", false); got != `201{"got":38,"token":"answer-secret"}` {
		t.Error(got)
	}
	call(recorded, api.URL, "query-secret", true)
	text, err := os.ReadFile(name)
	if err != nil || strings.Contains(string(text), "secret") || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%s %v", text, err)
	}
	site := backendtest.Replay(t, name)
	for _, form := range []bool{false, true} {
		if got := call(http.DefaultClient, site.URL, "other", form); !strings.HasPrefix(got, "201{") || !strings.Contains(got, backendtest.Hidden) {
			t.Error(form, got)
		}
	}
}

// TestRecordNames: values with the names of secrets are not in the file, without being named, and others are.
func TestRecordNames(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"user":{"accessToken":"hidden-1","tokens":["hidden-2"],"otp":471108151,"secret":true},"total_tokens":70,"page_token":"kept-1","code":"kept-2"}`)
	}))
	defer api.Close()
	name := filepath.Join(t.TempDir(), "api.jsonl")
	recorded := &http.Client{Transport: backendtest.Record(name, nil)}
	for media, body := range map[string]string{
		"application/json":                  `{"DB_PASS":"hidden-3","code":"hidden-4","code_verifier":"hidden-5","secret_key_base":{"a":["hidden-6"]},"b":"kept-3"}`,
		"application/x-www-form-urlencoded": "token_value=hidden-7&grant_type=authorization_code&code=hidden-8&b=kept-4",
		"text/plain":                        "an access token is not kept-5",
	} {
		r, _ := http.NewRequest("POST", api.URL+"/x?private_key_pem=hidden-9&q=kept-6", strings.NewReader(body))
		r.Header.Set("Content-Type", media)
		a, err := recorded.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
	}
	text, err := os.ReadFile(name)
	if err != nil || strings.Contains(string(text), "hidden-") || strings.Contains(string(text), "471108151") || !strings.Contains(string(text), `\"secret\":true`) || !strings.Contains(string(text), `\"total_tokens\":70`) {
		t.Errorf("%s %v", text, err)
	}
	for n := range 6 {
		if kept := fmt.Sprint("kept-", n+1); !strings.Contains(string(text), kept) {
			t.Errorf("%s is not in %s", kept, text)
		}
	}
}

// TestRecordCredentials records calls of an API that repeats credentials wherever it can: none is in the file, though no name is given, and the recording answers calls with others.
func TestRecordCredentials(t *testing.T) {
	const key = `KEY+0123456789"&/`
	for kind, test := range map[string]struct {
		scheme   backend.Scheme
		is, next backend.Credential
		hidden   []string
	}{
		"query":  {backend.Scheme{Name: "s", Kind: "key", In: "query", Param: "appid"}, backend.Key(key), backend.Key("other+key"), []string{key, url.QueryEscape(key), url.PathEscape(key), `KEY+0123456789\"`, "0123456789"}},
		"header": {backend.Scheme{Name: "s", Kind: "key", In: "header", Param: "X-App"}, backend.Key(key), backend.Key("other"), []string{"0123456789"}},
		"bearer": {backend.Scheme{Name: "s", Kind: "bearer"}, backend.Bearer(key), backend.Bearer("other"), []string{"0123456789"}},
		"basic":  {backend.Scheme{Name: "s", Kind: "basic"}, backend.Basic("me", key), backend.Basic("me", "other"), []string{"0123456789", "bWU6S0VZ"}},
	} {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent, _ := io.ReadAll(r.Body)
			said := r.URL.Query().Get("appid") + r.Header.Get("X-App") + r.Header.Get("Authorization") + " " + r.URL.RawQuery
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Link", "<"+r.URL.Path+"?page=2&"+r.URL.RawQuery+">; rel=next")
			if r.URL.Path == "/a" {
				w.Header().Set("Location", "/b?from=a&"+r.URL.RawQuery)
				w.WriteHeader(http.StatusTemporaryRedirect)
				return
			}
			if r.URL.Path == "/text" {
				w.Header().Set("Content-Type", "text/plain")
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = io.WriteString(w, said)
				return
			}
			text, _ := json.Marshal(map[string]any{"said": said, "body": string(sent), "n": 7, "list": []string{said}})
			_, _ = w.Write(text)
		}))
		defer api.Close()
		call := func(site string, c backend.Credential, via http.RoundTripper) (all []string) {
			client, err := backend.New(&backend.API{Name: "api", Schemes: []backend.Scheme{test.scheme}, Auth: [][]string{{"s"}}}, backend.Options{Server: site, Credentials: backend.Fixed{"s": c}, Transport: via, Tries: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range []*backend.Call{{Tool: "t", Method: "GET", Path: "/a"}, {Tool: "t", Method: "PUT", Path: "/b", Object: true}, {Tool: "t", Method: "GET", Path: "/text"}} {
				var input func(b []byte) []byte
				if one.Object {
					input = func(b []byte) []byte { return append(wire.AppendString(append(b, `{"copied":`...), "of "+key), '}') }
				}
				output := ""
				err := client.Do(t.Context(), one, input, func(r *wire.Reader) { output = fmt.Sprint(r.Raw()) }, nil)
				all = append(all, fmt.Sprint(one.Path, " ", len(output) > 0, " ", err == nil))
			}
			return all
		}
		name := filepath.Join(t.TempDir(), "api.jsonl")
		before := call(api.URL, test.is, backendtest.Record(name, nil))
		text, err := os.ReadFile(name)
		if err != nil || strings.Count(string(text), "\n") != 4 || !strings.Contains(string(text), `\"n\":7`) {
			t.Errorf("%s: %s %v", kind, text, err)
		}
		for _, secret := range test.hidden {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s: %s is in %s", kind, secret, text)
			}
		}
		site := backendtest.Replay(t, name)
		if after := call(site.URL, test.next, nil); !slices.Equal(before, after) {
			t.Errorf("%s: %q, and replayed %q", kind, before, after)
		}
	}
}

// TestBadRecordings: what is wrong with a recording has a place.
func TestBadRecordings(t *testing.T) {
	for text, want := range map[string]string{
		"{": ":1: unexpected end",
		"\n{\"request\":{\"url\":\"/\"},\"response\":{\"status\":200}}":                           ":2: an exchange has a request",
		"{\"request\":{\"method\":\"GET\",\"url\":\"/\"},\"response\":{\"status\":100}}":          ":1: an exchange has",
		"{\"request\":{\"method\":\"GET\",\"url\":\"http://a b\"},\"response\":{\"status\":200}}": ":1: parse",
	} {
		name := filepath.Join(t.TempDir(), "api.jsonl")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		fatal := ""
		func() {
			defer func() { fatal, _ = recover().(string) }()
			backendtest.Replay(stops{t}, name)
		}()
		if !strings.Contains(fatal, want) {
			t.Errorf("%q: %q", text, fatal)
		}
	}
}

// stops is a test that panics where another ends.
type stops struct{ testing.TB }

func (stops) Helper() {}

func (stops) Fatal(args ...any) { panic(fmt.Sprint(args...)) }
