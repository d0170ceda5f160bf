package mcphttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
)

// network is a backplane in memory with faults.
type network struct {
	*mcpcluster.Memory

	mu     sync.Mutex
	down   error                           // of Ready, Load, Save and Delete
	killed map[string]bool                 // replicas that are not reached
	lost   map[string]bool                 // replicas that do not answer any more
	asking map[string][]context.CancelFunc // requests in flight, by replica
	joined []mcpcluster.Replica
	names  map[*site]string
}

func newNetwork() *network {
	return &network{Memory: mcpcluster.NewMemory(), names: map[*site]string{}, killed: map[string]bool{}, lost: map[string]bool{}, asking: map[string][]context.CancelFunc{}}
}

func (n *network) Join(r mcpcluster.Replica) (func(), error) {
	n.mu.Lock()
	n.joined = append(n.joined, r)
	n.mu.Unlock()
	return n.Memory.Join(r)
}

func (n *network) fault() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.down
}

func (n *network) Ready() error { return n.fault() }

func (n *network) Load(ctx context.Context, session string) ([]byte, uint64, error) {
	if err := n.fault(); err != nil {
		return nil, 0, err
	}
	return n.Memory.Load(ctx, session)
}

func (n *network) Save(ctx context.Context, session string, record []byte, revision uint64, expires time.Duration) (uint64, error) {
	if err := n.fault(); err != nil {
		return 0, err
	}
	return n.Memory.Save(ctx, session, record, revision, expires)
}

func (n *network) Ask(ctx context.Context, replica string, request []byte, part func([]byte) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	n.mu.Lock()
	killed, lost := n.killed[replica], n.lost[replica]
	n.asking[replica] = append(n.asking[replica], cancel)
	n.mu.Unlock()
	switch {
	case killed:
		return mcpcluster.ErrNoReplica
	case lost:
		return mcpcluster.ErrLost
	}
	err := n.Memory.Ask(inner, replica, request, part)
	if inner.Err() != nil && ctx.Err() == nil {
		return mcpcluster.ErrLost
	}
	return err
}

// set makes the backplane unusable, or usable again.
func (n *network) set(down error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
}

// kill makes a replica unreachable: requests that it was asked are lost.
func (n *network) kill(s *site) {
	n.mu.Lock()
	defer n.mu.Unlock()
	name := n.names[s]
	n.killed[name] = true
	for _, cancel := range n.asking[name] {
		cancel()
	}
}

// pause makes a replica silent.
func (n *network) pause(s *site, paused bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lost[n.names[s]] = paused
}

// fleet returns replicas that are addressed one by one.
func fleet(t *testing.T, size int, o Options) (*network, []*site) {
	n := newNetwork()
	o.Replicas = mcpcluster.New(n)
	var all []*site
	for range size {
		s := newSite(t, newWorkshop(), o)
		n.names[s] = n.joined[len(n.joined)-1].Name
		all = append(all, s)
	}
	return n, all
}

const echo = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`

// works checks that a session can be used at a replica.
func (s *site) works(session []string) {
	s.t.Helper()
	if a := s.send("POST", echo, session...); a.status != 200 || !strings.Contains(a.body, `"said":"hi"`) {
		s.t.Errorf("got %v", a)
	}
}

// idOf returns the id of a session.
func idOf(session []string) string { return strings.TrimPrefix(session[0], "Mcp-Session-Id: ") }

// home returns the replica that serves the session.
func home(t *testing.T, all []*site, session []string) (found *site) {
	t.Helper()
	for _, s := range all {
		if s.handler.sessions.get(idOf(session)) != nil {
			if found != nil {
				t.Error("the session has two homes")
			}
			found = s
		}
	}
	return found
}

// TestClusterKill: a session outlives its home, with its level and its subscriptions, again and again; and no replica is left with more than its own.
func TestClusterKill(t *testing.T) {
	n, all := fleet(t, 4, Options{})
	session := all[0].begin("2025-06-18")
	for i, s := range all[1:] {
		s.works(session)
		if a := s.send("POST", `{"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"workshop://bench"}}`, session...); a.status != 200 {
			t.Error(a)
		}
		n.kill(all[i])
		s.works(session)
		eventually(t, "the former home hears of it", func() bool { return all[i].handler.sessions.get(idOf(session)) == nil })
		if home(t, all, session) != s {
			t.Error("another replica is the home")
		}
		resp := s.open(t.Context(), "GET", "", session...)
		l := linesOf(t, resp.Body)
		l.find(`"uri":"workshop://bench"`) // it may have changed meanwhile
		s.server.ResourceUpdated("workshop://bench")
		l.find(`"uri":"workshop://bench"`)
		resp.Body.Close()
	}
	last := all[len(all)-1]
	if a := last.send("DELETE", "", session...); a.status != 204 {
		t.Error(a)
	}
	if n.Records() != 0 {
		t.Error("the record is left")
	}
}

// TestClusterForeign: sessions of other principals, and sessions that are not there, are 404 at every replica.
func TestClusterForeign(t *testing.T) {
	auth := Tokens(map[string]string{"ann's": "ann", "bob's": "bob"})
	n, all := fleet(t, 3, Options{Auth: auth})
	session := all[0].begin("2025-06-18", "Authorization: Bearer ann's")
	for _, s := range all {
		s.works(session)
		for _, headers := range [][]string{
			{session[0], "Authorization: Bearer bob's"}, {session[0] + "x", "Authorization: Bearer ann's"},
			{"Mcp-Session-Id: " + strings.Repeat("x", 4000), "Authorization: Bearer ann's"}, {"Mcp-Session-Id: *", "Authorization: Bearer ann's"},
		} {
			for _, method := range []string{"POST", "GET", "DELETE"} {
				if a := s.send(method, echo, headers...); a.status != 404 {
					t.Errorf("%s %v: %v", method, headers, a)
				}
			}
		}
		if a := s.send("POST", echo, session[0]); a.status != 401 {
			t.Error(a)
		}
	}
	n.kill(all[0])
	if a := all[1].send("POST", echo, session[0], "Authorization: Bearer bob's"); a.status != 404 {
		t.Error(a)
	}
	all[1].works(session)
	eventually(t, "the former home hears of it", func() bool { return all[0].handler.sessions.get(idOf(session)) == nil })
	if a := all[2].send("DELETE", "", session...); a.status != 204 {
		t.Error(a)
	}
	for _, s := range all {
		if a := s.send("POST", echo, session...); a.status != 404 {
			t.Error(a)
		}
	}
}

// TestClusterDown: while the backplane is down, stateless requests are served, and requests of sessions are answered 503; afterwards all
// sessions are there.
func TestClusterDown(t *testing.T) {
	n, all := fleet(t, 2, Options{})
	session := all[0].begin("2025-06-18")
	n.set(errors.New("out of order"))
	for _, s := range all {
		if s.handler.Ready() == nil {
			t.Error("it is ready")
		}
		if a := s.callStateless("echo"); a.status != 200 {
			t.Error(a)
		}
		for _, method := range []string{"POST", "GET", "DELETE"} {
			if a := s.send(method, echo, session...); a.status != 503 || a.header.Get("Retry-After") != "1" {
				t.Errorf("%s: %v", method, a)
			}
		}
		a := s.send("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}`)
		if a.status != 503 || a.header.Get("Mcp-Session-Id") != "" {
			t.Error(a)
		}
		eventually(t, "no session is left over", func() bool { return s.handler.sessions.count() <= 1 })
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
	if home(t, all, session) != all[0] {
		t.Error("the session has moved")
	}
}

// TestClusterLost: a call whose home is lost fails with an error, before and after its stream has begun; the session goes on elsewhere.
func TestClusterLost(t *testing.T) {
	n, all := fleet(t, 3, Options{})
	session := all[0].begin("2025-11-25")
	resp := all[1].open(t.Context(), "POST", sessionCallOf("7", "slow", `,"_meta":{"progressToken":1}`), session...)
	defer resp.Body.Close()
	l := linesOf(t, resp.Body)
	l.find("notifications/progress")
	waiting := make(chan answer, 1)
	go func() { waiting <- all[2].send("POST", sessionCallOf(`"eight"`, "wait", ""), session...) }()
	<-all[0].begun
	n.kill(all[0])
	l.find(`"id":7,"error":{"code":-32603,"message":"The server that handled the request is gone`)
	l.end()
	if a := <-waiting; a.status != 200 || !strings.Contains(a.body, `"id":"eight","error":{"code":-32603`) {
		t.Error(a)
	}
	all[2].works(session)
	eventually(t, "the session has one home", func() bool {
		return (all[1].handler.sessions.get(idOf(session)) == nil) != (all[2].handler.sessions.get(idOf(session)) == nil)
	})
	n.pause(home(t, all[1:], session), true)
	for _, s := range all[1:] {
		if s != home(t, all[1:], session) {
			if a := s.send("POST", echo, session...); !strings.Contains(a.body, `"id":5,"error":{"code":-32603`) {
				t.Error(a)
			}
			s.works(session)
			break
		}
	}
}

// TestClusterResume: a client that resumes a stream of a home that is gone gets an error for its request, from any replica.
func TestClusterResume(t *testing.T) {
	n, all := fleet(t, 2, Options{Retry: time.Millisecond})
	session := all[0].begin("2025-11-25")
	resp := all[0].open(t.Context(), "POST", sessionCallOf(`"slow one"`, "slow", `,"_meta":{"progressToken":1}`), session...)
	l := linesOf(t, resp.Body)
	id := l.want("id: ")
	resp.Body.Close()
	separate := all[1].open(t.Context(), "GET", "", session...)
	sl := linesOf(t, separate.Body)
	all[0].server.ToolsChanged()
	sid := sl.want("id: ")
	separate.Body.Close()
	n.kill(all[0])
	a := all[1].send("GET", "", append([]string{"Last-Event-ID: " + id}, session...)...)
	if a.status != 200 || !strings.Contains(a.body, `data: {"jsonrpc":"2.0","id":"slow one","error":{"code":-32603`) {
		t.Error(a)
	}
	again := all[1].open(t.Context(), "GET", "", append([]string{"Last-Event-ID: " + sid}, session...)...)
	linesOf(t, again.Body).find("tools/list_changed") // it may have changed meanwhile
	again.Body.Close()
	for _, bad := range []string{"1-1-other-", "1-1-other-!", "1-1-other-eA", "x", "1-1" + home(t, all[1:], session).handler.sessions.list()[0].part.Suffix("")} {
		if a := all[1].send("GET", "", append([]string{"Last-Event-ID: " + bad}, session...)...); a.status != 400 {
			t.Errorf("%s: %v", bad, a)
		}
	}
}

// TestClusterFormer: calls in flight of a session that another replica has continued go on: they get the responses and the cancellations that
// the client sends to the new home.
func TestClusterFormer(t *testing.T) {
	n, all := fleet(t, 2, Options{})
	session := all[0].begin("2025-06-18")
	resp := all[0].open(t.Context(), "POST", sessionCallOf("1", "ask", ""), session...)
	defer resp.Body.Close()
	l := linesOf(t, resp.Body)
	l.find(`"id":1,"method":"elicitation/create"`)
	waiting := make(chan answer, 1)
	go func() { waiting <- all[0].send("POST", sessionCallOf("2", "wait", ""), session...) }()
	<-all[0].begun
	n.pause(all[0], true)
	all[1].send("POST", echo, session...)
	eventually(t, "the session moves", func() bool {
		return all[0].handler.sessions.get(idOf(session)) == nil && all[1].handler.sessions.get(idOf(session)) != nil
	})
	n.pause(all[0], false)
	if a := all[1].send("POST", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ann"}}}`, session...); a.status != 202 {
		t.Error(a)
	}
	l.find("hello Ann")
	if a := all[1].send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, session...); a.status != 202 {
		t.Error(a)
	}
	if err := <-all[0].cancelled; err == nil {
		t.Error("the call was not cancelled")
	}
	<-waiting
	eventually(t, "the former home forgets the session", func() bool { return all[0].handler.sessions.count() == 0 })
	all[0].works(session)
}

// TestClusterFormerEnds: a call at a former home that waits for the client ends with the session.
func TestClusterFormerEnds(t *testing.T) {
	n, all := fleet(t, 2, Options{})
	session := all[0].begin("2025-11-25")
	resp := all[0].open(t.Context(), "POST", sessionCallOf("1", "ask", ""), session...)
	defer resp.Body.Close()
	linesOf(t, resp.Body).find("elicitation/create")
	n.pause(all[0], true)
	all[1].send("POST", echo, session...) // fails, and continues the session
	all[1].works(session)
	here := &all[0].handler.sessions
	eventually(t, "the former home hears of it", func() bool { return here.get(idOf(session)) == nil })
	if here.count() != 1 {
		t.Error("the call has ended")
	}
	if a := all[1].send("DELETE", "", session...); a.status != 204 {
		t.Error(a)
	}
	eventually(t, "the call at the former home ends", func() bool { return here.count() == 0 })
}

// TestClusterShutdown: a replica that shuts down answers its calls, and hands its sessions over.
func TestClusterShutdown(t *testing.T) {
	n, all := fleet(t, 2, Options{})
	session := all[0].begin("2025-06-18")
	waiting := make(chan answer, 1)
	go func() { waiting <- all[0].send("POST", sessionCallOf("2", "wait", ""), session...) }()
	<-all[0].begun
	ended := make(chan error, 1)
	go func() { ended <- all[0].handler.Shutdown(context.Background()) }()
	eventually(t, "it shuts down", func() bool { return all[0].handler.Ready() != nil })
	all[1].works(session)
	eventually(t, "the former home hears of it", func() bool { return all[0].handler.sessions.get(idOf(session)) == nil })
	if home(t, all, session) != all[1] || n.Records() != 1 {
		t.Error("the session was not handed over")
	}
	all[1].send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, session...)
	<-all[0].cancelled
	if a := <-waiting; a.status != 200 {
		t.Error(a)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	all[1].works(session)
}

// TestClusterChanges: a change at one replica reaches the clients of all: of sessions at any replica, and of stateless subscriptions.
func TestClusterChanges(t *testing.T) {
	_, all := fleet(t, 3, Options{})
	session := all[0].begin("2025-06-18")
	resp := all[1].open(t.Context(), "GET", "", session...)
	defer resp.Body.Close()
	l := linesOf(t, resp.Body)
	all[2].server.ToolsChanged()
	l.find("tools/list_changed")
	all[0].server.ToolsChanged()
	l.find("tools/list_changed")
}

// TestClusterExpires: a session that is idle ends at its home, and its record with it; the record of a home that is gone expires.
func TestClusterExpires(t *testing.T) {
	n, all := fleet(t, 2, Options{SessionIdle: 200 * time.Millisecond})
	all[0].begin("2025-06-18")
	eventually(t, "the session ends", func() bool { return n.Records() == 0 && all[0].handler.sessions.count() == 0 })
	session := all[0].begin("2025-06-18")
	n.kill(all[0])
	all[0].handler.closing.Store(true) // so that it deletes nothing
	eventually(t, "the record expires", func() bool { return n.Records() == 0 })
	all[0].handler.closing.Store(false)
	if a := all[1].send("POST", echo, session...); a.status != 404 {
		t.Error(a)
	}
}

// TestClusterVersions: members of records that are unknown here are kept, and records of a later version are left to later replicas.
func TestClusterVersions(t *testing.T) {
	n, all := fleet(t, 2, Options{})
	session := all[0].begin("2025-06-18")
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
	resident{all[1].handler.sessions.get(id)}.Move()
	change(`"v":1`, `"v":2`)
	change(n.names[all[1]], n.names[all[0]])
	if a := all[1].send("POST", echo, session...); a.status != 503 || !strings.Contains(a.body, "later version") {
		t.Error(a)
	}
	change(`"v":2`, `"v":1`)
	change(`"revision":"2025-06-18"`, `"revision":"none"`)
	if a := all[1].send("POST", echo, session...); a.status != 404 {
		t.Error(a)
	}
}

// TestClusterConflict: a replica that does not know that another one has continued the session finds out when it saves.
func TestClusterConflict(t *testing.T) {
	n, all := fleet(t, 2, Options{})
	session := all[0].begin("2025-06-18")
	id := idOf(session)
	text, revision, err := n.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), n.names[all[0]], n.names[all[1]], 1)
	if _, err := n.Save(t.Context(), id, []byte(other), revision, time.Minute); err != nil {
		t.Fatal(err)
	}
	subscribe := `{"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"workshop://bench"}}`
	if a := all[0].send("POST", subscribe, session...); a.status != 503 {
		t.Error(a)
	}
	if a := all[0].send("POST", subscribe, session...); a.status != 200 {
		t.Error(a)
	}
	if home(t, all, session) != all[1] {
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
	srv := mcp.NewServer(newWorkshop(), mcp.Options{Logger: quiet})
	defer srv.Close()
	NewHandler(srv, Options{Replicas: mcpcluster.New(mcpcluster.NewMemory())})
}

// unjoined is a backplane that cannot be joined.
type unjoined struct{ mcpcluster.Memory }

func (*unjoined) Join(mcpcluster.Replica) (func(), error) { return nil, errors.New("not today") }

// TestClusterUnjoined: a backplane that cannot be joined makes the handler not ready; it serves stateless requests.
func TestClusterUnjoined(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{Replicas: mcpcluster.New(new(unjoined))})
	if err := s.handler.Ready(); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("got %v", err)
	}
	if a := s.callStateless("echo"); a.status != 200 {
		t.Error(a)
	}
	if a := s.send("POST", echo, "Mcp-Session-Id: x"); a.status != 503 {
		t.Error(a)
	}
}

// TestForwarded: what is no request of a replica is not served.
func TestForwarded(t *testing.T) {
	n, _ := fleet(t, 1, Options{})
	var got []string
	n.joined[0].Answer(t.Context(), []byte("rubbish"), func(part []byte, _ bool) error {
		got = append(got, string(part))
		return io.EOF
	})
	if len(got) != 1 || got[0] != "\x01\x00\x00" {
		t.Errorf("got %q", got)
	}
}

// TestHealth: a process lives whatever happens, and is ready while it serves and its backplane can be used.
func TestHealth(t *testing.T) {
	n, all := fleet(t, 1, Options{})
	check := func(h http.Handler) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		return w.Code, w.Body.String()
	}
	ready := all[0].handler.Readiness()
	if status, body := check(ready); status != 200 {
		t.Error(status, body)
	}
	n.set(errors.New("out of order"))
	if status, body := check(ready); status != 503 || !strings.Contains(body, "out of order") {
		t.Error(status, body)
	}
	n.set(nil)
	all[0].handler.Close()
	if status, body := check(ready); status != 503 || !strings.Contains(body, "shutting down") {
		t.Error(status, body)
	}
	if status, _ := check(Live()); status != 200 {
		t.Error(status)
	}
}
