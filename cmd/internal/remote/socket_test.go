package remote

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// sockets serves notes to each client of a WebSocket. Each message that it sends is in two frames with a ping between them.
type sockets struct{ notes }

// The kinds of frames (RFC 6455 section 5.2).
const frameText, frameClose, framePing, framePong = 1, 8, 9, 10

// ServeHTTP implements [http.Handler].
func (s sockets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c, in, ok := upgrade(w, r); ok {
		_ = runtime.NewSession(context.Background(), &side{Conn: c, in: in}, s.notes, quiet()).Wait()
	}
}

// upgrade makes a WebSocket of the connection of a request.
func upgrade(w http.ResponseWriter, r *http.Request) (c net.Conn, in *bufio.Reader, ok bool) {
	accept := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	c, both, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return nil, nil, false
	}
	_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(accept[:])+"\r\n\r\n")
	return c, both.Reader, true
}

// side is the side of a server.
type side struct {
	net.Conn
	in *bufio.Reader
}

// ReadFrame implements [frame.Reader]. It wants a pong for each ping.
func (s *side) ReadFrame() ([]byte, error) {
	var message []byte
	for {
		var head [14]byte
		if _, err := io.ReadFull(s.in, head[:2]); err != nil {
			return nil, err
		}
		length := int(head[1] & 127)
		switch wide := head[2:]; length {
		case 126:
			io.ReadFull(s.in, wide[:2])
			length = int(binary.BigEndian.Uint16(wide))
		case 127:
			io.ReadFull(s.in, wide[:8])
			length = int(binary.BigEndian.Uint64(wide))
		}
		if head[1]&128 == 0 {
			return nil, errors.New("a frame of the client is not masked")
		}
		io.ReadFull(s.in, head[10:])
		payload := make([]byte, length)
		if _, err := io.ReadFull(s.in, payload); err != nil {
			return nil, err
		}
		for i := range payload {
			payload[i] ^= head[10+i%4]
		}
		switch head[0] {
		case frameText, 0:
			message = append(message, payload...)
		case 128 | frameText, 128:
			return append(message, payload...), nil
		case 128 | frameClose:
			return nil, io.EOF
		case 128 | framePong:
			if string(payload) != "x" {
				return nil, errors.New("a pong has another text than the ping")
			}
		default:
			return nil, errors.New("a frame of another kind")
		}
	}
}

// WriteFrame implements [frame.Writer].
func (s *side) WriteFrame(message []byte) error {
	half := len(message) / 2
	b := append(size([]byte{frameText}, half), message[:half]...)
	b = append(b, 128|framePing, 1, 'x')
	b = append(size(append(b, 128), len(message)-half), message[half:]...)
	_, err := s.Write(b)
	return err
}

// size appends the length of a frame.
func size(b []byte, n int) []byte {
	switch {
	case n < 126:
		return append(b, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, 126), uint16(n))
	}
	return binary.BigEndian.AppendUint64(append(b, 127), uint64(n))
}

// TestSocket: messages of each form of length arrive whole, and what is not a WebSocket is said to be none.
func TestSocket(t *testing.T) {
	site := httptest.NewServer(sockets{})
	defer site.Close()
	s := &Server{URL: "ws" + strings.TrimPrefix(site.URL, "http")}
	dial, err := s.Plain(Terminal{Err: io.Discard}, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := dial(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 125, 126, 300, 1 << 16, 1 << 20} {
		params := `{"text":"` + strings.Repeat("m", n) + `"}`
		if got, err := Send(t.Context(), conn, "note/add", []byte(params)); err != nil || string(got) != params {
			t.Errorf("%d: %d bytes came back, %v", n, len(got), err)
		}
	}
	if err := conn.(Conn).Close(); err != nil {
		t.Error(err)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	dial, _ = (&Server{URL: "ws" + strings.TrimPrefix(plain.URL, "http")}).Plain(Terminal{Err: io.Discard}, nil)
	if _, err := dial(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "there is no WebSocket at this URL: rpchttp: the server answered 404 Not Found") {
		t.Error(err)
	}
}

// TestMalformedFrames: what RFC 6455 section 5 does not allow, and what does not end, ends the connection, and nothing of it is kept.
func TestMalformedFrames(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]string{
		"a long ping":           "\x89\x7e\x00\x7e" + strings.Repeat("x", 126),
		"a ping in two frames":  "\x09\x01x",
		"a kind of data":        "\x83\x01x",
		"a kind of control":     "\x8b\x01x",
		"masked":                "\x81\x81abcdx",
		"extended":              "\xc1\x01x",
		"too long":              "\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff",
		"a negative length":     "\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff",
		"long, and half of it":  "\x81\x7f\x00\x00\x00\x00\x03\xff\xff\xff",
		"too long in two parts": "\x01\x01a\x80\x7f\x00\x00\x00\x00\x04\x00\x00\x00",
		"the end":               "\x88\x00",
		"nothing":               "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c, _, ok := upgrade(w, r); ok {
					_, _ = io.WriteString(c, sent)
					_ = c.Close()
				}
			}))
			defer site.Close()
			u, err := url.Parse("ws" + strings.TrimPrefix(site.URL, "http"))
			if err != nil {
				t.Fatal(err)
			}
			s, err := dialSocket(t.Context(), u, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got, err := s.ReadFrame(); err == nil {
				t.Errorf("%q", got)
			}
		})
	}
}
