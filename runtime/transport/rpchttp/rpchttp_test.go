package rpchttp

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/internal/limits"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/transport/transporttest"
	"github.com/rpcgen-go/rpcgen/test/await"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestLimitsOfSecurity: SECURITY.md has the defaults of all limits.
func TestLimitsOfSecurity(t *testing.T) {
	limits.Check(t, "../../../SECURITY.md", "rpchttp.Options.", limits.Fields(Options{}.withDefaults()))
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// site is a server under test.
type site struct {
	t       *testing.T
	handler *Handler
	http    *httptest.Server
	client  *http.Client
}

func newSite(t *testing.T, h runtime.Handler, o Options) *site {
	t.Helper()
	o.Runtime.Logger = quiet
	handler := NewHandler(h, o)
	s := &site{t, handler, httptest.NewServer(handler), &http.Client{Transport: &http.Transport{DisableCompression: true}}}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		s.http.CloseClientConnections()
		s.http.Close()
		s.idle()
	})
	return s
}

// idle waits until no request is served, and none is counted.
func (s *site) idle() {
	s.t.Helper()
	await.Until(s.t, "nothing runs", func() bool {
		all, clients := s.handler.calls.Count()
		return s.handler.running.Load() == 0 && all == 0 && clients == 0
	})
}

// dial returns a connection to the site.
func (s *site) dial(o ClientOptions) *Conn {
	s.t.Helper()
	c, err := Dial(s.http.URL, o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}

// reply is an HTTP response that was read.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a request with headers, each as "Name: value"; one without a value is left out.
func (s *site) send(method, body string, headers ...string) reply {
	s.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, s.http.URL, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(text)}
}

// gone is a declared error with a status of HTTP.
type gone struct{}

func (gone) Error() string { return "gone" }
func (gone) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: 7, Message: "gone", HTTPStatus: 410}
}

// office is a service: cities whose names say what happens.
func office() *weather.Server {
	return &weather.Server{
		Way: runtime.Plain, Conditions: true,
		Ping:  func(context.Context) error { return nil },
		Watch: func(context.Context, weather.CurrentParams) error { return nil },
		Current: func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
			switch p.City {
			case "gone":
				return weather.Report{}, gone{}
			case "panic":
				panic("a handler that panics")
			case "goexit":
				goruntime.Goexit()
			case "wait":
				<-ctx.Done()
				return weather.Report{}, ctx.Err()
			case "peer":
				p.City = fmt.Sprint(runtime.PeerFrom(ctx), runtime.MethodFrom(ctx), runtime.RequestIDFrom(ctx))
			}
			return weather.Report{City: strings.Repeat(p.City, int(max(p.Days, 1)))}, nil
		},
	}
}

const (
	ping   = `{"jsonrpc":"2.0","id":1,"method":"weather/ping"}`
	pinged = `{"jsonrpc":"2.0","id":1,"result":{}}`
)

func current(city string, days int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":%q,"days":%d}}`, city, days)
}

func TestContract(t *testing.T) {
	for name, start := range map[string]func(s *httptest.Server){
		"http": func(s *httptest.Server) { s.Start() },
		"http2": func(s *httptest.Server) {
			s.EnableHTTP2 = true
			s.StartTLS()
		},
	} {
		for _, o := range []ClientOptions{{}, {Gather: func(string) bool { return true }}} {
			run := name
			if o.Gather != nil {
				run += ", gathered"
			}
			t.Run(run, func(t *testing.T) { contract(t, start, o) })
		}
	}
}

// contract runs the suite of transports against a server that start has started.
func contract(t *testing.T, start func(s *httptest.Server), o ClientOptions) {
	o.MaxMessage = transporttest.MaxFrame
	transporttest.Run(t, transporttest.Transport{Calls: func(t testing.TB, h, _ runtime.Handler) runtime.Conn {
		s := httptest.NewUnstartedServer(NewHandler(h, Options{
			MaxBody: transporttest.MaxFrame, Runtime: runtime.Options{Logger: quiet, MaxMessage: transporttest.MaxFrame},
		}))
		start(s)
		o := o
		if s.EnableHTTP2 {
			o.HTTP = s.Client()
		}
		c, err := Dial(s.URL, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			c.Close()
			s.Close()
		})
		return c
	}})
}

// TestStatus: the answers of the table in the package's documentation to single requests.
func TestStatus(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{MaxBody: 1 << 10})
	for name, c := range map[string]struct {
		method, body string
		headers      []string
		status       int
		want         string // in the body; empty if there is none
	}{
		"a result":            {"POST", ping, nil, 200, pinged},
		"charset":             {"POST", ping, []string{"Content-Type: application/json; charset=utf-8"}, 200, pinged},
		"no peer":             {"POST", current("peer", 1), nil, 200, `<nil>weather/current1`},
		"a declared status":   {"POST", current("gone", 1), nil, 410, `"code":7`},
		"in a batch":          {"POST", "[" + current("gone", 1) + "," + ping + "]", nil, 200, pinged},
		"a panic":             {"POST", current("panic", 1), nil, 200, "-32603"},
		"a goroutine's end":   {"POST", current("goexit", 1), nil, 200, "-32603"},
		"unknown method":      {"POST", `{"jsonrpc":"2.0","id":1,"method":"x"}`, nil, 200, "-32601"},
		"a notification":      {"POST", `{"jsonrpc":"2.0","method":"weather/ping"}`, nil, 204, ""},
		"notifications":       {"POST", `[{"jsonrpc":"2.0","method":"weather/ping"}]`, nil, 204, ""},
		"no JSON":             {"POST", "{", nil, 200, "-32700"},
		"nothing":             {"POST", "", nil, 200, "-32700"},
		"no message":          {"POST", "{}", nil, 200, "-32600"},
		"an empty batch":      {"POST", "[]", nil, 200, "-32600"},
		"a response":          {"POST", `{"jsonrpc":"2.0","id":1,"result":1}`, nil, 200, "-32600"},
		"invalid UTF-8":       {"POST", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", nil, 200, "-32700"},
		"GET":                 {"GET", "", nil, 405, "this URL serves POST"},
		"OPTIONS":             {"OPTIONS", "", nil, 405, "this URL serves POST"},
		"text":                {"POST", ping, []string{"Content-Type: text/plain"}, 415, "the Content-Type of a message is application/json"},
		"a type of the draft": {"POST", ping, []string{"Content-Type: application/json-rpc"}, 200, pinged},
		"the other one":       {"POST", ping, []string{"Content-Type: Application/JSONRequest; charset=utf-8"}, 200, pinged},
		"a form":              {"POST", ping, []string{"Content-Type: application/x-www-form-urlencoded"}, 415, "Content-Type"},
		"no type":             {"POST", ping, []string{"Content-Type"}, 415, "Content-Type"},
		"brotli":              {"POST", ping, []string{"Content-Encoding: br"}, 415, "gzip or identity"},
		"gzip twice":          {"POST", ping, []string{"Content-Encoding: gzip, gzip"}, 415, "gzip or identity"},
		"no gzip":             {"POST", ping, []string{"Content-Encoding: gzip"}, 400, "could not be read"},
		"gzip, cut off":       {"POST", zip(ping)[:30], []string{"Content-Encoding: gzip"}, 400, "could not be read"},
		"gzip":                {"POST", zip(ping), []string{"Content-Encoding: GZIP"}, 200, pinged},
		"byte order mark":     {"POST", "\ufeff" + ping, nil, 200, pinged},
		"mark in gzip":        {"POST", zip("\ufeff" + ping), []string{"Content-Encoding: gzip"}, 200, pinged},
		"identity":            {"POST", ping, []string{"Content-Encoding: identity"}, 200, pinged},
		"too large":           {"POST", strings.Repeat(" ", 1<<10) + ping, nil, 413, `"maxSize":1024`},
		"a gzip bomb":         {"POST", zip(strings.Repeat(" ", 100<<10)), []string{"Content-Encoding: gzip"}, 413, `"maxSize":1024`},
		"gzip at the limit":   {"POST", zip(strings.Repeat(" ", 1<<10-len(ping)) + ping), []string{"Content-Encoding: gzip"}, 200, pinged},
		"another site":        {"POST", ping, []string{"Origin: https://evil.example.com"}, 403, "may not use this server"},
		"a rebound name":      {"POST", ping, []string{"Host: evil.example.com"}, 403, "not one of this server"},
		"preflight of other":  {"OPTIONS", "", []string{"Origin: https://evil.example.com", "Access-Control-Request-Method: POST"}, 403, "may not use"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.send(c.method, c.body, c.headers...)
			if got.status != c.status || !strings.Contains(got.body, c.want) || (got.body == "") != (c.want == "") {
				t.Errorf("got %d %s", got.status, got.body)
			}
			if got.body != "" && (got.header.Get("Content-Type") != "application/json" || !strings.Contains(got.body, `"jsonrpc":"2.0"`)) {
				t.Errorf("got %v %s", got.header, got.body)
			}
			if c.status == 405 && got.header.Get("Allow") != "POST" || strings.Contains(name, "brotli") && got.header.Get("Accept-Encoding") != "gzip" {
				t.Error(got.header)
			}
		})
	}
}

// zip returns s in gzip.
func zip(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.String()
}

// TestHugeBomb: what expands to more than the limit is not expanded any further: damage after it is not found.
func TestHugeBomb(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{MaxBody: 64 << 10})
	bomb := zip(strings.Repeat(" ", 8<<20))
	if got := s.send("POST", bomb, "Content-Encoding: gzip"); got.status != 413 {
		t.Error(got)
	}
	damaged := bomb[:len(bomb)/2] + strings.Repeat("\xff", len(bomb)/2)
	if got := s.send("POST", damaged, "Content-Encoding: gzip"); got.status != 413 {
		t.Error(got)
	}
	if _, err := expand([]byte(damaged), 8<<20, new(web.Share)); err == nil || err == web.ErrBodyTooLarge {
		t.Errorf("the damage is not found at all: %v", err)
	}
}

// TestCompression: large answers are compressed for clients that accept it.
func TestCompression(t *testing.T) {
	large := current("x", 20<<10)
	for name, c := range map[string]struct {
		from   int
		body   string
		accept string
		zipped bool
	}{
		"accepted":     {0, large, "gzip", true},
		"among others": {0, large, "br;q=1.0, gzip;q=0.8", true},
		"every one":    {0, large, "*", true},
		"small":        {0, ping, "gzip", false},
		"refused":      {0, large, "gzip;q=0, *", false},
		"another":      {0, large, "br", false},
		"not asked":    {0, large, "", false},
		"off":          {-1, large, "gzip", false},
		"from 1":       {1, ping, "gzip", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, weather.NewHandler(office()), Options{CompressFrom: c.from})
			got := s.send("POST", c.body, "Accept-Encoding: "+c.accept)
			if zipped := got.header.Get("Content-Encoding") == "gzip"; zipped != c.zipped {
				t.Fatal(got.header)
			}
			if c.zipped {
				text, err := expand([]byte(got.body), 1<<20, new(web.Share))
				if got.body = string(text); err != nil {
					t.Fatal(err)
				}
			}
			if !strings.HasPrefix(got.body, `{"jsonrpc":"2.0","id":1,"result":`) {
				t.Error(got.body)
			}
		})
	}
}

// TestCORS: pages of listed origins may use the server, and others not.
func TestCORS(t *testing.T) {
	const app, other = "https://app.example.com", "https://other.example.com"
	s := newSite(t, weather.NewHandler(office()), Options{AllowedOrigins: []string{app}, AllowedHeaders: []string{"X-Trace"}})
	got := s.send("OPTIONS", "", "Origin: "+app, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type")
	if got.status != 204 || got.header.Get("Access-Control-Allow-Origin") != app || got.header.Get("Access-Control-Allow-Methods") != "POST" ||
		got.header.Get("Access-Control-Allow-Headers") != "Content-Type, Content-Encoding, Authorization, X-Trace" || got.header.Get("Vary") != "Origin" {
		t.Error(got)
	}
	if got = s.send("POST", ping, "Origin: "+app); got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != app {
		t.Error(got)
	}
	for _, got := range []reply{
		s.send("POST", ping, "Origin: "+other), s.send("OPTIONS", "", "Origin: "+other, "Access-Control-Request-Method: POST"),
	} {
		if got.status != 403 || got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Error(got)
		}
	}
	if got = s.send("POST", ping); got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error(got)
	}
}

// TestLimits: calls that are too many, in all or of a client, are answered at once, as the schema declares, and nothing is left of them.
func TestLimits(t *testing.T) {
	begun := make(chan bool, 10)
	server := office()
	wait := server.Current
	server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
		begun <- true
		return wait(ctx, p)
	}
	refused := make(chan int, 10)
	s := newSite(t, weather.NewHandler(server), Options{
		MaxCalls: 3, MaxCallsPerClient: 2, ClientOf: func(r *http.Request) string { return r.Header.Get("X-Client") },
		OnRefusal: func(status int, _ int64) { refused <- status },
	})
	ctx, cancel := context.WithCancel(context.Background())
	for _, name := range []string{"a", "a", "b"} {
		c := s.dial(ClientOptions{Header: http.Header{"X-Client": {name}}})
		go weather.NewClient(c).Current(ctx, weather.CurrentParams{City: "wait"})
		<-begun
	}
	if got := s.send("POST", ping, "X-Client: a"); got.status != 429 || got.header.Get("Retry-After") != "1" || !strings.Contains(got.body, "this client has too many calls") {
		t.Error(got)
	}
	if got := s.send("POST", ping, "X-Client: c"); got.status != 503 || got.header.Get("Retry-After") != "1" {
		t.Error(got)
	}
	c := s.dial(ClientOptions{Header: http.Header{"X-Client": {"c"}}})
	err := weather.NewClient(c).Ping(t.Context())
	if _, ok := errors.AsType[*weather.OverloadedError](err); !ok {
		t.Errorf("got %v, want the error that the schema declares", err)
	}
	cancel()
	s.idle()
	for _, want := range []int{429, 503, 503} {
		if got := <-refused; got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}

// TestHangUp: a refusal ends the connection, so that nothing more of a message comes, but not one of HTTP/2, which other requests share.
func TestHangUp(t *testing.T) {
	ends := func(context.Context, *http.Request) (context.Context, error) { panic("a fault") }
	for name, o := range map[string]Options{"too large": {MaxBody: 10}, "a fault of Auth": {Auth: ends}} {
		o.Runtime.Logger = quiet
		h := NewHandler(weather.NewHandler(office()), o)
		for proto, want := range map[int]string{1: "close", 2: ""} {
			r, w := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat(" ", 11))), httptest.NewRecorder()
			r.ProtoMajor = proto
			r.Header.Set("Content-Type", "application/json")
			if h.ServeHTTP(w, r); w.Code < 400 || w.Header().Get("Connection") != want {
				t.Errorf("%s, HTTP/%d: %d %q", name, proto, w.Code, w.Header().Get("Connection"))
			}
		}
	}
}

// TestTimeouts: neither a client nor a handler takes longer than it may.
func TestTimeouts(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{BodyTimeout: 100 * time.Millisecond, CallTimeout: 100 * time.Millisecond})
	if got := s.send("POST", current("wait", 1)); got.status != 200 || !strings.Contains(got.body, `"timeout":"100ms"`) {
		t.Error(got)
	}
	if got := s.send("POST", "["+current("wait", 1)+"]"); got.status != 200 || !strings.Contains(got.body, `"timeout":"100ms"`) {
		t.Error(got)
	}
	const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
	for text, status := range map[string]int{
		head + "application/json\r\nContent-Length: 100\r\n\r\n{":             408,
		head + "application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{": 408,
		head + "text/plain\r\nContent-Length: 100\r\n\r\n{":                   415,
	} {
		if got := s.raw(text); got != status {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// raw sends bytes over a connection of its own, and returns the status of the response; the server has to close the connection.
func (s *site) raw(text string) int {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.http.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Minute)) // instead of for ever
	io.WriteString(conn, text)
	r := bufio.NewReader(conn)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if _, err := r.ReadByte(); err != io.EOF {
		s.t.Errorf("%q: the connection is kept: %v", text, err)
	}
	return resp.StatusCode
}

// TestSlowReader: a client that does not read its answer loses the connection.
func TestSlowReader(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{WriteTimeout: 100 * time.Millisecond, CompressFrom: -1})
	conn, err := net.Dial("tcp", s.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := current("x", 9<<20)
	text := fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	conn.SetWriteDeadline(time.Now().Add(5 * time.Minute)) // instead of for ever
	for err == nil {
		_, err = io.WriteString(conn, text)
	}
	if e, ok := err.(net.Error); ok && e.Timeout() {
		t.Error("the connection is kept")
	}
	s.idle()
	if got := s.send("POST", ping); got.status != 200 {
		t.Error(got)
	}
}
