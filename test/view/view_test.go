// Package view_test tests what of the output of tools their callers get: the tools of view.rpc.yaml, called by the generated client and with raw
// requests, in both eras.
package view_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpview"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcache"
	view "github.com/rpcgen-go/rpcgen/test/view/rpc"
)

// tracker has issues in pages of perPage.
type tracker struct {
	mu     sync.Mutex
	issues []view.Issue
	asked  []string // the cursors that the handler got
}

const perPage = 40

func newTracker(n int) *tracker {
	t := new(tracker)
	for i := range n {
		t.issues = append(t.issues, issue(int64(i+1)))
	}
	return t
}

func issue(number int64) view.Issue {
	body := strings.Repeat(fmt.Sprintf("The door of room %d is open. ", number), 40)
	return view.Issue{
		Number: number, Title: fmt.Sprintf("Door \"%d\"", number), Body: runtime.Some(runtime.NotNull(body)), State: view.IssueStateOpen,
		User: view.User{Login: "ann", ID: 1<<53 + number, Bio: runtime.Some("likes doors")}, Reviewers: []view.User{{Login: "bob", ID: 2}, {Login: "cid", ID: 3}},
		Labels: []string{"door", "é\u2028"}, Extra: runtime.Some(runtime.Raw{}),
	}
}

func (t *tracker) ListIssues(_ context.Context, in view.ListIssuesInput) (out view.ListIssuesOutput, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := 0
	text, ok := in.Cursor.Get()
	t.asked = append(t.asked, text)
	if ok {
		if _, err := fmt.Sscanf(text, "from %d", &from); err != nil {
			return out, fmt.Errorf("no cursor of the handler: %q", text)
		}
	}
	to := min(from+perPage, len(t.issues))
	out.Issues, out.Total = slices.Clone(t.issues[from:to]), int64(len(t.issues))
	if to < len(t.issues) {
		out.Next = runtime.Some(fmt.Sprintf("from %d", to))
	}
	return out, nil
}

func (t *tracker) ScanIssues(ctx context.Context, in view.ScanIssuesInput) (view.ScanIssuesOutput, error) {
	out, err := t.ListIssues(ctx, view.ListIssuesInput{Cursor: in.Cursor})
	return view.ScanIssuesOutput{Issues: out.Issues, Next: out.Next}, err
}

func (t *tracker) PickIssues(_ context.Context, in view.PickIssuesInput) (view.PickIssuesOutput, error) {
	return view.PickIssuesOutput{Issues: newTracker(int(in.Count)).issues, Total: int64(in.Count)}, nil
}

func (t *tracker) PlainIssues(_ context.Context, in view.PlainIssuesInput) (view.PlainIssuesOutput, error) {
	return view.PlainIssuesOutput{Issues: newTracker(int(in.Count)).issues, Total: int64(in.Count)}, nil
}

func (t *tracker) ReadIssue(_ context.Context, in view.ReadIssueInput) (view.Issue, error) {
	return issue(in.Number), nil
}

func (t *tracker) CloseIssue(_ context.Context, in view.CloseIssueInput) (view.CloseIssueOutput, error) {
	one := issue(in.Number)
	if in.Number == 1 {
		one.Body = runtime.Opt[runtime.Nullable[string]]{}
	}
	return view.CloseIssueOutput{Issue: one, Log: []string{"closed"}}, nil
}

func (t *tracker) ShowUser(context.Context) (view.ShowUserResult, error) {
	return view.ShowUserResult{Output: view.User{Login: "ann", ID: 1}, Content: mcp.ImageContent{Data: []byte("PNG"), MimeType: "image/png"}}, nil
}

// eras runs a test in both eras with a client of the server.
func eras(t *testing.T, server view.Server, test func(t *testing.T, c *mcpclient.Client)) {
	for _, era := range []mcp.Era{mcp.Handshake, mcp.Stateless} {
		t.Run(era.String(), func(t *testing.T) { test(t, connect(t, view.NewServer(server, mcp.Options{}), era)) })
	}
}

func connect(t testing.TB, s *mcp.Server, era mcp.Era) *mcpclient.Client {
	t.Helper()
	c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), mcpclient.Options{Era: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// call calls a tool with arguments as JSON and returns the result.
func call(t testing.TB, c *mcpclient.Client, tool, arguments string) answer {
	t.Helper()
	raw, err := mcpclient.Call(t.Context(), c, "tools/call", rawOf(t, fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments)))
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal([]byte(raw.String()), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func rawOf(t testing.TB, text string) (r runtime.Raw) {
	t.Helper()
	if err := r.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return r
}

type answer struct {
	StructuredContent json.RawMessage
	Content           []struct{ Type, Text string }
	IsError           bool
	Meta              map[string]json.RawMessage `json:"_meta"`
}

// TestShow: callers get what is shown, and the text is the same JSON.
func TestShow(t *testing.T) {
	eras(t, newTracker(2), func(t *testing.T, c *mcpclient.Client) {
		a := call(t, c, "list_issues", `{}`)
		const want = `{"issues":[{"number":1,"title":"Door \"1\"","user":{"login":"ann"},"reviewers":[{"login":"bob"},{"login":"cid"}]},` +
			`{"number":2,"title":"Door \"2\"","user":{"login":"ann"},"reviewers":[{"login":"bob"},{"login":"cid"}]}]}`
		if string(a.StructuredContent) != want || len(a.Content) != 1 || a.Content[0].Text != want {
			t.Errorf("got %s and %v, want %s", a.StructuredContent, a.Content, want)
		}
		if _, has := a.Meta[mcpview.MetaView]; has {
			t.Error("nothing was left out, and _meta says so")
		}
		out, err := view.NewClient(c).ShowUser(t.Context())
		if err != nil || out.Output.Login != "ann" || string(out.Content.Data) != "PNG" {
			t.Errorf("got %+v, %v", out, err)
		}
	})
}

// TestChoose: callers get the members that they choose, whole; other paths are violations with the nearest one.
func TestChoose(t *testing.T) {
	eras(t, newTracker(1), func(t *testing.T, c *mcpclient.Client) {
		a := call(t, c, "list_issues", `{"fields":["issues.user","total"]}`)
		if want := `{"issues":[{"user":{"login":"ann","id":9007199254740993,"bio":"likes doors"}}],"total":1}`; string(a.StructuredContent) != want {
			t.Errorf("got %s, want %s", a.StructuredContent, want)
		}
		if a = call(t, c, "list_issues", `{"fields":["total"]}`); string(a.StructuredContent) != `{"total":1}` {
			t.Errorf("got %s", a.StructuredContent)
		}
		for arguments, want := range map[string]string{
			`{"fields":["issues.titel"]}`:                   `did you mean "issues.title"?`,
			`{"fields":[]}`:                                 "/fields: expected at least 1",
			`{"fields":["total","total"]}`:                  "uniqueItems",
			`{"cursor":"view~e30.AAAA"}`:                    "/cursor: expected the cursor of an earlier result of list_issues",
			`{"cursor":"view~","fields":["issues.number"]}`: "/cursor: expected the cursor of an earlier result of list_issues",
		} {
			if a := call(t, c, "list_issues", arguments); !a.IsError || !strings.Contains(a.Content[0].Text, want) {
				t.Errorf("%s: got %+v, want %q", arguments, a.Content, want)
			}
		}
		all, some := call(t, c, "plain_issues", `{"count":30}`), call(t, c, "pick_issues", `{"count":30,"fields":["issues.number","issues.title"]}`)
		if most := len(all.StructuredContent) / 20; len(some.StructuredContent) > most {
			t.Errorf("number and title of 30 issues have %d bytes of %d", len(some.StructuredContent), len(all.StructuredContent))
		}
	})
}

// TestCut: a list over the budget is given in pages, which nothing is missing from and nothing is twice in, also when issues are added and removed
// between two calls.
func TestCut(t *testing.T) {
	for _, change := range []string{"nothing", "added before", "added at the end", "removed before"} {
		t.Run(change, func(t *testing.T) {
			server := newTracker(100)
			eras(t, server, func(t *testing.T, conn *mcpclient.Client) {
				server.mu.Lock()
				server.issues, server.asked = newTracker(100).issues, nil
				server.mu.Unlock()
				c := view.NewClient(conn)
				var got []int64
				in := view.ListIssuesInput{Fields: []view.ListIssuesInputFieldsItem{"issues.number", "issues.labels", "total"}}
				for range 100 {
					out, err := c.ListIssues(t.Context(), in)
					if err != nil {
						t.Fatal(err)
					}
					for _, i := range out.Issues {
						got = append(got, i.Number.Or(0))
					}
					next, ok := out.Next.Get()
					if !ok {
						break
					}
					in.Cursor = runtime.Some(next)
					server.mu.Lock()
					switch {
					case len(got) > perPage:
					case change == "added before":
						server.issues = slices.Insert(server.issues, 0, issue(int64(1000+len(got))))
					case change == "added at the end":
						server.issues = append(server.issues, issue(int64(101+len(server.issues)-100)))
					case change == "removed before" && len(got) < perPage/2:
						server.issues = server.issues[1:]
					}
					server.mu.Unlock()
				}
				if change == "removed before" || change == "added before" { // the pages of the handler itself move
					for i, n := range got[:perPage/2] {
						if n != int64(i+1) {
							t.Fatalf("got %v", got)
						}
					}
					return
				}
				for i, n := range got {
					if n != int64(i+1) {
						t.Fatalf("got %v", got)
					}
				}
				if len(got) < 100 {
					t.Errorf("got %d issues", len(got))
				}
				for _, cursor := range server.asked {
					if strings.HasPrefix(cursor, "view~") {
						t.Errorf("the handler got %q", cursor)
					}
				}
			})
		})
	}
}

// TestBudget: no result is over the budget, which is said with numbers.
func TestBudget(t *testing.T) {
	eras(t, newTracker(100), func(t *testing.T, c *mcpclient.Client) {
		cut := call(t, c, "list_issues", `{}`)
		var meta struct{ Shown, Of int }
		if err := json.Unmarshal(cut.Meta[mcpview.MetaView], &meta); err != nil || meta.Of != perPage || meta.Shown == 0 || meta.Shown >= perPage {
			t.Errorf("got %s, %v", cut.Meta[mcpview.MetaView], err)
		}
		if n := len(cut.StructuredContent); n > 2000 || n < 1800 {
			t.Errorf("%d bytes of 2000 are used", n)
		}
		a := call(t, c, "list_issues", `{"fields":["issues.body","issues.number"]}`)
		if a.IsError || len(a.StructuredContent) > 2000 {
			t.Errorf("got %d bytes", len(a.StructuredContent))
		}
	})
}

// TestLarge: a read that cannot be made smaller fails with the sizes, and a write is answered without its largest members.
func TestLarge(t *testing.T) {
	eras(t, newTracker(0), func(t *testing.T, conn *mcpclient.Client) {
		a := call(t, conn, "read_issue", `{"number":7}`)
		for _, want := range []string{"at most 1,000 are given", "body (1,", "Choose fewer members with fields."} {
			if !a.IsError || !strings.Contains(a.Content[0].Text, want) {
				t.Errorf("got %+v, want %q", a.Content, want)
			}
		}
		if a = call(t, conn, "read_issue", `{"number":7,"fields":["title"]}`); string(a.StructuredContent) != `{"title":"Door \"7\""}` {
			t.Errorf("got %s", a.StructuredContent)
		}
		a = call(t, conn, "close_issue", `{"number":7}`)
		if a.IsError || string(a.StructuredContent) != `{"log":["closed"]}` || !strings.Contains(string(a.Meta[mcpview.MetaView]), `{"omitted":[{"member":"issue","bytes":`) {
			t.Errorf("got %s and %s", a.StructuredContent, a.Meta[mcpview.MetaView])
		}
		if len(a.Content) != 2 || !strings.HasPrefix(a.Content[1].Text, "close_issue was carried out. Its result is limited to 500 bytes: issue (") {
			t.Errorf("got %+v", a.Content)
		}
		c := view.NewClient(conn)
		if out, err := c.CloseIssue(t.Context(), view.CloseIssueInput{Number: 7}); err != nil || out.Issue != nil || out.Log[0] != "closed" {
			t.Errorf("got %+v, %v", out, err)
		}
		if out, err := c.CloseIssue(t.Context(), view.CloseIssueInput{Number: 1}); err != nil || out.Issue == nil || out.Issue.Number != 1 {
			t.Errorf("got %+v, %v", out, err)
		}
	})
}

// TestTask: what a task keeps for its client is what the view shows, a task continues the list that another one began, and so does a plain call.
func TestTask(t *testing.T) {
	eras(t, newTracker(100), func(t *testing.T, conn *mcpclient.Client) {
		c := view.NewClient(conn)
		got, in := 0, view.ScanIssuesInput{}
		for call := range 100 {
			task, err := c.StartScanIssues(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			out, err := task.Wait(t.Context())
			if call%2 == 1 {
				out, err = c.ScanIssues(t.Context(), in)
			}
			if err != nil || len(out.Issues) == 0 {
				t.Fatalf("after %d issues: %+v, %v", got, out, err)
			}
			for _, issue := range out.Issues {
				if got++; issue.Number.Or(0) != int64(got) || issue.Title.IsSet() {
					t.Fatalf("issue %d is %+v", got, issue)
				}
			}
			if in.Cursor = out.Next; !in.Cursor.IsSet() {
				break
			}
		}
		if got != 100 {
			t.Errorf("got %d issues", got)
		}
		task, err := c.StartScanIssues(t.Context(), view.ScanIssuesInput{Fields: []view.ScanIssuesInputFieldsItem{"issues.body"}})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := task.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "at most 500 are given") {
			t.Errorf("an issue that is too large: %+v, %v", out, err)
		}
		task, err = c.StartScanIssues(t.Context(), view.ScanIssuesInput{Cursor: runtime.Some("view~e30.AAAA")})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := task.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "/cursor: expected the cursor of an earlier result of scan_issues") {
			t.Errorf("a forged cursor: %+v, %v", out, err)
		}
	})
}

// store is a store of results without bounds of time or size.
type store struct{ sync.Map }

func (s *store) Get(key string) ([]byte, bool) {
	v, ok := s.Load(key)
	b, _ := v.([]byte)
	return b, ok
}

func (s *store) Set(key string, value []byte, _ time.Duration) { s.Store(key, value) }

// TestCache: a result is kept for calls that choose the same members at the same place of the list, and for no other.
func TestCache(t *testing.T) {
	server := newTracker(100)
	rules := view.CacheRules()
	rule := rules.Tools[view.ToolListIssues]
	rule.Scope = cache.Public // callers without a principal share nothing that is private
	rules.Tools[view.ToolListIssues] = rule
	keep := mcpcache.Middleware(cache.New(new(store), rules))
	srv := view.NewServer(server, mcp.Options{Middleware: []mcp.Middleware{keep}})
	for _, era := range []mcp.Era{mcp.Handshake, mcp.Stateless} {
		t.Run(era.String(), func(t *testing.T) {
			c := connect(t, srv, era)
			server.mu.Lock()
			server.asked = nil
			server.mu.Unlock()
			var results []string
			for _, arguments := range []string{
				`{"query":"QUERY"}`, `{"query":"QUERY","fields":["total"]}`, `{"query":"QUERY","fields":["issues.number","total"]}`, `{"query":"QUERY","cursor":"NEXT"}`, `{"query":"other QUERY"}`,
			} {
				arguments = strings.ReplaceAll(arguments, "QUERY", era.String())
				if len(results) > 0 {
					var first struct{ Next string }
					if err := json.Unmarshal([]byte(results[0]), &first); err != nil {
						t.Fatal(err)
					}
					arguments = strings.ReplaceAll(arguments, "NEXT", first.Next)
				}
				first, again := call(t, c, "list_issues", arguments), call(t, c, "list_issues", arguments)
				if first.IsError || string(first.StructuredContent) != string(again.StructuredContent) || string(first.Meta[mcpview.MetaView]) != string(again.Meta[mcpview.MetaView]) {
					t.Errorf("%s: got %s and then %s", arguments, first.StructuredContent, again.StructuredContent)
				}
				results = append(results, string(first.StructuredContent))
			}
			if len(server.asked) != len(results) {
				t.Errorf("the method ran %d times for %d calls that differ", len(server.asked), len(results))
			}
			for i, result := range results[1:4] {
				if result == results[0] {
					t.Errorf("call %d got the result of the first one", i+1)
				}
			}
		})
	}
}

// TestForged: cursors are those of the same tool of a server with the same keys.
func TestForged(t *testing.T) {
	keys := mcp.Options{StateKeys: [][]byte{[]byte("a key of thirty-two characters...")}}
	one, same, other := view.NewServer(newTracker(100), keys), view.NewServer(newTracker(100), keys), view.NewServer(newTracker(100), mcp.Options{})
	first, err := view.NewClient(connect(t, one, mcp.Stateless)).ListIssues(t.Context(), view.ListIssuesInput{})
	if err != nil {
		t.Fatal(err)
	}
	in := view.ListIssuesInput{Cursor: first.Next}
	if second, err := view.NewClient(connect(t, same, mcp.Stateless)).ListIssues(t.Context(), in); err != nil || second.Issues[0].Number.Or(0) != int64(len(first.Issues)+1) {
		t.Errorf("another process with the keys: %+v, %v", second, err)
	}
	if _, err := view.NewClient(connect(t, other, mcp.Stateless)).ListIssues(t.Context(), in); err == nil {
		t.Error("a server without the keys takes the cursor")
	}
	text := []byte(first.Next.Or(""))
	for i := range text {
		forged := slices.Clone(text)
		forged[i] ^= 1
		if !strings.HasPrefix(string(forged), "view~") {
			continue // the handler's
		}
		in.Cursor = runtime.Some(string(forged))
		if _, err := view.NewClient(connect(t, same, mcp.Stateless)).ListIssues(t.Context(), in); err == nil {
			t.Errorf("the cursor was taken with another character at %d", i)
		}
	}
}

// TestCursorHides: a cursor says nothing of the members of items that the view does not show: neither can one who guesses an item tell whether it is the one, nor
// who asks again whether it has changed. It finds the item with the key that has made it, also when another one is in use.
func TestCursorHides(t *testing.T) {
	old, fresh := []byte("a key of thirty-two characters..."), []byte("another one of thirty-two letters")
	tracker := newTracker(100)
	c := view.NewClient(connect(t, view.NewServer(tracker, mcp.Options{StateKeys: [][]byte{old}}), mcp.Stateless))
	list := func() (first view.ListIssuesView, last string) {
		first, err := c.ListIssues(t.Context(), view.ListIssuesInput{})
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(strings.TrimPrefix(first.Next.Or(""), "view~"), ".")
		sealed, err := base64.RawURLEncoding.DecodeString(text)
		var says struct{ Last string }
		if err != nil || json.Unmarshal(sealed, &says) != nil || says.Last == "" {
			t.Fatalf("the cursor says %s, %v", sealed, err)
		}
		return first, says.Last
	}
	first, last := list()
	guess := issue(int64(len(first.Issues)))
	item, err := guess.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(item); last == base64.RawURLEncoding.EncodeToString(sum[:9]) {
		t.Error("the cursor has a digest that everyone can make of a guess")
	}
	if _, again := list(); again == last {
		t.Error("two cursors say that the item has not changed")
	}
	moved := newTracker(100)
	moved.issues = slices.Insert(moved.issues, 0, issue(1000))
	rotated := view.NewClient(connect(t, view.NewServer(moved, mcp.Options{StateKeys: [][]byte{fresh, old}}), mcp.Stateless))
	if second, err := rotated.ListIssues(t.Context(), view.ListIssuesInput{Cursor: first.Next}); err != nil || second.Issues[0].Number.Or(0) != int64(len(first.Issues)+1) {
		t.Errorf("a server with another key: %+v, %v", second, err)
	}
}

// BenchmarkView calls a tool that returns 30 issues without a view, with all members, and with two that are chosen.
func BenchmarkView(b *testing.B) {
	c := connect(b, view.NewServer(newTracker(30), mcp.Options{}), mcp.Stateless)
	for _, one := range []struct{ name, params string }{
		{"plain", `{"name":"plain_issues","arguments":{"count":30}}`},
		{"all", `{"name":"pick_issues","arguments":{"count":30}}`},
		{"two members", `{"name":"pick_issues","arguments":{"count":30,"fields":["issues.number","issues.title"]}}`},
	} {
		params := rawOf(b, one.params)
		b.Run(one.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				result, err := mcpclient.Call(b.Context(), c, "tools/call", params)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(result.String())), "B/answer")
			}
		})
	}
}
