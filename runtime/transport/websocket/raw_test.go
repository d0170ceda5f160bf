package websocket

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/test/await"
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
	var first sync.Once
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
		"a session's end":   {Options{Accepted: func(s *runtime.Session) { first.Do(func() { go s.Close() }) }}, func(*raw) {}, 1000},
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
		s := newSite(t, weather.NewHandler(office()), Options{PingInterval: 20 * time.Millisecond, PingTimeout: 5 * time.Second})
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
		c := s.must(ClientOptions{PingInterval: 20 * time.Millisecond, PingTimeout: time.Minute})
		time.Sleep(100 * time.Millisecond) // some pings
		if err := weather.NewClient(c).Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
