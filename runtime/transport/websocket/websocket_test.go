package websocket

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/certs"
	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/internal/limits"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web/gatetest"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/transporttest"
	"github.com/rpcgen-go/rpcgen/test/await"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestLimitsOfSecurity: SECURITY.md has the defaults of all limits.
func TestLimitsOfSecurity(t *testing.T) {
	limits.Check(t, "../../../SECURITY.md", "websocket.Options.", limits.Fields(Options{}.withDefaults()))
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func TestContract(t *testing.T) {
	o := Options{MaxMessage: transporttest.MaxFrame}.withDefaults()
	transporttest.Run(t, transporttest.Transport{Connect: func(t testing.TB) (client, server frame.Conn) {
		servers := make(chan *conn, 1)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			taken := &taking{ResponseWriter: w, o: &o}
			ws, err := websocket.Accept(taken, r, nil)
			if err != nil {
				t.Error(err)
			}
			servers <- newConn(ws, taken.wire, settings{o.MaxMessage, o.PingInterval, o.PingTimeout, o.MessageTimeout, nil, 0})
		}))
		defer s.Close()
		c, err := connect(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), ClientOptions{MaxMessage: transporttest.MaxFrame}.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		return c, <-servers
	}})
}

// site is a server under test.
type site struct {
	t       *testing.T
	handler *Handler
	http    *httptest.Server
	url     string
}

func newSite(t *testing.T, h runtime.Handler, o Options) *site {
	t.Helper()
	o.Runtime.Logger = quiet
	handler := NewHandler(h, o)
	s := &site{t: t, handler: handler, http: httptest.NewServer(handler)}
	s.url = "ws" + strings.TrimPrefix(s.http.URL, "http")
	t.Cleanup(func() {
		handler.Close()
		s.http.Close()
		if all, clients := handler.conns.Count(); all != 0 || clients != 0 || handler.pending.Load() != 0 {
			t.Error("left:", all, clients, handler.pending.Load())
		}
	})
	return s
}

// dial connects a session.
func (s *site) dial(h runtime.Handler, o ClientOptions) (*runtime.Session, error) {
	s.t.Helper()
	o.Runtime.Logger = quiet
	c, err := Dial(context.Background(), s.url, h, o)
	if err == nil {
		s.t.Cleanup(func() {
			c.Close()
			c.Wait()
		})
	}
	return c, err
}

// must is dial that succeeds.
func (s *site) must(o ClientOptions) *runtime.Session {
	s.t.Helper()
	c, err := s.dial(nil, o)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func office() *weather.Server {
	return &weather.Server{
		Way:  runtime.Plain,
		Ping: func(context.Context) error { return nil },
		Current: func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
			return weather.Report{City: strings.Repeat(p.City, int(max(p.Days, 1)))}, ctx.Err()
		},
	}
}

const (
	ping   = `{"jsonrpc":"2.0","id":1,"method":"weather/ping"}`
	pinged = `{"jsonrpc":"2.0","id":1,"result":{}}`
)

// Opcodes (RFC 6455 section 5.2), and the bits of the first byte.
const (
	more, text, binaryData, closing, pong = 0x0, 0x1, 0x2, 0x8, 0xa
	fin, compressed                       = 0x80, 0x40
)

// TestHandshakes: the statuses of the package's documentation.
func TestHandshakes(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{
		Subprotocols: []string{"jsonrpc2", "rpc"}, AllowedOrigins: []string{"https://app.example.com"}, Auth: rpchttp.Tokens(map[string]string{"secret": "ann"}),
	})
	const upgrade = "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\n"
	const auth, proto = "Authorization: Bearer secret\n", "Sec-WebSocket-Protocol: other, JSONRPC2\n"
	for name, c := range map[string]struct {
		method, headers string
		status          int
	}{
		"good":           {"GET", upgrade + auth + proto, 101},
		"listed page":    {"GET", upgrade + auth + proto + "Origin: https://app.example.com\n", 101},
		"own page":       {"GET", upgrade + auth + proto + "Origin: http://localhost:3000\n", 101},
		"other page":     {"GET", upgrade + auth + proto + "Origin: https://evil.example.com\n", 403},
		"rebound name":   {"GET", upgrade + auth + proto + "Host: evil.example.com\n", 403},
		"no token":       {"GET", upgrade + proto, 401},
		"bad token":      {"GET", upgrade + proto + "Authorization: Bearer secre\n", 401},
		"no protocol":    {"GET", upgrade + auth, 400},
		"other protocol": {"GET", upgrade + auth + "Sec-WebSocket-Protocol: other\n", 400},
		"no upgrade":     {"GET", auth + proto, 426},
		"no key":         {"GET", auth + proto + strings.Replace(upgrade, "Sec-WebSocket-Key", "X", 1), 400},
		"version":        {"GET", auth + proto + strings.Replace(upgrade, "13", "8", 1), 400},
		"POST":           {"POST", upgrade + auth + proto, 405},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", s.http.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			head := c.method + " / HTTP/1.1\n" + c.headers
			if !strings.Contains(head, "Host: ") {
				head += "Host: localhost\n"
			}
			io.WriteString(conn, strings.ReplaceAll(head+"\n", "\n", "\r\n"))
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || resp.StatusCode != c.status {
				t.Error(resp, err)
			} else if c.status == 101 && resp.Header.Get("Sec-WebSocket-Protocol") != "JSONRPC2" {
				t.Error(resp.Header)
			}
		})
	}
	header := http.Header{"Authorization": {"Bearer secret"}}
	if _, err := s.dial(nil, ClientOptions{Header: header, Subprotocols: []string{"rpc"}}); err != nil {
		t.Error(err)
	}
	for _, o := range []ClientOptions{{Header: header}, {Subprotocols: []string{"rpc"}}} {
		_, err := s.dial(nil, o)
		if e, ok := errors.AsType[*HandshakeError](err); !ok || e.Err == nil || e.Status != 400 && e.Status != 401 {
			t.Error(err)
		}
	}
}

// TestClientHandshakes: a client finds out when it has not reached what it wants.
func TestClientHandshakes(t *testing.T) {
	plain := newSite(t, weather.NewHandler(office()), Options{})
	if _, err := plain.dial(nil, ClientOptions{Subprotocols: []string{"rpc"}}); err == nil || !strings.Contains(err.Error(), "it chose none of the sub-protocols rpc") {
		t.Error(err)
	}
	page := httptest.NewServer(http.RedirectHandler("http://evil.example.com", http.StatusFound))
	defer page.Close()
	_, err := Dial(t.Context(), "ws"+strings.TrimPrefix(page.URL, "http"), nil, ClientOptions{})
	if e, ok := errors.AsType[*HandshakeError](err); !ok || e.Status != 302 {
		t.Error(err)
	}
	for _, url := range []string{"", "localhost:80", "http://localhost/", "ws://", "ws://%"} {
		if _, err := Dial(t.Context(), url, nil, ClientOptions{}); err == nil {
			t.Error(url)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dial(ctx, plain.url, nil, ClientOptions{}); err != context.Canceled {
		t.Error(err)
	}
}

// TestBothWays: a server calls its client, knows its principal, and notices its end.
func TestBothWays(t *testing.T) {
	server := office()
	server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
		got, err := weather.NewClient(runtime.PeerFrom(ctx)).Current(ctx, p)
		got.City += " for " + principal.From(ctx)
		return got, err
	}
	s := newSite(t, weather.NewHandler(server), Options{Auth: rpchttp.Tokens(map[string]string{"secret": "ann"})})
	c, err := s.dial(weather.NewHandler(office()), ClientOptions{Header: http.Header{"Authorization": {"Bearer secret"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := weather.NewClient(c).Current(t.Context(), weather.CurrentParams{City: "Oslo"}); err != nil || got.City != "Oslo for ann" {
		t.Error(got, err)
	}
}

// TestConnectionsAreLimited: one connection too many is refused, and there is room again when another one has ended.
func TestConnectionsAreLimited(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{
		MaxConns: 3, MaxConnsPerClient: 2, ClientOf: func(r *http.Request) string { return r.Header.Get("X-Client") },
	})
	as := func(name string) ClientOptions { return ClientOptions{Header: http.Header{"X-Client": {name}}} }
	first := s.must(as("a"))
	s.must(as("a"))
	_, err := s.dial(nil, as("a"))
	if e, ok := errors.AsType[*HandshakeError](err); !ok || e.Status != 429 || !strings.Contains(e.Err.Message, "this client has too many connections") {
		t.Error(err)
	}
	s.must(as("b"))
	_, err = s.dial(nil, as("c"))
	if e, ok := errors.AsType[*HandshakeError](err); !ok || e.Status != 503 {
		t.Error(err)
	}
	first.Close()
	first.Wait()
	await.Until(t, "there is room", func() bool {
		_, err := s.dial(nil, as("a"))
		return err == nil
	})
}

func (h *Handler) isClosing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.down != nil
}

// TestServe: serving ends with its context; headers have a limit.
func TestServe(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error)
	h := NewHandler(weather.NewHandler(office()), Options{Runtime: runtime.Options{Logger: quiet}})
	go func() { served <- Serve(ctx, l, "/ws", h) }()
	url := "ws://" + l.Addr().String()
	_, err = Dial(ctx, url+"/ws", nil, ClientOptions{Header: http.Header{"X": {strings.Repeat("x", 128<<10)}}})
	if e, ok := errors.AsType[*HandshakeError](err); !ok || e.Status != 431 {
		t.Error(err)
	}
	_, err = Dial(ctx, url+"/other", nil, ClientOptions{})
	if e, ok := errors.AsType[*HandshakeError](err); !ok || e.Status != 404 || e.Err == nil {
		t.Error(err)
	}
	c, err := Dial(context.Background(), url+"/ws", nil, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := weather.NewClient(c).Ping(ctx); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-served; err != context.Canceled {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// TestTLS: over wss, a client certificate says who the caller is, and an unknown server is not trusted.
func TestTLS(t *testing.T) {
	authority, err := certs.New()
	if err != nil {
		t.Fatal(err)
	}
	issue := func(name string) []tls.Certificate {
		c, err := authority.Issue(name)
		if err != nil {
			t.Fatal(err)
		}
		return []tls.Certificate{c}
	}
	server := office()
	server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: principal.From(ctx)}, nil
	}
	handler := NewHandler(weather.NewHandler(server), Options{
		Runtime: runtime.Options{Logger: quiet}, Auth: rpchttp.Certificates(func(c *x509.Certificate) string { return c.Subject.CommonName }),
	})
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = slog.NewLogLogger(quiet.Handler(), slog.LevelDebug)
	s.TLS = &tls.Config{Certificates: issue("localhost"), ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: authority.Pool}
	s.StartTLS()
	defer s.Close()
	defer handler.Close()
	url := "wss" + strings.TrimPrefix(s.URL, "https")
	c, err := Dial(t.Context(), url, nil, ClientOptions{TLS: &tls.Config{RootCAs: authority.Pool, Certificates: issue("ann")}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := weather.NewClient(c).Current(t.Context(), weather.CurrentParams{City: "x"}); err != nil || got.City != "ann" {
		t.Error(got, err)
	}
	c.Close()
	c.Wait()
	_, err = Dial(t.Context(), url, nil, ClientOptions{TLS: &tls.Config{RootCAs: authority.Pool}})
	if e, ok := errors.AsType[*HandshakeError](err); !ok || e.Status != 401 {
		t.Error(err)
	}
	if _, err := Dial(t.Context(), url, nil, ClientOptions{}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Error("an unknown server is trusted:", err)
	}
}

// TestGate: few handshakes are authenticated at the same time, and a panic of Auth is an answer.
func TestGate(t *testing.T) {
	gatetest.Run(t, gatetest.Server{
		New: func(s gatetest.Settings) http.Handler {
			return NewHandler(weather.NewHandler(office()), Options{
				Runtime: runtime.Options{Logger: s.Log}, MaxConns: s.Max, MaxConnsPerClient: s.MaxEach,
				Auth: func(ctx context.Context, _ *http.Request) (context.Context, error) { return ctx, s.Verify() },
			})
		},
		Request: func() *http.Request { return httptest.NewRequest(http.MethodGet, "/ws", nil) },
	})
}
