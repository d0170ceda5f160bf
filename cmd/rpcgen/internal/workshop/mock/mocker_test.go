package mock

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/test/await"
)

const library = `rpcgen: v1
package: library
use: [mcp]
server: {name: library, version: 1.0.0}
types:
  Book:
    fields:
      id: {type: string, pattern: "^bk-[0-9]{4}$"}
      title: {type: string, minLength: 1, examples: [Dune, Solaris]}
      shelf: {type: int32, minimum: 1, maximum: 9}
  Best:
    fields: {title: string, author: string}
    examples:
      - {title: Dune, author: Frank Herbert}
      - {title: Solaris, author: Stanislaw Lem}
errors:
  Overloaded: {code: 1002, message: try again later, when: overloaded}
tools:
  get_book:
    description: Get a book.
    input: {id: {type: string, pattern: "^bk-[0-9]{4}$"}, shelf?: {type: string}}
    output: Book
    errors:
      not_found: {message: "there is no book {id}", data: {id: string}}
  best_book:
    description: The best book.
    input: {author?: string}
    output: Best
  tidy_up:
    description: Tidy up.
    input: {shelf?: int32}
resources:
  rules: {uri: "library://rules", description: Rules., mimeType: text/plain, content: string}
  best: {uri: "library://best", description: The best one., content: Best}
  book: {uriTemplate: "library://books/{id}", description: A book., content: Book, params: {id: string}}
prompts:
  review: {description: Review a book., arguments: {title: string}}
`

// load returns the service of a schema.
func load(t *testing.T, text string) *service {
	t.Helper()
	loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
	doc, diags := loader.Load("a.rpc.yaml")
	if diags.HasErrors() {
		var b strings.Builder
		diags.WriteText(&b, loader.Source)
		t.Fatal(b.String())
	}
	s, err := ofSchema(doc, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mocked(t *testing.T, s *service, b behaviour, vary bool) *mocker {
	t.Helper()
	m, err := newMocker(s, b, vary, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func connect(t *testing.T, m *mocker, o mcpclient.Options) *mcpclient.Client {
	t.Helper()
	c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(m.srv), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// answer calls a tool and returns its structured content, else its text, with "failed: " before it if it has failed, or the error.
func answer(ctx context.Context, c *mcpclient.Client, tool, args string) string {
	result, err := c.CallTool(ctx, tool, raw(args))
	if err != nil {
		return "error: " + err.Error()
	}
	said := ""
	if structured, ok := result.StructuredContent.Get(); ok {
		said = structured.String()
	} else if block, ok := result.Content[0].(*mcp.TextContent); ok {
		said = block.Text
	}
	if failed, _ := result.IsError.Get(); failed {
		return "failed: " + said
	}
	return said
}

// TestSameAnswers: 1,000 requests have the same answers in another order, after a restart, and in the other era; another seed has others.
func TestSameAnswers(t *testing.T) {
	first := map[string]string{}
	for round, o := range []mcpclient.Options{{}, {Era: mcp.Handshake}, {}} {
		b := behaviour{seed: 1}
		if round == 2 {
			b.seed = 2
		}
		c := connect(t, mocked(t, load(t, library), b, false), o)
		different := 0
		for _, i := range rand.Perm(1000) {
			args := fmt.Sprintf(`{"id":"bk-%04d"}`, i)
			if i%2 == 1 && round == 1 {
				args = strings.Replace(args, ":", " : ", 1)
			}
			got := answer(t.Context(), c, "get_book", args)
			if !strings.Contains(got, fmt.Sprintf(`"id":"bk-%04d"`, i)) {
				t.Fatalf("%s is answered %s", args, got)
			}
			switch key := fmt.Sprint(i); {
			case round == 0:
				first[key] = got
			case first[key] != got:
				different++
			}
		}
		if round == 1 && different > 0 || round == 2 && different < 500 {
			t.Errorf("round %d: %d answers are different", round, different)
		}
	}
}

// TestAnswers: examples come first, arguments are echoed where they fit, and what does not fit is refused as a generated server does.
func TestAnswers(t *testing.T) {
	m := mocked(t, load(t, library), behaviour{seed: 1}, false)
	c := connect(t, m, mcpclient.Options{})
	got := answer(t.Context(), c, "get_book", `{"id":"bk-0001","shelf":"top"}`)
	p := wire.PeekAt([]byte(got))
	title, _ := p.In("title").Text()
	if title != "Dune" && title != "Solaris" || p.In("shelf").Kind() != wire.NumberKind {
		t.Error(got)
	}
	seen := map[string]bool{}
	for i := range 30 {
		got := answer(t.Context(), c, "best_book", fmt.Sprintf(`{"author":"author %d"}`, i))
		if !strings.Contains(got, fmt.Sprintf("author %d", i)) {
			t.Error(got)
		}
		title, _ := wire.PeekAt([]byte(got)).In("title").Text()
		seen[title] = true
	}
	if !maps.Equal(seen, map[string]bool{"Dune": true, "Solaris": true}) {
		t.Error(seen)
	}
	if got := answer(t.Context(), c, "best_book", `{"author":"`+strings.Repeat("a", longestEcho)+`"}`); len(got) > 1000 || !strings.Contains(got, "title") {
		t.Errorf("%d bytes: %.100s", len(got), got)
	}
	for args, want := range map[string]string{
		`{"id":"x"}`:                  "pattern",
		`{"id":"bk-0001","shelv":""}`: `shelf`,
		`{}`:                          `id`,
	} {
		if got := answer(t.Context(), c, "get_book", args); !strings.HasPrefix(got, "failed: ") && !strings.HasPrefix(got, "error: ") || !strings.Contains(got, want) {
			t.Errorf("%s is answered %s", args, got)
		}
	}
	if got := answer(t.Context(), c, "get_bok", `{}`); !strings.Contains(got, "Unknown tool") {
		t.Error(got)
	}
	if got := answer(t.Context(), c, "tidy_up", `{"shelf":3}`); got != `An answer of tidy_up to {"shelf":3}.` {
		t.Error(got)
	}
}

// TestLists: resources, templates and prompts are served.
func TestLists(t *testing.T) {
	c := connect(t, mocked(t, load(t, library), behaviour{seed: 1}, false), mcpclient.Options{})
	for uri, want := range map[string]string{
		"library://rules":         "The content of library://rules.",
		"library://best":          "author",
		"library://books/bk-0001": "shelf",
	} {
		result, err := c.ReadResource(t.Context(), uri)
		if err != nil {
			t.Error(err)
			continue
		}
		if got, ok := result.Contents[0].(*mcp.TextResourceContents); !ok || !strings.Contains(got.Text, want) {
			t.Errorf("%s: %+v", uri, result)
		}
	}
	prompt, err := c.GetPrompt(t.Context(), "review", map[string]string{"title": "Dune"})
	if err != nil || len(prompt.Messages) != 1 {
		t.Error(prompt, err)
	}
	failing := mcpclient.WithMeta(t.Context(), askedMeta, raw(`"fail=-32001"`))
	if _, err := c.GetPrompt(failing, "review", map[string]string{"title": "Dune"}); err == nil || !strings.Contains(err.Error(), "-32001") {
		t.Error(err)
	}
	if _, err := c.ReadResource(t.Context(), "library://else"); err == nil {
		t.Error("an unknown resource can be read")
	}
}

// TestVary: equal requests have different answers, in the same order after a restart.
func TestVary(t *testing.T) {
	var rounds [2][]string
	for i := range rounds {
		c := connect(t, mocked(t, load(t, library), behaviour{seed: 1}, true), mcpclient.Options{})
		for range 20 {
			rounds[i] = append(rounds[i], answer(t.Context(), c, "get_book", `{"id":"bk-0001"}`))
		}
	}
	if !slices.Equal(rounds[0], rounds[1]) || len(slices.Compact(slices.Sorted(slices.Values(rounds[0])))) < 5 {
		t.Error(rounds)
	}
}

// TestFail: errors come as declared, in the share that was asked for, always for the same requests, and on demand of a request.
func TestFail(t *testing.T) {
	one := func(text string) []fail {
		f, err := parseFail(text)
		if err != nil {
			t.Fatal(err)
		}
		return []fail{f}
	}
	count := func(m *mocker) (failed int) {
		c := connect(t, m, mcpclient.Options{})
		for i := range 300 {
			got := answer(t.Context(), c, "get_book", fmt.Sprintf(`{"id":"bk-%04d"}`, i))
			if got == fmt.Sprintf("failed: there is no book bk-%04d", i) {
				failed++
			} else if strings.HasPrefix(got, "failed") || strings.HasPrefix(got, "error") {
				t.Error(got)
			}
		}
		return failed
	}
	s := load(t, library)
	if n := count(mocked(t, s, behaviour{seed: 1, fails: one("not_found=0.2")}, false)); n < 30 || n > 90 || n != count(mocked(t, s, behaviour{seed: 1, fails: one("not_found=0.2")}, false)) {
		t.Error(n)
	}
	if n := count(mocked(t, s, behaviour{seed: 1, fails: one("get_book:not_found")}, false)); n != 300 {
		t.Error(n)
	}
	c := connect(t, mocked(t, s, behaviour{seed: 1}, false), mcpclient.Options{})
	for name, want := range map[string]string{
		"fail=not_found": "failed: there is no book bk-0001", "fail=-32000": "failed on demand", "fail=failed": "failed: failed on demand",
		"fail=Overloaded": "try again later", "fail=odd": `does not declare the error "odd"`, "late=1s": "expected fail=NAME or latency=2s",
	} {
		ctx := mcpclient.WithMeta(t.Context(), askedMeta, runtime.RawOf(wire.AppendString(nil, name)))
		if got := answer(ctx, c, "get_book", `{"id":"bk-0001"}`); !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	for text, want := range map[string]string{
		"not_fond": "did you mean not_found?", "get_bok:not_found": "did you mean get_book?", "odd": "there is no error odd, but", "tidy_up:not_found": "there is no error not_found",
	} {
		if err := s.checkFail(one(text)[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"a=2", "a=x", "a:", ""} {
		if _, err := parseFail(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestLatency: answers take as long as asked for, the same time for the same request.
func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		latency, spread, err := parseLatency("50ms+-20ms")
		if err != nil {
			t.Fatal(err)
		}
		m := mocked(t, load(t, library), behaviour{seed: 1, latency: latency, spread: spread}, false)
		c := connect(t, m, mcpclient.Options{})
		defer c.Close()
		took := func(ctx context.Context, i int) time.Duration {
			began := time.Now()
			answer(ctx, c, "get_book", fmt.Sprintf(`{"id":"bk-%04d"}`, i))
			return time.Since(began)
		}
		least, most := time.Hour, time.Duration(0)
		for i := range 100 {
			d := took(t.Context(), i)
			least, most = min(least, d), max(most, d)
			if again := took(t.Context(), i); again != d {
				t.Errorf("%v, and then %v", d, again)
			}
		}
		if least < 30*time.Millisecond || least > 35*time.Millisecond || most > 70*time.Millisecond || most < 65*time.Millisecond {
			t.Error(least, most)
		}
		if d := took(mcpclient.WithMeta(t.Context(), askedMeta, raw(`"latency=2s"`)), 1); d != 2*time.Second {
			t.Error(d)
		}
	})
	for _, text := range []string{"x", "10ms±20ms", "-1s", "1s±x"} {
		if _, _, err := parseLatency(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestHTTP: a service of JSON-RPC takes what a request asks for from a header.
func TestHTTP(t *testing.T) {
	m := mocked(t, load(t, `rpcgen: v1
package: notes
errors:
  Missing: {code: 1001, message: "no note {id}", data: {id: int32}}
methods:
  note/get: {params: {id: int32}, result: {id: int32, text: string}, errors: [Missing]}
`), behaviour{seed: 1}, false)
	web := httptest.NewServer(m.overHTTP())
	defer web.Close()
	for asks, want := range map[string]string{
		"":             `"id":7,"text":`,
		"fail=Missing": `"error":{"code":1001,"message":"no note 7","data":{"id":7}}`,
		"fail=failed":  `"code":-32603`,
		"odd":          "expected fail=NAME",
	} {
		req, _ := http.NewRequest(http.MethodPost, web.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"note/get","params":{"id":7}}`))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(askedHeader, asks)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); !strings.Contains(string(body), want) {
			t.Errorf("%q: %s", asks, body)
		}
		resp.Body.Close()
	}
}

// TestFollow: a schema that changes is served, one with faults is not, and clients learn of it.
func TestFollow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.rpc.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(library)
	read := func() (*service, error) {
		doc, diags := new(schema.Loader).Load(file)
		if diags.HasErrors() {
			return nil, fmt.Errorf("%d faults", len(diags))
		}
		return ofSchema(doc, 1)
	}
	last := stamp(file)
	s, err := read()
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	m, err := newMocker(s, behaviour{seed: 1}, false, &log)
	if err != nil {
		t.Fatal(err)
	}
	changed := make(chan bool, 10)
	c := connect(t, m, mcpclient.Options{Era: mcp.Handshake, OnListChanged: func(context.Context, mcpclient.List) { changed <- true }})
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { m.follow(ctx, file, last, read) })
	defer done.Wait()
	defer cancel()
	write(strings.ReplaceAll(library, "tidy_up", "clean_up_all"))
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatal("the clients learned nothing")
	}
	if got := answer(t.Context(), c, "clean_up_all", `{}`); got != "An answer of clean_up_all." {
		t.Error(got)
	}
	write("rpcgen: v1\npackage: 1\n")
	await.Until(t, "something is said about the faults", func() bool { return strings.Contains(log.String(), "is not served, the schema before it is") })
	broken := load(t, library) // its last list cannot be served
	broken.lists[prompts] = append(broken.lists[prompts], &operation{name: "two words", entry: `{"name":"two words","arguments":1}`})
	if err := m.replace(broken); err == nil {
		t.Error("a broken list was served")
	}
	if got := answer(t.Context(), c, "clean_up_all", `{}`); got != "An answer of clean_up_all." {
		t.Error(got)
	}
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestLarge: a result that is larger than all that are made is an error at the start, which names the keyword.
func TestLarge(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":2000000000}}}`:                                            "/properties/a/minLength is 2000000000",
		`{"type":"object","required":["a"],"properties":{"a":{"type":"array","minItems":3e9,"items":{"type":"string"}}}}`:                           "/properties/a/minItems is 3e9",
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":20}},"not":{"required":["a","b"],"minProperties":20000}}`: "",
	} {
		if _, err := newAnswers(schema, false); want == "" && err != nil || want != "" && (err == nil || !strings.HasSuffix(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", schema, err, want)
		}
	}
}
