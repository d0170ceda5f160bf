package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/examples/issues/rpc"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendtest"
)

// tracker returns options by which the recorded tracker is called. Requests that were not recorded fail the test.
func tracker(t *testing.T) backend.Options {
	site := backendtest.Replay(t, "testdata/tracker.jsonl")
	return backend.Options{Server: site.URL, Credentials: backend.Fixed{"token": backend.Bearer("of-the-test")}}
}

// client returns a client of the server in memory.
func client(t *testing.T, o backend.Options) *rpc.Client {
	s, err := newServer(o)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return rpc.NewClient(conn)
}

// TestList reads two pages. The view leaves out what models do not need, and a state that the description does not have is not an error.
func TestList(t *testing.T) {
	c := client(t, tracker(t))
	in := rpc.ListIssuesInput{Project: "garden", State: runtime.Some(rpc.ListIssuesInputStateOpen), Label: []string{"path", "gate"}, PerPage: runtime.Some[int64](2)}
	var titles []string
	for {
		out, err := c.ListIssues(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, issue := range out.Issues {
			titles = append(titles, fmt.Sprint(issue.Number.Or(0), " ", issue.Title.Or(""), " ", issue.State.Or("")))
			if issue.Text.IsSet() || issue.Author != nil {
				t.Errorf("%+v has more than the view", issue)
			}
		}
		if !out.Next.IsSet() {
			break
		}
		in.Cursor = out.Next
	}
	if got := strings.Join(titles, "; "); got != "12 The gate sticks open; 9 Weeds on the path open; 4 A new bench on hold" {
		t.Error(got)
	}
}

// TestChoose: a caller may choose other members of the list.
func TestChoose(t *testing.T) {
	out, err := client(t, tracker(t)).ListIssues(t.Context(), rpc.ListIssuesInput{
		Project: "garden", State: runtime.Some(rpc.ListIssuesInputStateOpen), Label: []string{"path", "gate"}, PerPage: runtime.Some[int64](2),
		Fields: []rpc.ListIssuesInputFieldsItem{"issues.text"},
	})
	if err != nil || out.Issues[0].Text.Or("") != "Since the rain." || out.Issues[0].Title.IsSet() {
		t.Errorf("%+v %v", out, err)
	}
}

// TestErrors: a declared error has a type, and others say what the tracker says.
func TestErrors(t *testing.T) {
	c := client(t, tracker(t))
	if out, err := c.GetIssue(t.Context(), rpc.GetIssueInput{Number: 12}); err != nil || out.Author.Login.Or("") != "ann" {
		t.Error(out, err)
	}
	_, err := c.GetIssue(t.Context(), rpc.GetIssueInput{Number: 13})
	if _, ok := errors.AsType[*rpc.NoSuchIssueError](err); !ok {
		t.Error(err)
	}
	_, err = c.CreateIssue(t.Context(), rpc.CreateIssueInput{Project: "garden", Title: "x"})
	if err == nil || !strings.Contains(err.Error(), "The issue is not valid; errors: title is too short") {
		t.Error(err)
	}
	if _, err = c.GetIssue(t.Context(), rpc.GetIssueInput{Number: 0}); err == nil || !strings.Contains(err.Error(), "/number") {
		t.Error(err) // refused before anything is sent
	}
}

// TestCreate: the overridden method trims the title and adds the label, which the recorded request has.
func TestCreate(t *testing.T) {
	out, err := client(t, tracker(t)).CreateIssue(t.Context(), rpc.CreateIssueInput{Project: "garden", Title: " A broken lamp ", Labels: []string{"light"}})
	if err != nil || out.Number.Or(0) != 14 {
		t.Error(out, err)
	}
}

// noting notes what requests are sent with.
type noting struct {
	mu   sync.Mutex
	seen map[string]int // by the header Authorization
}

func (n *noting) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	n.seen[r.Header.Get("Authorization")]++
	n.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// TestUsers: over HTTP, each user acts at the tracker by a token of its own, and a token of this server never gets there.
func TestUsers(t *testing.T) {
	clients, tokens, err := known(t.Context(), []user{{"ann", "token-of-ann", "tracker-of-ann"}, {"bob", "token-of-bob", "tracker-of-bob"}, {"eve", "token-of-eve", "token-of-eve"}})
	if err != nil {
		t.Fatal(err)
	}
	o, sent := tracker(t), &noting{seen: map[string]int{}}
	o.Credentials, o.Transport = tokens, sent
	s, err := newServer(o)
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(mcphttp.NewHandler(s, mcphttp.Options{Auth: clients}))
	t.Cleanup(site.Close)
	var group sync.WaitGroup
	for name, calls := range map[string]int{"ann": 20, "bob": 30, "eve": 1} {
		conn, err := mcpclient.Connect(t.Context(), mcphttp.Dial(site.URL, mcphttp.ClientOptions{Token: mcphttp.StaticToken("token-of-" + name)}), mcpclient.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		for range calls {
			group.Go(func() {
				_, err := rpc.NewClient(conn).GetIssue(t.Context(), rpc.GetIssueInput{Number: 12})
				if refused := err != nil && strings.Contains(err.Error(), "must not be passed on"); err != nil && !refused || refused != (name == "eve") {
					t.Error(name, err)
				}
			})
		}
	}
	group.Wait()
	if len(sent.seen) != 2 || sent.seen["Bearer tracker-of-ann"] != 20 || sent.seen["Bearer tracker-of-bob"] != 30 {
		t.Error(sent.seen)
	}
}
