package websocket

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

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

// raw is a client that writes frames by hand.
type raw struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

func (s *site) raw() *raw { return s.rawWith(nil) }

// rawWith returns a raw client that has sent some bytes together with the request.
func (s *site) rawWith(early []byte) *raw {
	s.t.Helper()
	c, err := net.Dial("tcp", s.http.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	c.Write(append([]byte("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"), early...))
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil)
	if err != nil || resp.StatusCode != 101 || resp.Header.Get("Sec-WebSocket-Extensions") != "" {
		s.t.Fatal(resp, err)
	}
	return &raw{s.t, c, r}
}

// TestEarlyMessages: messages that arrive together with the handshake are handled, also when they are larger than the buffer.
func TestEarlyMessages(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{})
	for _, padding := range []int{0, read - 70, read, read + 1, 3000, 10_000} {
		var early []byte
		for _, id := range []string{"1", "2"} {
			message := `{"jsonrpc":"2.0","id":` + id + `,"method":"weather/ping"` + strings.Repeat(" ", padding) + "}"
			early = append(append(early, header(fin|text, len(message))...), message...)
		}
		c, got := s.rawWith(early), map[string]bool{}
		for range 2 { // in either order
			_, answer, err := c.next()
			if err != nil {
				t.Fatalf("padding %d: %v", padding, err)
			}
			got[answer] = true
		}
		if !got[`{"jsonrpc":"2.0","id":1,"result":{}}`] || !got[`{"jsonrpc":"2.0","id":2,"result":{}}`] {
			t.Errorf("padding %d: got %v", padding, got)
		}
	}
}

// send writes a frame with a mask of zeros. Its header announces size bytes of payload; 0 stands for the actual length.
func (c *raw) send(first byte, payload string, size int) {
	if size == 0 {
		size = len(payload)
	}
	c.Write(append(header(first, size), payload...))
}

// header is that of a frame with a mask of zeros.
func header(first byte, size int) []byte {
	head := []byte{first, 0x80}
	switch {
	case 0 <= size && size < 126:
		head[1] |= byte(size)
	case 0 <= size && size < 1<<16:
		head[1] |= 126
		head = binary.BigEndian.AppendUint16(head, uint16(size))
	default:
		head[1] |= 127
		head = binary.BigEndian.AppendUint64(head, uint64(size))
	}
	return append(head, 0, 0, 0, 0)
}

// next reads a frame that has fewer than 126 bytes.
func (c *raw) next() (opcode byte, payload string, err error) {
	var head [2]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return 0, "", err
	}
	b := make([]byte, head[1])
	_, err = io.ReadFull(c.r, b)
	return head[0] &^ fin, string(b), err
}

// closes reads a close frame, and the end of the connection, and returns the code.
func (c *raw) closes() int {
	c.t.Helper()
	opcode, payload, err := c.next()
	if err != nil || opcode != closing || len(payload) < 2 {
		c.t.Fatalf("got %d %q, %v", opcode, payload, err)
	}
	if _, err := c.r.ReadByte(); err == nil || errors.Is(err, context.DeadlineExceeded) {
		c.t.Error("the connection is kept:", err)
	}
	return int(binary.BigEndian.Uint16([]byte(payload)))
}

// TestCloseCodes: what the connection is closed for, with the codes of the package's documentation.
func TestCloseCodes(t *testing.T) {
	const short = 100 * time.Millisecond
	for name, c := range map[string]struct {
		o    Options
		send func(c *raw)
		code int
	}{
		"binary":          {Options{}, func(c *raw) { c.send(fin|binaryData, ping, 0) }, 1003},
		"too large":       {Options{MaxMessage: 1 << 10}, func(c *raw) { c.send(fin|text, strings.Repeat(" ", 2<<10), 0) }, 1009},
		"too large, said": {Options{MaxMessage: 1 << 10}, func(c *raw) { c.send(fin|text, strings.Repeat(" ", 2<<10), 1<<30) }, 1009},
		"too large, in parts": {Options{MaxMessage: 1 << 10}, func(c *raw) {
			c.send(text, strings.Repeat(" ", 1<<10), 0)
			c.send(more, "x", 0)
		}, 1009},
		"part of a message": {Options{MessageTimeout: short}, func(c *raw) { c.send(fin|text, "{", 100) }, 1008},
		"a first fragment":  {Options{MessageTimeout: short}, func(c *raw) { c.send(text, "{", 0) }, 1008},
		"compressed":        {Options{}, func(c *raw) { c.send(fin|compressed|text, bomb(), 0) }, 1002},
		"unknown opcode":    {Options{}, func(c *raw) { c.send(fin|0x3, "x", 0) }, 1002},
		"a part of nothing": {Options{}, func(c *raw) { c.send(fin|more, "x", 0) }, 1002},
		"too much memory":   {Options{MaxPending: 16 << 10}, func(c *raw) { c.send(text, strings.Repeat(" ", 64<<10), 0) }, 1013},
		"unmasked":          {Options{}, func(c *raw) { c.Write([]byte{fin | text, 2, '{', '}'}) }, 1002},
		"negative size":     {Options{}, func(c *raw) { c.send(fin|text, "", math.MinInt64) }, 1002},
		"not UTF-8":         {Options{}, func(c *raw) { c.send(fin|text, `{"a":"`+"\xff", 0) }, 1007},
		"not UTF-8, in parts": {Options{}, func(c *raw) {
			c.send(text, "\xc3", 0)
			c.send(fin|more, "\xff", 0)
		}, 1007},
		"a long length":     {Options{}, func(c *raw) { c.Write([]byte{fin | text, 0x80 | 126, 0, 2, 0, 0, 0, 0, '{', '}'}) }, 1002},
		"a longer length":   {Options{}, func(c *raw) { c.Write([]byte{fin | text, 0x80 | 127, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, '{', '}'}) }, 1002},
		"another goodbye":   {Options{}, func(c *raw) { c.send(fin|closing, "\x03\xe8caf\xe9", 0) }, 1007},
		"a goodbye, masked": {Options{}, func(c *raw) { c.Write([]byte{fin | closing, 0x80 | 3, 9, 8, 7, 6, 3 ^ 9, 0xe8 ^ 8, 0xc3 ^ 7}) }, 1007},
		"goodbye":           {Options{}, func(c *raw) { c.send(fin|closing, "\x03\xe8", 0) }, 1000},
		"a session's end":   {Options{Accepted: func(s *runtime.Session) { time.AfterFunc(short, func() { s.Close() }) }}, func(*raw) {}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, weather.NewHandler(office()), c.o)
			conn := s.raw()
			c.send(conn)
			if got := conn.closes(); got != c.code {
				t.Errorf("closed with %d", got)
			}
			other := s.raw()
			other.send(fin|text, ping, 0)
			if opcode, got, err := other.next(); opcode != text || got != pinged {
				t.Error("others are not served:", got, err)
			}
		})
	}
}

// TestFaultsOfServers: what a client closes the connection for, also over TLS; messages before it are read.
func TestFaultsOfServers(t *testing.T) {
	for name, c := range map[string]struct {
		sent string
		code int
	}{
		"not UTF-8":      {"\x81\x03\"\xff\"", 1007},
		"a long length":  {"\x81\x7e\x00\x02{}", 1002},
		"a longer one":   {"\x81\x7f\x00\x00\x00\x00\x00\x00\xff\xff" + strings.Repeat(" ", 1<<16-1), 1002},
		"a close reason": {"\x88\x03\x03\xe8\xff", 1007},
	} {
		t.Run(name, func(t *testing.T) {
			said := make(chan int, 1)
			s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
				conn, rw, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
				rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
					base64.StdEncoding.EncodeToString(sum[:]) + "\r\n\r\n\x81\x02{}" + c.sent)
				rw.Flush()
				var head [8]byte // of a close frame with a mask, and its code
				io.ReadFull(rw, head[:])
				said <- int(head[6]^head[2])<<8 | int(head[7]^head[3])
			}))
			defer s.Close()
			conn, err := connect(t.Context(), "wss"+strings.TrimPrefix(s.URL, "https"), ClientOptions{TLS: s.Client().Transport.(*http.Transport).TLSClientConfig}.withDefaults())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := conn.ReadFrame(); err != nil || string(got) != "{}" {
				t.Errorf("the first message is %q, %v", got, err)
			}
			_, err = conn.ReadFrame()
			if fault, ok := errors.AsType[*CloseError](err); !ok || fault.Code != c.code {
				t.Errorf("the error is %v", err)
			}
			conn.Close()
			if got := <-said; got != c.code {
				t.Errorf("closed with %d", got)
			}
		})
	}
}

// bomb is a small text that expands to a large one.
func bomb() string {
	var b bytes.Buffer
	z, _ := flate.NewWriter(&b, 9)
	z.Write(make([]byte, 1<<20))
	z.Close()
	return b.String()[:100]
}

// TestMalformedMessages: an invalid message is answered, and the connection remains usable.
func TestMalformedMessages(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{})
	c := s.raw()
	for sent, want := range map[string]string{
		"{": "-32700", "": "-32700", "[]": "-32600", `{"jsonrpc":"2.0","id":7}`: "-32600", ping: pinged,
	} {
		c.send(fin|text, sent, 0)
		if opcode, got, err := c.next(); opcode != text || !strings.Contains(got, want) {
			t.Errorf("%q: got %q, %v", sent, got, err)
		}
	}
	c.send(text, ping[:10], 0) // in parts, with a pong between them
	c.send(fin|pong, "", 0)
	c.send(fin|more, ping[10:], 0)
	if _, got, err := c.next(); got != pinged {
		t.Error(got, err)
	}
}

// TestDeadPeers: peers that do not answer pings, or do not read, lose the connection.
func TestDeadPeers(t *testing.T) {
	t.Run("pings", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, weather.NewHandler(office()), Options{PingInterval: 20 * time.Millisecond, PingTimeout: 2 * time.Second})
		good := s.must(ClientOptions{})
		c := s.raw()
		if _, err := io.Copy(io.Discard, c.r); err != nil {
			t.Error(err)
		}
		if err := weather.NewClient(good).Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("reading", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, weather.NewHandler(office()), Options{WriteTimeout: 100 * time.Millisecond})
		c := s.raw()
		request := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"%s","days":1}}`, strings.Repeat("x", 1<<20))
		var err error
		for range 200 {
			c.send(fin|text, request, 0)
			if _, err = c.Write(nil); err != nil {
				break
			}
		}
		await.Until(t, "the connection is closed", func() bool {
			all, _ := s.handler.conns.Count()
			return all == 0
		})
	})
	t.Run("a server", func(t *testing.T) {
		s := newSite(t, weather.NewHandler(office()), Options{})
		c := s.must(ClientOptions{PingInterval: 20 * time.Millisecond, PingTimeout: 5 * time.Second})
		time.Sleep(100 * time.Millisecond) // some pings
		if err := weather.NewClient(c).Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

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

// TestShutdown: calls in flight are answered, and the peer gets to know why the connection ends.
func TestShutdown(t *testing.T) {
	server, begun, release := office(), make(chan bool), make(chan bool)
	server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
		close(begun)
		<-release
		return weather.Report{City: p.City}, ctx.Err()
	}
	s := newSite(t, weather.NewHandler(server), Options{})
	c, idle := s.must(ClientOptions{}), s.raw()
	done := make(chan error)
	go func() {
		_, err := weather.NewClient(c).Current(context.Background(), weather.CurrentParams{City: "x"})
		done <- err
	}()
	<-begun
	down := make(chan error)
	go func() { down <- s.handler.Shutdown(context.Background()) }()
	if code := idle.closes(); code != 1001 {
		t.Error(code)
	}
	_, err := s.dial(nil, ClientOptions{})
	if e, ok := errors.AsType[*HandshakeError](err); !ok || e.Status != 503 {
		t.Error(err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// TestShutdownWhileAccepting: a connection that is being accepted when the shutdown begins gets the same reason as the others.
func TestShutdownWhileAccepting(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{})
	s.http.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handler.ServeHTTP(hijacked{w, func() {
			go s.handler.Shutdown(context.Background())
			await.Until(t, "the handler closes", s.handler.isClosing)
		}}, r)
	})
	if code := s.raw().closes(); code != 1001 {
		t.Error(code)
	}
}

// TestShutdownAfterAccepting: a call is answered although its connection was accepted so late that the shutdown did not see it.
func TestShutdownAfterAccepting(t *testing.T) {
	server, begun, release := office(), make(chan bool), make(chan bool)
	server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
		close(begun)
		<-release
		return weather.Report{City: p.City}, ctx.Err()
	}
	s := newSite(t, weather.NewHandler(server), Options{})
	s.http.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handler.ServeHTTP(hijacked{w, s.handler.mu.Lock}, r) // so that the session starts, and is not known
	})
	c := s.must(ClientOptions{})
	done := make(chan error)
	go func() {
		report, err := weather.NewClient(c).Current(context.Background(), weather.CurrentParams{City: "x"})
		if err == nil && report.City != "x" {
			err = errors.New(report.City)
		}
		done <- err
	}()
	<-begun
	s.handler.down = context.Background() // as Shutdown does
	s.handler.mu.Unlock()
	down := make(chan error)
	go func() { down <- s.handler.Shutdown(context.Background()) }()
	time.Sleep(20 * time.Millisecond)
	close(release)
	if err := errors.Join(<-done, <-down, c.Wait()); err != nil {
		t.Error(err)
	}
}

func (h *Handler) isClosing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.down != nil
}

// hijacked calls before when the connection is taken over, which is after the handler has let it in.
type hijacked struct {
	http.ResponseWriter
	before func()
}

func (h hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	h.before()
	return http.NewResponseController(h.ResponseWriter).Hijack()
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
