package mcpcluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/scope"
	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/workshop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/test/await"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestClusterKill: a session outlives its home, with its level and its subscriptions, again and again; and no replica is left with more than its own.
func TestClusterKill(t *testing.T) {
	n, all := fleet(t, 4, mcphttp.Options{})
	session := all[0].Begin("2025-06-18")
	for i, s := range all[1:] {
		s.works(session)
		if a := s.Send("POST", `{"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"workshop://bench"}}`, session...); a.Status != 200 {
			t.Error(a)
		}
		n.kill(all[i])
		s.works(session)
		await.Until(t, "the former home hears of it", func() bool { return all[i].Sessions() == 0 })
		if n.home(t, all, session) != s {
			t.Error("another replica is the home")
		}
		resp := s.Open(t.Context(), "GET", "", session...)
		l := workshop.LinesOf(t, resp.Body)
		l.Find(`"uri":"workshop://bench"`) // it may have changed meanwhile
		s.Server.ResourceUpdated("workshop://bench")
		l.Find(`"uri":"workshop://bench"`)
		resp.Body.Close()
	}
	last := all[len(all)-1]
	if a := last.Send("DELETE", "", session...); a.Status != 204 {
		t.Error(a)
	}
	if n.Records() != 0 {
		t.Error("the record is left")
	}
}

// TestClusterForeign: sessions of other principals, and sessions that are not there, are 404 at every replica.
func TestClusterForeign(t *testing.T) {
	auth := mcphttp.Tokens(map[string]string{"ann's": "ann", "bob's": "bob"})
	n, all := fleet(t, 3, mcphttp.Options{Auth: auth})
	session := all[0].Begin("2025-06-18", "Authorization: Bearer ann's")
	for _, s := range all {
		s.works(session)
		for _, headers := range [][]string{
			{session[0], "Authorization: Bearer bob's"}, {session[0] + "x", "Authorization: Bearer ann's"},
			{"Mcp-Session-Id: " + strings.Repeat("x", 4000), "Authorization: Bearer ann's"}, {"Mcp-Session-Id: *", "Authorization: Bearer ann's"},
		} {
			for _, method := range []string{"POST", "GET", "DELETE"} {
				if a := s.Send(method, echo, headers...); a.Status != 404 {
					t.Errorf("%s %v: %v", method, headers, a)
				}
			}
		}
		if a := s.Send("POST", echo, session[0]); a.Status != 401 {
			t.Error(a)
		}
	}
	n.kill(all[0])
	if a := all[1].Send("POST", echo, session[0], "Authorization: Bearer bob's"); a.Status != 404 {
		t.Error(a)
	}
	all[1].works(session)
	await.Until(t, "the former home hears of it", func() bool { return all[0].Sessions() == 0 })
	if a := all[2].Send("DELETE", "", session...); a.Status != 204 {
		t.Error(a)
	}
	for _, s := range all {
		if a := s.Send("POST", echo, session...); a.Status != 404 {
			t.Error(a)
		}
	}
}

// TestClusterOther: two servers that share a backplane by mistake do not serve each other's sessions, also if the home is gone, and say why.
func TestClusterOther(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	var log bytes.Buffer
	o := mcp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), StateKeys: [][]byte{[]byte("a key of tests")}}
	other := mcphttp.NewHandler(mcp.NewServer(&shop.Shop{}, o), mcphttp.Options{Replicas: mcpcluster.New(n), Runtime: runtime.Options{Logger: o.Logger}})
	t.Cleanup(func() { other.Close() })
	session := all[0].Begin("2025-06-18")
	for range 2 {
		w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(echo))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Session-Id", idOf(session))
		if other.ServeHTTP(w, r); w.Code != 404 {
			t.Error(w.Code, w.Body)
		}
		all[1].works(session)
		n.kill(all[0])
	}
	if !strings.Contains(log.String(), "another server") || !strings.Contains(log.String(), "server=workshop") {
		t.Error(log.String())
	}
}

// TestClusterDown: while the backplane is down, stateless requests are served, and requests of sessions are answered 503; afterwards all
// sessions are there.
func TestClusterDown(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	session := all[0].Begin("2025-06-18")
	n.set(errors.New("out of order"))
	for _, s := range all {
		if s.handler.Ready() == nil {
			t.Error("it is ready")
		}
		if a := s.CallStateless("echo"); a.Status != 200 {
			t.Error(a)
		}
		for _, method := range []string{"POST", "GET", "DELETE"} {
			if a := s.Send(method, echo, session...); a.Status != 503 || a.Header.Get("Retry-After") != "1" {
				t.Errorf("%s: %v", method, a)
			}
		}
		a := s.Send("POST", initialize)
		if a.Status != 503 || a.Header.Get("Mcp-Session-Id") != "" {
			t.Error(a)
		}
		await.Until(t, "no session is left over", func() bool { return s.Sessions() <= 1 })
	}
	n.set(nil)
	for _, r := range n.joined {
		r.Missed()
	}
	for _, s := range all {
		if err := s.handler.Ready(); err != nil {
			t.Error(err)
		}
		s.works(session)
	}
	if n.home(t, all, session) != all[0] {
		t.Error("the session has moved")
	}
}

// TestClusterLost: a call whose home is lost fails with an error, before and after its stream has begun; the session goes on elsewhere.
func TestClusterLost(t *testing.T) {
	n, all := fleet(t, 3, mcphttp.Options{})
	session := all[0].Begin("2025-11-25")
	resp := all[1].Open(t.Context(), "POST", workshop.SessionCall("7", "slow", `,"_meta":{"progressToken":1}`), session...)
	defer resp.Body.Close()
	l := workshop.LinesOf(t, resp.Body)
	l.Find("notifications/progress")
	waiting := make(chan workshop.Answer, 1)
	go func() { waiting <- all[2].Send("POST", workshop.SessionCall(`"eight"`, "wait", ""), session...) }()
	<-all[0].Begun
	n.kill(all[0])
	l.Find(`"id":7,"error":{"code":-32603,"message":"The server that handled the request is gone`)
	l.End()
	if a := <-waiting; a.Status != 200 || !strings.Contains(a.Body, `"id":"eight","error":{"code":-32603`) {
		t.Error(a)
	}
	all[2].works(session)
	await.Until(t, "the session has one home", func() bool {
		return all[1].Sessions()+all[2].Sessions() == 1
	})
	n.pause(n.home(t, all[1:], session), true)
	for _, s := range all[1:] {
		if s != n.home(t, all[1:], session) {
			if a := s.Send("POST", echo, session...); !strings.Contains(a.Body, `"id":5,"error":{"code":-32603`) {
				t.Error(a)
			}
			s.works(session)
			break
		}
	}
}

// TestClusterResume: a client that resumes a stream of a home that is gone gets an error for its request, from any replica.
func TestClusterResume(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{Retry: time.Millisecond})
	session := all[0].Begin("2025-11-25")
	resp := all[0].Open(t.Context(), "POST", workshop.SessionCall(`"slow one"`, "slow", `,"_meta":{"progressToken":1}`), session...)
	l := workshop.LinesOf(t, resp.Body)
	id := l.Want("id: ")
	resp.Body.Close()
	separate := all[1].Open(t.Context(), "GET", "", session...)
	sl := workshop.LinesOf(t, separate.Body)
	all[0].Server.ToolsChanged()
	sid := sl.Want("id: ")
	separate.Body.Close()
	n.kill(all[0])
	a := all[1].Send("GET", "", append([]string{"Last-Event-ID: " + id}, session...)...)
	if a.Status != 200 || !strings.Contains(a.Body, `data: {"jsonrpc":"2.0","id":"slow one","error":{"code":-32603`) {
		t.Error(a)
	}
	again := all[1].Open(t.Context(), "GET", "", append([]string{"Last-Event-ID: " + sid}, session...)...)
	al := workshop.LinesOf(t, again.Body)
	parts := strings.Split(al.Want("id: "), "-")
	al.Find("tools/list_changed") // it may have changed meanwhile
	again.Body.Close()
	for _, bad := range []string{"1-1-other-", "1-1-other-!", "1-1-other-eA", "x", "1-1-" + parts[2] + "-"} {
		if a := all[1].Send("GET", "", append([]string{"Last-Event-ID: " + bad}, session...)...); a.Status != 400 {
			t.Errorf("%s: %v", bad, a)
		}
	}
}

// TestClusterShutdown: a replica that shuts down answers its calls, and hands its sessions over.
func TestClusterShutdown(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	session := all[0].Begin("2025-06-18")
	waiting := make(chan workshop.Answer, 1)
	go func() { waiting <- all[0].Send("POST", workshop.SessionCall("2", "wait", ""), session...) }()
	<-all[0].Begun
	ended := make(chan error, 1)
	go func() { ended <- all[0].handler.Shutdown(context.Background()) }()
	await.Until(t, "it shuts down", func() bool { return all[0].handler.Ready() != nil })
	all[1].works(session)
	if n.home(t, all, session) != all[1] || n.Records() != 1 {
		t.Error("the session was not handed over")
	}
	all[1].Send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, session...)
	<-all[0].Cancelled
	if a := <-waiting; a.Status != 200 {
		t.Error(a)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	all[1].works(session)
}

// TestClusterShutdownPasses: a replica that shuts down does not wait for the streams that it passes on. Their clients open them at another one.
func TestClusterShutdownPasses(t *testing.T) {
	_, all := fleet(t, 3, mcphttp.Options{})
	session := all[0].Begin("2025-06-18")
	resp := all[1].Open(t.Context(), "GET", "", session...)
	defer resp.Body.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := all[1].handler.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Error("the stream was cut:", err)
	}
	resp = all[2].Open(t.Context(), "GET", "", session...)
	defer resp.Body.Close()
	all[0].Server.ToolsChanged()
	workshop.LinesOf(t, resp.Body).Find("notifications/tools/list_changed")
}

// TestClusterChanges: a change at one replica reaches the clients of all: of sessions at any replica, and of stateless subscriptions.
func TestClusterChanges(t *testing.T) {
	_, all := fleet(t, 3, mcphttp.Options{})
	session := all[0].Begin("2025-06-18")
	resp := all[1].Open(t.Context(), "GET", "", session...)
	defer resp.Body.Close()
	l := workshop.LinesOf(t, resp.Body)
	all[2].Server.ToolsChanged()
	l.Find("tools/list_changed")
	all[0].Server.ToolsChanged()
	l.Find("tools/list_changed")
}

// initialize is the request that begins a session.
const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize",` +
	`"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}`

// TestClusterExpires: a session that is idle ends at its home, and its record with it; the record of a home that is gone expires.
func TestClusterExpires(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{SessionIdle: 200 * time.Millisecond})
	begin := func() (session string) { // with one request: this machine may be too slow for another one before the session ends
		a := all[0].Send("POST", initialize)
		if session = a.Header.Get("Mcp-Session-Id"); session == "" {
			t.Fatal(a)
		}
		return "Mcp-Session-Id: " + session
	}
	begin()
	await.Until(t, "the session ends", func() bool { return n.Records() == 0 && all[0].Sessions() == 0 })
	session := begin()
	n.kill(all[0])
	n.keep(errors.New("killed")) // which deletes nothing
	await.Until(t, "the record expires", func() bool { return n.Records() == 0 })
	if a := all[1].Send("POST", echo, session); a.Status != 404 {
		t.Error(a)
	}
}

// TestClusterVersions: members of records that are unknown here are kept, and records of a later version are left to later replicas.
func TestClusterVersions(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	session := all[0].Begin("2025-06-18")
	id := idOf(session)
	change := func(old, new string) {
		t.Helper()
		text, revision, err := n.Load(t.Context(), id)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatal(string(text), err)
		}
		if _, err := n.Save(t.Context(), id, []byte(strings.Replace(string(text), old, new, 1)), revision, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	change(`"v":1`, `"v":1,"colour":"red"`)
	n.kill(all[0])
	all[1].works(session)
	if text, _, _ := n.Load(t.Context(), id); !strings.Contains(string(text), `"colour":"red"`) {
		t.Errorf("the record is %s", text)
	}
	change(`"v":1`, `"v":2`)
	change(all[1].name, all[0].name)
	n.joined[1].Missed() // so that it looks at the record
	if a := all[1].Send("POST", echo, session...); a.Status != 503 || !strings.Contains(a.Body, "later version") {
		t.Error(a)
	}
	change(`"v":2`, `"v":1`)
	change(`"revision":"2025-06-18"`, `"revision":"none"`)
	if a := all[1].Send("POST", echo, session...); a.Status != 404 {
		t.Error(a)
	}
}

// TestClusterConflict: a replica that does not know that another one has continued the session finds out when it saves.
func TestClusterConflict(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	session := all[0].Begin("2025-06-18")
	id := idOf(session)
	text, revision, err := n.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), all[0].name, all[1].name, 1)
	if _, err := n.Save(t.Context(), id, []byte(other), revision, time.Minute); err != nil {
		t.Fatal(err)
	}
	subscribe := `{"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"workshop://bench"}}`
	if a := all[0].Send("POST", subscribe, session...); a.Status != 503 {
		t.Error(a)
	}
	if a := all[0].Send("POST", subscribe, session...); a.Status != 200 {
		t.Error(a)
	}
	if n.home(t, all, session) != all[1] {
		t.Error("the wrong replica is the home")
	}
}

// TestClusterKeys: a server whose replicas would sign with different keys is not served.
func TestClusterKeys(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "StateKeys") {
			t.Errorf("got %q", text)
		}
	}()
	srv := mcp.NewServer(workshop.New(), mcp.Options{Logger: workshop.Quiet})
	defer srv.Close()
	mcphttp.NewHandler(srv, mcphttp.Options{Replicas: mcpcluster.New(mcpcluster.NewMemory())})
}

// unjoined is a backplane that cannot be joined.
type unjoined struct{ mcpcluster.Memory }

func (*unjoined) Join(mcpcluster.Replica) (func(), error) { return nil, errors.New("not today") }

// TestClusterUnjoined: a backplane that cannot be joined makes the handler not ready; it serves stateless requests.
func TestClusterUnjoined(t *testing.T) {
	s := newSite(t, mcphttp.Options{Replicas: mcpcluster.New(new(unjoined))})
	if err := s.handler.Ready(); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("got %v", err)
	}
	if a := s.CallStateless("echo"); a.Status != 200 {
		t.Error(a)
	}
	if a := s.Send("POST", echo, "Mcp-Session-Id: x"); a.Status != 503 {
		t.Error(a)
	}
}

// TestForwarded: what is not a request of a replica is not served.
func TestForwarded(t *testing.T) {
	n, _ := fleet(t, 1, mcphttp.Options{})
	var got []string
	n.joined[0].Answer(t.Context(), []byte("rubbish"), func(part []byte, _ bool) error {
		got = append(got, string(part))
		return io.EOF
	})
	if len(got) != 1 || got[0] != "\x01\x00\x00" {
		t.Errorf("got %q", got)
	}
}

// TestClusterReady: a replica is ready while its backplane can be used.
func TestClusterReady(t *testing.T) {
	n, all := fleet(t, 1, mcphttp.Options{})
	check := func() (int, string) {
		w := httptest.NewRecorder()
		all[0].handler.Readiness().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		return w.Code, w.Body.String()
	}
	if status, body := check(); status != 200 {
		t.Error(status, body)
	}
	n.set(errors.New("out of order"))
	if status, body := check(); status != 503 || !strings.Contains(body, "out of order") {
		t.Error(status, body)
	}
	n.set(nil)
	all[0].handler.Close()
	if status, body := check(); status != 503 || !strings.Contains(body, "shutting down") {
		t.Error(status, body)
	}
}

// TestClusterLostBatch: each request of a batch whose home is lost while its stream is under way fails with an error of its own.
func TestClusterLostBatch(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	session := all[0].Begin("2025-03-26")
	batch := "[" + workshop.SessionCall("1", "slow", `,"_meta":{"progressToken":1}`) + "," + workshop.SessionCall(`"two"`, "wait", "") + "," + echo +
		`,{"jsonrpc":"2.0","method":"notifications/progress"}]`
	resp := all[1].Open(t.Context(), "POST", batch, session...)
	defer resp.Body.Close()
	l := workshop.LinesOf(t, resp.Body)
	l.Find("notifications/progress")
	n.kill(all[0])
	var answers []struct {
		ID    any
		Error struct{ Code int }
	}
	if err := json.Unmarshal([]byte(l.Want("data: ")), &answers); err != nil || len(answers) != 3 {
		t.Fatal(answers, err)
	}
	for i, id := range []any{1.0, "two", 5.0} {
		if answers[i].ID != id || answers[i].Error.Code != -32603 {
			t.Errorf("got %+v, want the error of %v", answers[i], id)
		}
	}
	l.End()
	all[1].works(session)
}

// TestClusterLostWithin: a part of an answer is not taken for the answer when the home is lost: an event without its end is followed by nothing, so that
// readers drop it and resume, and a body is shorter than its header says.
func TestClusterLostWithin(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	session := all[0].Begin("2025-11-25")
	n.mu.Lock()
	n.cuts = `"counted"`
	n.mu.Unlock()
	a := all[1].Send("POST", workshop.SessionCall("7", "count", `,"_meta":{"progressToken":1}`), session...)
	events := strings.Split(a.Body, "\n\n")
	if last := events[len(events)-1]; len(events) < 4 || last == "" || strings.Contains(a.Body, "error") || strings.Contains(a.Body, `"counted"`) {
		t.Fatalf("got %s", a.Body)
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(events[len(events)-2], "id: "), "\n")
	n.kill(all[0])
	if a := all[1].Send("GET", "", append([]string{"Last-Event-ID: " + id}, session...)...); !strings.Contains(a.Body, `data: {"jsonrpc":"2.0","id":7,"error":{"code":-32603`) {
		t.Error(a)
	}
	await.Until(t, "the former home forgets the session", func() bool { return all[0].Sessions() == 0 })
	n.mu.Lock()
	n.cuts = `"said":"hi"`
	n.mu.Unlock()
	resp := all[0].Open(t.Context(), "POST", echo, session...)
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %s, %v", text, err)
	}
}

// TestClusterScopes: a replica that passes a request on to the home of its session asks for the scopes of that request, and the client gets the challenge.
func TestClusterScopes(t *testing.T) {
	n := newNetwork()
	verify := func(_ context.Context, token string, _ *http.Request) (mcphttp.Principal, error) {
		return mcphttp.Principal{ID: "ann", Scopes: []string{token}}, nil
	}
	o := mcphttp.Options{Replicas: mcpcluster.New(n), Auth: &mcphttp.Auth{Verify: verify}, Runtime: runtime.Options{Logger: workshop.Quiet}}
	var all []*workshop.Site
	for range 2 {
		srv := mcp.NewServer(&shop.Shop{Change: func(i *mcp.Info) { i.Permit = scope.Needs{Tools: map[string][]string{"search_items": {"look"}}}.Tool }},
			mcp.Options{Logger: workshop.Quiet, StateKeys: [][]byte{[]byte("a key of tests")}})
		h := mcphttp.NewHandler(srv, o)
		all = append(all, workshop.Serve(t, workshop.New(), h, h.Close))
	}
	session := all[0].Begin("2025-06-18", "Authorization: Bearer other")[:2]
	const search = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"tea"}}}`
	for i, s := range all {
		for _, token := range []string{"other", "look", "other"} {
			a := s.Send("POST", search, append(session[:2:2], "Authorization: Bearer "+token)...)
			challenge := a.Header.Get("WWW-Authenticate")
			if may := token == "look"; may != (a.Status == 200) || !may && (a.Status != 403 || challenge != `Bearer error="insufficient_scope", scope="look"` || !strings.Contains(a.Body, `"missing":["look"]`)) {
				t.Error(i, token, challenge, a)
			}
		}
	}
}
