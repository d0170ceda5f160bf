package mcphttp

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
)

// rawCaller posts the same bytes again and again over one connection, as cheaply as can be: what is measured is the server.
type rawCaller struct {
	conn    net.Conn
	request []byte
	buf     []byte
}

func newRawCaller(b *testing.B, addr, headers, body string) *rawCaller {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
		headers + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
	return &rawCaller{conn, []byte(head + body), make([]byte, 0, 4<<10)}
}

// call reads one response, whose header says how long it is.
func (c *rawCaller) call(b *testing.B) {
	if _, err := c.conn.Write(c.request); err != nil {
		b.Error(err)
		return
	}
	c.buf = c.buf[:0]
	for {
		n, err := c.conn.Read(c.buf[len(c.buf):cap(c.buf)])
		c.buf = c.buf[:len(c.buf)+n]
		if err != nil {
			b.Error(err, string(c.buf))
			return
		}
		if head := bytes.Index(c.buf, []byte("\r\n\r\n")); head > 0 {
			_, rest, _ := bytes.Cut(c.buf[:head], []byte("Content-Length: "))
			length, _, _ := bytes.Cut(rest, []byte("\r\n"))
			size, err := strconv.Atoi(string(length))
			if err != nil {
				b.Error(string(c.buf))
				return
			}
			if len(c.buf) == head+4+size {
				return
			}
		}
	}
}

// benchmarkCallers measures calls of 16 callers, to each of which caller gives the headers and the message of its calls.
func benchmarkCallers(b *testing.B, h http.Handler, caller func() (headers, body string)) {
	s := httptest.NewServer(h)
	defer s.Close()
	const callers = 16
	b.SetParallelism(callers / 2)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		headers, body := caller()
		c := newRawCaller(b, s.Listener.Addr().String(), headers, body)
		defer c.conn.Close()
		for pb.Next() {
			c.call(b)
		}
	})
}

// BenchmarkCallers compares a tools/call with a handler that reads the same body, and answers the same bytes without looking at it, and with a call of
// a session, in a handler without replicas and at the home of the session.
func BenchmarkCallers(b *testing.B) {
	h := NewHandler(newWorkshop().Server, Options{})
	defer h.Close()
	stateless := func() (headers, body string) {
		return "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n", statelessCall(1, "echo", "")
	}
	b.Run("tools", func(b *testing.B) { benchmarkCallers(b, h, stateless) })
	b.Run("session", func(b *testing.B) { benchmarkCallers(b, h, inSession(b, h)) })
	home := NewHandler(newWorkshop().Server, Options{Replicas: mcpcluster.New(mcpcluster.NewMemory())})
	defer home.Close()
	b.Run("home", func(b *testing.B) { benchmarkCallers(b, home, inSession(b, home)) })
	b.Run("canned", func(b *testing.B) {
		r := httptest.NewRequest("POST", "/mcp", bytes.NewReader([]byte(statelessCall(1, "echo", ""))))
		r.Header = http.Header{"Content-Type": {typeJSON}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"}}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		answer := w.Body.Bytes()
		if w.Code != 200 {
			b.Fatal(string(answer))
		}
		benchmarkCallers(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			w.Write(answer)
		}), stateless)
	})
}

// inSession gives each caller a session of its own.
func inSession(b *testing.B, h *Handler) func() (headers, body string) {
	return func() (headers, body string) {
		return "Mcp-Session-Id: " + beginAt(b, h) + "\r\n", sessionCallOf("1", "echo", "")
	}
}

// BenchmarkServe is the handler without a network.
func BenchmarkServe(b *testing.B) {
	h := NewHandler(newWorkshop().Server, Options{})
	defer h.Close()
	body := []byte(statelessCall(1, "echo", ""))
	reader := bytes.NewReader(body)
	r := httptest.NewRequest("POST", "/mcp", reader)
	r.ContentLength = int64(len(body))
	r.Header = http.Header{
		"Content-Type": {typeJSON}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"},
	}
	w := &nowhere{header: make(http.Header)}
	b.ReportAllocs()
	for b.Loop() {
		reader.Reset(body)
		h.ServeHTTP(w, r)
	}
	if w.status != 200 {
		b.Error(w.status)
	}
}

// nowhere has the deadlines of net/http's writer, which cost nothing.
type nowhere struct {
	header http.Header
	status int
}

func (w *nowhere) SetReadDeadline(time.Time) error  { return nil }
func (w *nowhere) SetWriteDeadline(time.Time) error { return nil }
func (w *nowhere) Flush()                           {}

func (w *nowhere) Header() http.Header         { return w.header }
func (w *nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (w *nowhere) WriteHeader(status int)      { w.status = status }

// BenchmarkClient is both sides.
func BenchmarkClient(b *testing.B) {
	h := NewHandler(newWorkshop().Server, Options{})
	defer h.Close()
	s := httptest.NewServer(h)
	defer s.Close()
	conn, err := Dial(s.URL, ClientOptions{})(context.Background(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.(io.Closer).Close()
	ctx := protocol.WithHeaders(context.Background(), []protocol.Header{
		{Name: "MCP-Protocol-Version", Value: "2026-07-28"}, {Name: "Mcp-Method", Value: "tools/call"}, {Name: "Mcp-Name", Value: "echo"},
	})
	msg := []byte(statelessCall(1, "echo", ""))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conn.Call(ctx, 1, msg); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSession measures a tools/call of a session: in a handler without replicas, at the home of the session, and at another replica, which
// passes it on.
func BenchmarkSession(b *testing.B) {
	for _, way := range []string{"alone", "home", "elsewhere"} {
		b.Run(way, func(b *testing.B) {
			var o Options
			if way != "alone" {
				o.Replicas = mcpcluster.New(mcpcluster.NewMemory())
			}
			first := NewHandler(newWorkshop().Server, o)
			defer first.Close()
			session := beginAt(b, first)
			at := first
			if way == "elsewhere" {
				at = NewHandler(newWorkshop().Server, o)
				defer at.Close()
			}
			b.ReportAllocs()
			for b.Loop() {
				if w := post(at, sessionCallOf("1", "echo", ""), session); w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

// post serves a message of a session.
func post(h *Handler, msg, session string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(msg))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	h.ServeHTTP(w, r)
	return w
}

// beginAt opens a session, and returns its id.
func beginAt(b *testing.B, h *Handler) string {
	w := post(h, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}`, "")
	id := w.Header().Get("Mcp-Session-Id")
	if id == "" {
		b.Fatal(w.Code, w.Body)
	}
	return id
}
