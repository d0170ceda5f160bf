package backend_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// work is an API that answers a POST with 202, and requests for the state with the states one after another.
func work(t *testing.T, accepted http.HandlerFunc, states ...http.HandlerFunc) *api {
	var n atomic.Int64
	return newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			accepted(w, r)
			return
		}
		states[min(int(n.Add(1)), len(states))-1](w, r)
	})
}

const created = `{"droplet":{"id":7},"links":{"actions":[{"id":"a/b"}]}}`

// TestWait waits for the end of what an answer of 202 announces. The output is that of the first answer.
func TestWait(t *testing.T) {
	busy := says(200, `{"action":{"status":"in-progress"}}`)
	a := work(t, says(202, created), busy, says(202, ``), says(503, ``), says(200, `{"action":{"status":"done"}}`))
	out, err := a.client(t).DropletCreate(t.Context(), rpc.DropletCreateInput{Project: "p?", Name: "n"})
	if err != nil || out.ID.Or(0) != 7 || len(a.seen) != 5 || a.last() != "GET /v1/projects/p%3F/actions/a%2Fb" || a.header.Get("Authorization") == "" {
		t.Error(out, err, a.seen)
	}
	a = work(t, says(200, created), busy)
	if _, err := a.client(t).DropletCreate(t.Context(), rpc.DropletCreateInput{Project: "p", Name: "n"}); err != nil || len(a.seen) != 1 {
		t.Error("an answer of 200 is waited for", err, a.seen)
	}
	a = work(t, says(202, `{"job":"j"}`, "Location", "/state/1?x=1"), says(202, ``, "Location", "/elsewhere"), says(200, `{}`))
	started, err := a.client(t).JobStart(t.Context(), rpc.JobStartInput{})
	if err != nil || started.Job.Or("") != "j" || strings.Join(a.seen, "; ") != "POST /v1/jobs; GET /state/1?x=1; GET /state/1?x=1" {
		t.Error(started, err, a.seen)
	}
	a = work(t, says(202, ``, "Location", "/state/1"), says(303, ``, "Location", "/result"), says(200, ``))
	if _, err := a.client(t).JobStart(t.Context(), rpc.JobStartInput{Note: runtime.Some("n")}); err != nil || a.seen[0] != `POST /v1/jobs {"note":"n"}` || a.last() != "GET /result" {
		t.Error(err, a.seen)
	}
}

// TestWaitFails: each error says that the call was carried out.
func TestWaitFails(t *testing.T) {
	for name, test := range map[string]struct {
		a    *api
		want string
	}{
		"the work fails":         {work(t, says(202, created), says(200, `{"action":{"status":"errored"}}`)), "The call was carried out (HTTP 202), and the work failed: action.status is errored"},
		"there is no id":         {work(t, says(202, `{"links":{}}`)), "there is no id at links.actions[0].id"},
		"an id leads elsewhere":  {work(t, says(202, `{"links":{"actions":[{"id":".."}]}}`)), "there is no id"},
		"the state is not found": {work(t, says(202, created), says(404, `{"error":{"message":"no action"}}`)), "The call was carried out (HTTP 202), and its state cannot be read: the API refused the call (404 Not Found): no action"},
	} {
		_, err := test.a.client(t).DropletCreate(t.Context(), rpc.DropletCreateInput{Project: "p", Name: "n"})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "carried out") {
			t.Errorf("%s: %v", name, err)
		}
		if posts := strings.Count(strings.Join(test.a.seen, "\n"), "POST"); posts != 1 {
			t.Errorf("%s: %v", name, test.a.seen)
		}
	}
	for _, location := range []string{"", "https://evil.example/state", "//evil.example/state", "http://user@HOST/state", "::"} {
		a := work(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", strings.ReplaceAll(location, "HOST", r.Host))
			w.WriteHeader(202)
			fmt.Fprint(w, `{}`)
		})
		if _, err := a.client(t).JobStart(t.Context(), rpc.JobStartInput{}); err == nil || !strings.Contains(err.Error(), "Location") || len(a.seen) != 1 {
			t.Error(location, err, a.seen)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c := (&api{Server: &httptest.Server{URL: "https://api.example.com"}}).client(t, func(o *backend.Options) {
			o.CallTimeout, o.Transport = time.Minute, roundTripper(func(r *http.Request) (*http.Response, error) {
				w := httptest.NewRecorder()
				if r.Method == http.MethodPost {
					says(202, created)(w, r)
				} else {
					says(200, `{"action":{"status":"new"}}`)(w, r)
				}
				return w.Result(), nil
			})
		})
		if _, err := c.DropletCreate(t.Context(), rpc.DropletCreateInput{Project: "p", Name: "n"}); err == nil || !strings.Contains(err.Error(), "has not ended yet: do not repeat the call") {
			t.Error(err)
		}
	})
}

// TestWaitProgress: the client of the server sees that there is progress.
func TestWaitProgress(t *testing.T) {
	a := work(t, says(202, created), says(200, `{}`), says(200, `{"action":{"status":"completed"}}`))
	conn, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(rpc.NewServer(a.client(t), mcp.Options{})), mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var steps atomic.Int64
	ctx := mcpclient.WithProgress(t.Context(), func(p mcpclient.ProgressReport) {
		if p.Message == "waiting for pay" {
			steps.Add(1)
		}
	})
	if _, err := rpc.NewClient(conn).DropletCreate(ctx, rpc.DropletCreateInput{Project: "p", Name: "n"}); err != nil || steps.Load() != 2 {
		t.Error(err, steps.Load())
	}
}

// TestWaitAsTask: a client that can take a task gets its result when the work is done, with one request that starts it, and cancelling the task ends the
// request for the state.
func TestWaitAsTask(t *testing.T) {
	for _, era := range []mcp.Era{mcp.Handshake, mcp.Stateless} {
		t.Run(era.String(), func(t *testing.T) {
			start := func(a *api) *mcpclient.Task[rpc.DropletCreateOutput] {
				conn, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(rpc.NewServer(a.client(t), mcp.Options{})), mcpclient.Options{Era: era})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { conn.Close() })
				task, err := rpc.NewClient(conn).StartDropletCreate(t.Context(), rpc.DropletCreateInput{Project: "p", Name: "n"})
				if err != nil {
					t.Fatal(err)
				}
				return task
			}
			a := work(t, says(202, created), says(200, `{}`), says(200, `{"action":{"status":"completed"}}`))
			out, err := start(a).Wait(t.Context())
			if err != nil || out.ID.Or(0) != 7 || len(a.seen) != 3 {
				t.Error(out, err, a.seen)
			}
			a = work(t, says(202, created), says(200, `{"action":{"status":"errored"}}`))
			if _, err := start(a).Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "The call was carried out (HTTP 202), and the work failed") {
				t.Error(err)
			}
			asked, ended := make(chan bool), make(chan bool)
			a = work(t, says(202, created), func(_ http.ResponseWriter, r *http.Request) {
				close(asked)
				<-r.Context().Done()
				close(ended)
			})
			task := start(a)
			<-asked
			if err := task.Cancel(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-ended
			if out, err := task.Wait(t.Context()); err == nil {
				t.Error("a cancelled task has a result", out)
			}
			if posts := strings.Count(strings.Join(a.seen, "\n"), "POST"); posts != 1 {
				t.Error(a.seen)
			}
		})
	}
}
