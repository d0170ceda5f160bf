package streams

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

// site is a server over HTTP.
type site struct {
	*httptest.Server
	t *testing.T
}

// serveHTTP serves streams of a server over HTTP.
func serveHTTP(t *testing.T, server rpc.Server, o rpchttp.Options, prepare ...func(s *httptest.Server)) site {
	t.Helper()
	o.Runtime.Logger = quiet
	s := httptest.NewUnstartedServer(rpchttp.NewHandler(rpc.NewHandler(server), o))
	for _, f := range prepare {
		f(s)
	}
	if s.EnableHTTP2 {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return site{s, t}
}

func overHTTP2(s *httptest.Server) { s.EnableHTTP2 = true }

// client returns a generated client.
func (s site) client(o rpchttp.ClientOptions) *rpc.Client {
	s.t.Helper()
	o.HTTP = s.Client()
	conn, err := rpchttp.Dial(s.URL, o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return rpc.NewClient(conn)
}

// post sends a message, with an Accept header unless it is empty.
func (s site) post(accept, token, msg string) (status int, header http.Header, body string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.URL, strings.NewReader(msg))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := s.Client().Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

// TestHTTP: over HTTP, items come in their order, then the result, and who leaves the loop ends the stream at the server.
func TestHTTP(t *testing.T) {
	for name, prepare := range map[string]func(*httptest.Server){"HTTP/1.1": func(*httptest.Server) {}, "HTTP/2": overHTTP2} {
		t.Run(name, func(t *testing.T) {
			s := service{ended: make(chan error, 1000)}
			client := serveHTTP(t, noting{s}, rpchttp.Options{}, prepare).client(rpchttp.ClientOptions{})
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					next := uint64(0)
					tail := client.OpenLogsTail(t.Context(), rpc.LogsTailParams{File: "a", Most: runtime.Some[uint64](300)})
					for line, err := range tail.All() {
						if err != nil || line.Seq != next || line.Text != "line" {
							t.Error(line, err)
							return
						}
						next++
					}
					if result, err := tail.Result(); err != nil || result.Lines != 300 || next != 300 {
						t.Error(result, err, next)
					}
					if err := <-s.ended; err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			for line, err := range client.LogsTail(t.Context(), rpc.LogsTailParams{File: "a"}) {
				if err != nil {
					t.Fatal(err)
				}
				if line.Seq == 10 {
					break
				}
			}
			if err := <-s.ended; !errors.Is(err, context.Canceled) && !errors.Is(err, runtime.ErrClosed) { // what it was sending when its client left
				t.Error(err)
			}
			for line, err := range client.LogsTail(t.Context(), rpc.LogsTailParams{File: "none"}) {
				if declared, ok := errors.AsType[*rpc.NoFileError](err); !ok || declared.File != "none" {
					t.Error(line, err)
				}
			}
			<-s.ended
			var last rpc.Change
			for change, err := range client.Changes(t.Context()) {
				if last = change; err != nil {
					t.Error(err)
				}
			}
			if _, ok := last.(*rpc.Added); !ok {
				t.Errorf("%T", last)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			why := errors.New("enough")
			var end error
			for line, err := range client.LogsTail(ctx, rpc.LogsTailParams{File: "a"}) {
				if end = err; line.Seq == 5 {
					cancel(why)
				}
			}
			if end != why {
				t.Error(end)
			}
			if err := <-s.ended; err == nil {
				t.Error("a handler went on")
			}
		})
	}
}

// TestHTTPSlow: a loop that sleeps slows the server down, and loses nothing; where the oldest items go, it learns how many.
func TestHTTPSlow(t *testing.T) {
	const most, buffer = 20_000, 16 << 10 // lines, of some 90 bytes each, and what the system keeps of them on each side
	s := service{ended: make(chan error, 1)}
	at := serveHTTP(t, noting{s}, rpchttp.Options{}, func(s *httptest.Server) {
		s.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
			c.(*net.TCPConn).SetWriteBuffer(buffer)
			return ctx
		}
	})
	at.Client().Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			c.(*net.TCPConn).SetReadBuffer(buffer)
		}
		return c, err
	}
	client := at.client(rpchttp.ClientOptions{})
	next := uint64(0)
	slow := client.OpenLogsTail(t.Context(), rpc.LogsTailParams{File: "a", Most: runtime.Some[uint64](most)})
	for line, err := range slow.All() {
		if err != nil || line.Seq != next {
			t.Fatal(line, next, err)
		}
		if next++; next == 1 {
			for range 100 {
				if _, err := client.Count(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			select {
			case err := <-s.ended:
				t.Error("the server did not wait", err)
			default:
			}
		}
	}
	if _, err := slow.Result(); err != nil || next != most || slow.Missed() != 0 {
		t.Error(err, next, slow.Missed())
	}
	changes, taken := client.OpenChanges(t.Context()), 0
	for _, err := range changes.All() {
		if taken++; err != nil {
			t.Error(err)
		}
	}
	if taken+changes.Missed() != 10 {
		t.Error(taken, changes.Missed())
	}
}

// TestAccept: the method decides what is answered, then the header.
func TestAccept(t *testing.T) {
	s := serveHTTP(t, service{}, rpchttp.Options{CompressFrom: 1, AllowedOrigins: []string{"*"}})
	const changes, count, none = `{"jsonrpc":"2.0","id":"x","method":"changes"}`, `{"jsonrpc":"2.0","id":1,"method":"count"}`,
		`{"jsonrpc":"2.0","id":1,"method":"logs/tail","params":{"file":"none"}}`
	for _, test := range []struct {
		accept, msg string
		status      int
		mediaType   string
		want        string
	}{
		{"application/json, text/event-stream", changes, 200, "text/event-stream", `data: {"jsonrpc":"2.0","id":"x","result":{}}` + "\n\n"},
		{"text/*", changes, 200, "text/event-stream", `data: {"jsonrpc":"2.0","method":"rpc.item","params":{"id":"x","item":{"kind":"added","name":"new"}}}` + "\n\n"},
		{"", changes, 200, "text/event-stream", "data: "},
		{"application/json", changes, 406, "application/json", `"id":"x","error":{"code":-32600,"message":"Stream unsupported: the header Accept has to list text/event-stream`},
		{"text/event-stream;q=0", changes, 406, "application/json", `has to list text/event-stream"`},
		{"application/json, text/event-stream", count, 200, "application/json", `"result":{"n":7}`},
		{"text/event-stream", count, 200, "application/json", `"result":{"n":7}`},
		{"text/event-stream", none, 200, "application/json", `"code":7`},
		{"text/event-stream", `{"jsonrpc":"2.0","id":1,"method":"logs/tail","params":{}}`, 200, "application/json", `"code":-32602`},
		{"text/event-stream", `{"jsonrpc":"2.0","method":"logs/tail","params":{"file":"a","most":0},"id":5}`, 200, "text/event-stream",
			`data: {"jsonrpc":"2.0","id":5,"result":{"lines":0}}` + "\n\n"},
		{"text/event-stream", `{"jsonrpc":"2.0","id":1,"method":"points"}`, 406, "application/json", `Stream unsupported: it needs a session, as over TCP or WebSocket, or HTTP if it is declared with by: request`},
		{"text/event-stream", `{"jsonrpc":"2.0","method":"changes"}`, 204, "", ""},
		{"text/event-stream", `[` + changes + `,` + count + `]`, 200, "application/json", `[{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"Invalid request: a stream needs a session, ` +
			`or a request of its own over HTTP, and is not part of a batch"}},{"jsonrpc":"2.0","id":1,"result":{"n":7}}]`},
	} {
		status, header, body := s.post(test.accept, "", test.msg)
		if status != test.status || header.Get("Content-Type") != test.mediaType || !strings.Contains(body, test.want) {
			t.Errorf("%s %s: %d %s %s", test.accept, test.msg, status, header.Get("Content-Type"), body)
		}
		if test.mediaType == "text/event-stream" && (header.Get("X-Accel-Buffering") != "no" || header.Get("Cache-Control") != "no-cache, no-transform") {
			t.Error(header)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(changes))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", "https://app.example.com")
	r.Header.Set("Accept-Encoding", "gzip")
	resp, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if h := resp.Header; h.Get("Access-Control-Allow-Origin") == "" || h.Get("Content-Encoding") != "" || h.Get("Content-Type") != "text/event-stream" {
		t.Error(h)
	}
	for point, err := range s.client(rpchttp.ClientOptions{}).Points(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), "declared with by: request") {
			t.Error(point, err)
		}
	}
}

// waiting serves streams that stay open, and tells of whom they are.
type waiting struct {
	service
	begun chan string
}

func (w waiting) LogsTail(ctx context.Context, _ rpc.LogsTailParams, out rpc.LogsTailStream) (rpc.LogsTailResult, error) {
	if err := out.Send(ctx, rpc.Line{}); err != nil {
		return rpc.LogsTailResult{}, err
	}
	w.begun <- principal.From(ctx)
	<-ctx.Done()
	w.ended <- context.Cause(ctx)
	return rpc.LogsTailResult{}, ctx.Err()
}

// TestHTTPLimits: streams count for their principal, and no longer as calls.
func TestHTTPLimits(t *testing.T) {
	w := waiting{service{ended: make(chan error, 9)}, make(chan string, 9)}
	s := serveHTTP(t, w, rpchttp.Options{
		Runtime: runtime.Options{MaxStreams: 2}, MaxCallsPerClient: 1, Auth: rpchttp.Tokens(map[string]string{"a": "ann", "b": "bob"}),
	})
	ctx, leave := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	open := func(name string) {
		client := s.client(rpchttp.ClientOptions{Token: rpchttp.StaticToken(name[:1])})
		readers.Go(func() {
			for range client.LogsTail(ctx, rpc.LogsTailParams{File: "a"}) {
			}
		})
		if got := <-w.begun; got != name {
			t.Error(got)
		}
	}
	open("ann")
	open("ann")
	const tail = `{"jsonrpc":"2.0","id":1,"method":"logs/tail","params":{"file":"a"}}`
	status, header, body := s.post("", "a", tail)
	if status != 503 || header.Get("Retry-After") == "" || !strings.Contains(body, `"id":1,"error":{"code":-32000,"message":"Overloaded: this client has too many streams"`) {
		t.Error(status, header, body)
	}
	if status, _, body := s.post("", "a", `{"jsonrpc":"2.0","id":1,"method":"count"}`); status != 200 || !strings.Contains(body, `"n":7`) {
		t.Error(status, body)
	}
	open("bob")
	leave()
	readers.Wait()
	for range 3 {
		if err := <-w.ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// echoing sends a line for each one that it gets.
type echoing struct {
	service
	lines chan rpc.Line
}

func (e echoing) LogsTail(ctx context.Context, _ rpc.LogsTailParams, out rpc.LogsTailStream) (result rpc.LogsTailResult, err error) {
	defer close(e.ended)
	for {
		select {
		case line, ok := <-e.lines:
			if !ok {
				return result, nil
			}
			if err := out.Send(ctx, line); err != nil {
				return result, err
			}
			result.Lines++
		case <-ctx.Done():
			return result, ctx.Err()
		}
	}
}

// send has the handler send a line, unless it has returned.
func (e echoing) send(n uint64) {
	select {
	case e.lines <- rpc.Line{Seq: n}:
	case <-e.ended:
	}
}

// TestProxy: an item comes through a proxy before the next one is sent.
func TestProxy(t *testing.T) {
	for name, interval := range map[string]time.Duration{"buffers": 0, "flushes": -1, "flushes at times": time.Hour} {
		t.Run(name, func(t *testing.T) {
			e := echoing{service{ended: make(chan error)}, make(chan rpc.Line)}
			s := serveHTTP(t, e, rpchttp.Options{})
			at, err := url.Parse(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: interval, Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(at)
				body, err := io.ReadAll(r.In.Body) // net/http closes it when it writes the response, and may still read it for the request
				if err != nil {
					t.Error(err)
				}
				r.Out.Body = io.NopCloser(bytes.NewReader(body))
			}})
			defer proxy.Close()
			tail := site{proxy, t}.client(rpchttp.ClientOptions{}).OpenLogsTail(t.Context(), rpc.LogsTailParams{File: "a"})
			e.send(0)
			for line, err := range tail.All() {
				if err != nil {
					t.Fatal(err)
				}
				if line.Seq == 5 {
					close(e.lines)
				} else {
					e.send(line.Seq + 1)
				}
			}
			if result, err := tail.Result(); err != nil || result.Lines != 6 {
				t.Error(result, err)
			}
		})
	}
}

// large sends an item that is larger than a message may be, and tells what that gave.
type large struct{ service }

func (l large) Echoed(context.Context) (rpc.EchoedResult, error) { panic("not called") }

func (l large) LogsTail(ctx context.Context, _ rpc.LogsTailParams, out rpc.LogsTailStream) (rpc.LogsTailResult, error) {
	l.ended <- out.Send(ctx, rpc.Line{Text: strings.Repeat("x", 100)})
	return rpc.LogsTailResult{}, out.Send(ctx, rpc.Line{Text: "short"})
}

// TestHTTPMaxMessage: an item over the limit is an error of Send, and the stream goes on.
func TestHTTPMaxMessage(t *testing.T) {
	l := large{service{ended: make(chan error, 1)}}
	s := serveHTTP(t, l, rpchttp.Options{Runtime: runtime.Options{MaxMessage: 120}})
	for line, err := range s.client(rpchttp.ClientOptions{}).LogsTail(t.Context(), rpc.LogsTailParams{File: "a"}) {
		if err != nil || line.Text != "short" {
			t.Error(line, err)
		}
	}
	if _, ok := errors.AsType[*frame.TooLargeError](<-l.ended); !ok {
		t.Error("an item over the limit was sent")
	}
}
