package mcphttp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/test/await"
)

// raw sends bytes over a connection of its own, which ends with the test.
func (s *site) raw(text string) net.Conn {
	s.t.Helper()
	conn := s.dial(text)
	s.t.Cleanup(func() { conn.Close() })
	return conn
}

// dial sends bytes over a connection of its own.
func (s *site) dial(text string) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.HTTP.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	conn.(*net.TCPConn).SetReadBuffer(8 << 10)
	if _, err := io.WriteString(conn, text); err != nil {
		s.t.Fatal(err)
	}
	return conn
}

// rawPost is the text of a request.
func rawPost(body string, headers ...string) string {
	return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + strings.Join(headers, "\r\n") +
		fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// status reads the status of a response.
func status(t *testing.T, conn net.Conn) int {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(5 * time.Minute)) // instead of for ever
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	return resp.StatusCode
}

// alive makes sure that everybody else is served.
func (s *site) alive() {
	s.t.Helper()
	if a := s.callStateless("echo"); a.status != 200 {
		s.t.Error(a)
	}
}

// TestManyClients: a thousand sessions with open streams and a thousand listeners cost what they cost, and leave nothing: what many of
// them left would add up.
func TestManyClients(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of connections take a while; make full opens them")
	}
	const warm, rounds, most = 2, 8, 1000 << 10 // bytes a round: a small part of what a thousand sessions and their connections take
	s := newSite(t, newWorkshop(), Options{MaxStreamsPerClient: 4096})
	s.alive()
	goroutines := goruntime.NumGoroutine()
	var before, now uint64
	for round := range warm + rounds {
		s.crowd(1000)
		await.Until(t, "no goroutines are left", func() bool { return goruntime.NumGoroutine() <= goroutines+2 })
		now = inUse()
		if round < warm { // until about the most goroutines that there ever are have been there: Go keeps some of each
			before = now
		} else if now <= before {
			break
		}
	}
	if now > before+rounds*most {
		t.Errorf("%d bytes are in use, and %d before", now, before)
	}
}

// inUse returns the memory that is in use, in bytes.
func inUse() uint64 {
	var m goruntime.MemStats
	for range 4 { // each collection shrinks stacks that are too large, and empties pools
		goruntime.GC()
	}
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// crowd lets that many clients of either era connect, listen and leave; those of sessions end them.
func (s *site) crowd(many int) {
	var conns []net.Conn
	var opened [][]string
	for i := range many {
		session := s.begin("2025-11-25")
		opened = append(opened, session)
		conns = append(conns, s.dial("GET /mcp HTTP/1.1\r\nHost: localhost\r\n"+strings.Join(session, "\r\n")+"\r\n\r\n"))
		listen := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+statelessMeta+`}}}`, i)
		conns = append(conns, s.dial(rawPost(listen, statelessHeaders("subscriptions/listen", "")...)))
	}
	var readers []*lines
	for _, conn := range conns {
		l := linesOf(s.t, conn)
		l.want("HTTP/1.1 200 OK")
		readers = append(readers, l)
	}
	await.Until(s.t, "all are there", func() bool { return s.handler.running.Load() == int64(2*many) })
	s.alive()
	s.Server.ToolsChanged()
	for _, l := range readers {
		l.find("notifications/tools/list_changed")
	}
	for _, conn := range conns {
		conn.Close()
	}
	for _, session := range opened {
		if a := s.send("DELETE", "", session...); a.status != http.StatusNoContent {
			s.t.Error(a)
		}
	}
	await.Until(s.t, "all are gone", func() bool { return s.handler.running.Load() == 0 && s.handler.sessions.count() == 0 })
	s.Client.CloseIdleConnections()
}

// count returns how many sessions there are.
func (t *sessions) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.opened
}

// TestVanishing: clients that are gone in the middle of a call keep nothing; in a session their calls go on until it ends.
func TestVanishing(t *testing.T) {
	const many = 100
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	for i := range many {
		s.raw(rawPost(statelessCall(i, "wait", ""), statelessHeaders("tools/call", "wait")...))
		s.raw(rawPost(sessionCallOf(fmt.Sprint(i), "wait", ""), session...))
	}
	for range 2 * many {
		<-s.Begun
	}
	s.HTTP.CloseClientConnections()
	s.Client.CloseIdleConnections()
	for range many {
		<-s.Cancelled
	}
	s.Client.CloseIdleConnections() // they are not idle any more, but closed
	await.Until(t, "the calls of the session are left", func() bool { return s.handler.running.Load() == many })
	s.alive()
	s.send("DELETE", "", session...)
	for range many {
		<-s.Cancelled
	}
	await.Until(t, "none is left", func() bool { return s.handler.running.Load() == 0 })
}

// TestSlowReader: a client that does not read what is sent loses its connection, and other clients
// are not delayed.
func TestSlowReader(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{WriteTimeout: 200 * time.Millisecond, ReplayBytes: 1 << 20})
	s.raw(rawPost(statelessCall(1, "flood", `,"progressToken":1`), statelessHeaders("tools/call", "flood")...))
	<-s.Begun
	s.alive()
	if err := <-s.Cancelled; !strings.Contains(err.Error(), "closed") && err != context.Canceled {
		t.Error(err)
	}
	session := s.begin("2025-11-25")
	s.raw(rawPost(sessionCallOf("1", "flood", `,"_meta":{"progressToken":1}`), session...))
	<-s.Begun
	s.alive()
	if err := <-s.Cancelled; err.Error() != "the flood was not stopped" {
		t.Error("a call of a session goes on without its reader:", err)
	}
	kept := s.handler.sessions.find(strings.TrimPrefix(session[0], "Mcp-Session-Id: "), "")
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.store.bytes > 1<<20 {
		t.Error("kept", kept.store.bytes)
	}
}

// TestDeafCaller: a client that sends requests without reading the answers loses its connection.
func TestDeafCaller(t *testing.T) {
	for name, size := range map[string]int{"small": 1, "large": 12 << 10} {
		t.Run(name, func(t *testing.T) { testDeafCaller(t, size) })
	}
}

func testDeafCaller(t *testing.T, size int) {
	s := newSite(t, newWorkshop(), Options{WriteTimeout: 200 * time.Millisecond})
	arguments := `,"arguments":{"text":"` + strings.Repeat("x", size) + `"}`
	session := s.begin("2025-11-25")
	stateless := strings.Replace(statelessCall(1, "echo", ""), `"name":"echo"`, `"name":"echo"`+arguments, 1)
	inSession := strings.Replace(sessionCallOf("1", "echo", ""), `"name":"echo"`, `"name":"echo"`+arguments, 1)
	for era, text := range map[string]string{
		"stateless": rawPost(stateless, statelessHeaders("tools/call", "echo")...), "session": rawPost(inSession, session...),
	} {
		conn := s.raw(text)
		conn.SetWriteDeadline(time.Now().Add(5 * time.Minute)) // instead of for ever
		var err error
		for err == nil {
			_, err = io.WriteString(conn, text)
		}
		if os.IsTimeout(err) {
			t.Errorf("%s: the connection is kept", era)
		}
		s.alive()
		await.Until(t, "nothing runs", func() bool { return s.handler.running.Load() == 0 })
	}
}

// TestSlowWriter: the server does not wait for a client that does not send the body that it has
// announced.
func TestSlowWriter(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{BodyTimeout: 100 * time.Millisecond})
	for _, head := range []string{"Content-Length: 100", "Transfer-Encoding: chunked"} {
		conn := s.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + head + "\r\n\r\n")
		s.alive()
		if got := status(t, conn); got != 400 {
			t.Error(head, got)
		}
	}
}

// TestMalformed: whatever a body is, there is an answer.
func TestMalformed(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{MaxBody: 1 << 10})
	session := s.begin("2025-11-25")
	bodies := []string{
		"", " ", "{", "}", "[", "]", "null", "0", `""`, "\x00", "\xff\xfe", "\ufeff{}", "{}", "[]", "[[]]", "[{}]", "[1,2]", `{"jsonrpc":"2.0"}`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":7}`, `{"jsonrpc":"2.0","id":1,"method":"ping","params":7}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":1,"error":1}`,
		`{"jsonrpc":"2.0","method":"tools/call"}`, `{"id":1,"method":"initialize"}`, strings.Repeat("[", 1000), strings.Repeat(" ", 2000),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}`, `{"jsonrpc":"2.0","id":"` + "\x01" + `","method":"ping"}`,
	}
	for _, body := range bodies {
		for era, headers := range map[string][]string{
			"none": nil, "session": session, "stateless": statelessHeaders("ping", ""), "both": append(session, "MCP-Protocol-Version: 2026-07-28"),
		} {
			a := s.send("POST", body, headers...)
			if a.status < 200 || a.status > 499 || a.body != "" && !strings.Contains(a.body, `"jsonrpc":"2.0"`) || a.status == 200 && a.body == "" {
				t.Errorf("%s %q: %d %s", era, body, a.status, a.body)
			}
			if a.status == 200 && strings.Contains(a.body, `"result"`) {
				t.Errorf("%s %q was served: %s", era, body, a.body)
			}
		}
	}
	for _, request := range []string{
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{}",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n" + strings.Repeat("x", 0x800) + "\r\n0\r\n\r\n",
	} {
		conn := s.raw(request)
		conn.(*net.TCPConn).CloseWrite()
		if got := status(t, conn); got != 400 && got != 413 {
			t.Errorf("%.120q: %d", request, got)
		}
	}
	s.alive()
}

// TestPanics: a tool that panics affects only its own call.
func TestPanics(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	session := s.begin("2025-11-25")
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			tool, want := "echo", `"result"`
			if i%2 == 0 {
				tool, want = "panic", `-32603`
			}
			for _, a := range []answer{s.callStateless(tool), s.send("POST", sessionCallOf(fmt.Sprint(i), tool, ""), session...)} {
				if a.status != 200 || !strings.Contains(a.body, want) {
					t.Error(tool, a)
				}
			}
		})
	}
	all.Wait()
}

// TestIdle: a session that is not used ends after a while; one with an open stream is not idle.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = time.Minute
		s := newSiteInMemory(t, newWorkshop(), Options{SessionIdle: limit})
		idle, used := s.begin("2025-11-25"), s.begin("2025-11-25")
		resp := s.open(context.Background(), "GET", "", used...)
		go io.Copy(io.Discard, resp.Body)
		time.Sleep(limit + 1)
		for status, session := range map[int][]string{404: idle, 200: used} {
			if a := s.send("POST", sessionCallOf("1", "echo", ""), session...); a.status != status {
				t.Error(a)
			}
		}
		resp.Body.Close()
		time.Sleep(limit + 1)
		synctest.Wait()
		if n := s.handler.sessions.count(); n != 0 {
			t.Error(n, "sessions are left")
		}
	})
}

// TestKeepAlive: quiet streams are kept open, in both eras.
func TestKeepAlive(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{KeepAlive: 10 * time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	session := s.begin("2025-11-25")
	for name, resp := range map[string]*http.Response{
		"stateless":  s.open(ctx, "POST", statelessCall(1, "slow", `,"progressToken":1`), statelessHeaders("tools/call", "slow")...),
		"session":    s.open(ctx, "POST", sessionCallOf("1", "slow", `,"_meta":{"progressToken":1}`), session...),
		"standalone": s.open(ctx, "GET", "", session...),
	} {
		t.Run(name, func(t *testing.T) {
			defer resp.Body.Close()
			l := linesOf(t, resp.Body)
			for quiet := 0; quiet < 5; {
				if !l.Scan() {
					t.Fatal(l.Err())
				}
				if l.Text() == ":" {
					quiet++
				}
			}
		})
	}
}

// TestReplayBound: events that do not fit are dropped, oldest first, and a client that asks for one
// of them gets an error.
func TestReplayBound(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{ReplayBytes: 300})
	session := s.begin("2025-11-25")
	resp := s.open(context.Background(), "POST", sessionCallOf("1", "leave", ""), session...)
	l := linesOf(t, resp.Body)
	first := l.want("id: ")
	resp.Body.Close()
	for range 20 {
		s.Server.ToolsChanged()
		time.Sleep(time.Millisecond)
	}
	await.Until(t, "the first event is lost", func() bool {
		resp := s.open(context.Background(), "GET", "", append(session, "Last-Event-ID: "+first)...)
		defer resp.Body.Close()
		s.Server.ToolsChanged()
		return resp.StatusCode == 400
	})
	resp = s.open(context.Background(), "GET", "", session...)
	defer resp.Body.Close()
	linesOf(t, resp.Body).want("id: 0-") // what is left on the separate stream arrives nevertheless
}

// TestShutdownWaits: what is in flight is answered, and nothing new is begun.
func TestShutdownWaits(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{Retry: time.Millisecond})
	session := s.begin("2025-11-25")
	standalone := s.open(context.Background(), "GET", "", session...)
	defer standalone.Body.Close()
	done := make(chan answer)
	go func() { done <- s.send("POST", sessionCallOf("1", "wait", ""), session...) }()
	<-s.Begun
	ended := make(chan error)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- s.handler.Shutdown(ctx) }()
	linesOf(t, standalone.Body).end()
	await.Until(t, "503", func() bool { return s.callStateless("echo").status == 503 })
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Error(err)
	}
	if err := <-s.Cancelled; err != errSessionOver {
		t.Error(err)
	}
	if a := <-done; a.status != 200 {
		t.Error(a)
	}
	await.Until(t, "nothing runs", func() bool { return s.handler.running.Load() == 0 })
}
