// Package secrets has users with and without principals call tools whose API, and whose authorization server, repeat credentials in every answer, at two
// processes that share one store of tokens. It fails when an answer is not of its caller, when a refresh token is used twice, when users have to log in
// again, and when a secret stands in anything that leaves the processes: answers, errors, log records and pages, in five spellings. The processes offer
// tools of servers of MCP that misbehave as well, of which each user has two.
package secrets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// users have tokens of the MCP servers, which are named after them. The last one has none, and calls a server without Auth.
var users = []string{"ann", "bob", "carol", ""}

const replicas = 2

// tally counts what the users see.
type tally struct {
	right, failed, wrong, bytes atomic.Int64
	mounted, refused            atomic.Int64 // right answers, and errors, of the servers that misbehave

	mu    sync.Mutex
	leaks []string // what stands around each of the first secrets that were seen
}

// Write looks for secrets in what leaves a process.
func (t *tally) Write(b []byte) (int, error) {
	t.bytes.Add(int64(len(b)))
	if text, found := leak(string(b)); found {
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(t.leaks) < 10 {
			t.leaks = append(t.leaks, text)
		}
	}
	return len(b), nil
}

// whole passes what it is written on as a whole when it is closed, so that no secret stands in two parts.
type whole struct {
	io.ReadCloser
	to   io.Writer
	seen []byte
}

func (w *whole) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	w.seen = append(w.seen, b[:n]...)
	return n, err
}

func (w *whole) Close() error {
	_, _ = w.to.Write(w.seen)
	return w.ReadCloser.Close()
}

// tap sends requests of a user, and shows the tally what is answered.
type tap struct {
	t    *tally
	user string
}

// RoundTrip implements http.RoundTripper.
func (p tap) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-User", p.user)
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		_, _ = p.t.Write([]byte(err.Error()))
		return nil, err
	}
	_, _ = p.t.Write(fmt.Append(nil, a.Header))
	a.Body = &whole{ReadCloser: a.Body, to: p.t}
	return a, nil
}

// Run has the users call for a while.
func Run(d time.Duration, seed uint64, out io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	folder, err := os.MkdirTemp("", "soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	o := &owners{random: rand.New(rand.NewPCG(seed, 99)), codes: map[string]string{}, access: map[string]grant{}, refresh: map[string]string{}}
	api, authority, upstream := httptest.NewServer(http.HandlerFunc(o.api)), httptest.NewServer(o), httptest.NewServer(http.HandlerFunc(strangeHTTP))
	defer api.Close()
	defer authority.Close()
	defer upstream.Close()
	t := new(tally)
	var sites []*url.URL
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // any process finishes a login
		_ = http.NewResponseController(w).EnableFullDuplex() // an answer may begin before the end of the body is found (golang/go#40747)
		httputil.NewSingleHostReverseProxy(sites[rand.IntN(len(sites))]).ServeHTTP(w, r)
	}))
	defer front.Close()
	for range replicas {
		r, err := start(t, settings{Store: folder, API: api.URL, Authority: authority.URL, Front: front.URL + "/login", Strange: upstream.URL})
		if err != nil {
			return err
		}
		defer r.stop()
		sites = append(sites, r.site)
	}
	most := 0 // logins
	var all sync.WaitGroup
	for i, user := range users {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			for j, site := range sites {
				random := rand.New(rand.NewPCG(seed, uint64(i*10+j)))
				if user != "" {
					most++
				}
				all.Go(func() {
					for ctx.Err() == nil {
						t.visit(ctx, site, user, revision, random)
					}
				})
			}
		}
	}
	all.Wait()
	refreshes, reused, logins := o.counts()
	fmt.Fprintf(out, "secrets: %d right answers and %d errors of servers that misbehave; ", t.mounted.Load(), t.refused.Load())
	fmt.Fprintf(out, "%d right answers, %d errors, %d wrong answers, %d bytes searched; %d refreshes, %d of them with a used token, %d logins of %d users\n",
		t.right.Load(), t.failed.Load(), t.wrong.Load(), t.bytes.Load(), refreshes, reused, logins, len(users)-1)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.leaks) > 0:
		return errors.New("secrets have left:\n" + strings.Join(t.leaks, "\n"))
	case t.wrong.Load() > 0:
		return errors.New("answers are not of their callers")
	case reused > 0 || logins > most: // all of them may log in at once, before there is a token
		return errors.New("processes with one store have not shared their tokens")
	case t.right.Load() < 50 || t.mounted.Load() < 50 || refreshes == 0:
		return errors.New("there was hardly a load")
	}
	return nil
}

// visit connects as a user, and calls a tool a few times.
func (t *tally) visit(ctx context.Context, site *url.URL, user, revision string, random *rand.Rand) {
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Transport: tap{t, user}, Jar: jar}
	at, token := site.String()+"/mcp", mcphttp.StaticToken("mcp-of-"+user)
	if user == "" {
		at, token = site.String()+"/open", nil
	}
	conn, err := mcpclient.Connect(ctx, mcphttp.Dial(at, mcphttp.ClientOptions{HTTP: &http.Client{Transport: tap{t, user}}, Token: token}), mcpclient.Options{
		Revisions: []string{revision},
		OnElicitURL: func(_ context.Context, p mcp.ElicitRequestURLParams) (mcp.ElicitResult, error) {
			a, err := browser.Get(p.URL)
			if err != nil {
				return mcp.ElicitResult{}, err
			}
			_, _ = io.Copy(io.Discard, a.Body)
			return mcp.ElicitResult{Action: "accept"}, a.Body.Close()
		},
	})
	if err != nil {
		return
	}
	defer conn.Close()
	for range 1 + random.IntN(20) {
		got, err := rpc.NewClient(conn).IssuesList(ctx, rpc.IssuesListInput{Owner: "o", Repo: "r"})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			t.failed.Add(1)
			_, _ = t.Write([]byte(err.Error()))
		case user == "" || len(got.Issues) != 1 || got.Issues[0].User == nil || got.Issues[0].User.Login != user:
			t.wrong.Add(1)
		default:
			t.right.Add(1)
		}
		t.ask(ctx, conn, user, random)
	}
}

// ask calls a server that misbehaves, at times that of another user.
func (t *tally) ask(ctx context.Context, conn *mcpclient.Client, user string, random *rand.Rand) {
	of := users[random.IntN(len(users)-1)]
	if random.IntN(5) > 0 && user != "" {
		of = user
	}
	if random.IntN(10) == 0 {
		short, cancel := context.WithTimeout(ctx, pause/2)
		defer cancel()
		ctx = short
	}
	got, err := conn.CallTool(ctx, of+[]string{"_whoami", "_stdio_whoami"}[random.IntN(2)], runtime.Raw{})
	if err != nil {
		t.refused.Add(1)
		_, _ = t.Write([]byte(err.Error()))
		return
	}
	text := got.AppendJSON(nil)
	_, _ = t.Write(text)
	switch {
	case got.IsError.Or(false):
		t.refused.Add(1)
	case of != user || !bytes.Contains(text, []byte(`"`+user+`"`)):
		t.wrong.Add(1)
	default:
		t.mounted.Add(1)
	}
}
