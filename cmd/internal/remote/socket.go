package remote

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/schema/file"
)

// socket is the side of a client of a WebSocket (RFC 6455), with one message in each frame of text. Package websocket is a module with a dependency, which
// everybody who installs the command would have.
type socket struct {
	stream io.ReadWriteCloser
	in     *bufio.Reader
	mu     sync.Mutex // held while a frame is written
}

// dialSocket connects to a URL. Redirects are not followed.
func dialSocket(ctx context.Context, u *url.URL, header http.Header) (*socket, error) {
	at := *u
	at.Scheme = "http" + strings.TrimPrefix(u.Scheme, "ws")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	key := base64.StdEncoding.EncodeToString([]byte(rand.Text()[:16]))
	r.Header = header.Clone()
	for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key} {
		r.Header.Set(name, value)
	}
	var first http.Protocols
	first.SetHTTP1(true)
	resp, err := (&http.Transport{Proxy: http.ProxyFromEnvironment, Protocols: &first}).RoundTrip(r)
	if err != nil {
		return nil, err
	}
	accept := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	stream, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Sec-WebSocket-Accept") != base64.StdEncoding.EncodeToString(accept[:]) {
		resp.Body.Close()
		return nil, fmt.Errorf("there is no WebSocket at this URL: %w", &rpchttp.StatusError{Status: resp.StatusCode})
	}
	return &socket{stream: stream, in: bufio.NewReader(stream)}, nil
}

// The kinds of frames (RFC 6455 section 5.2).
const frameText, frameClose, framePing, framePong = 1, 8, 9, 10

// ReadFrame implements [frame.Reader].
func (s *socket) ReadFrame() ([]byte, error) {
	var message, aside bytes.Buffer
	for {
		var head [10]byte
		if _, err := io.ReadFull(s.in, head[:2]); err != nil {
			return nil, err
		}
		kind, length, wide := head[0]&15, uint64(head[1]&127), map[byte]int{126: 2, 127: 8}[head[1]&127]
		if wide > 0 {
			if _, err := io.ReadFull(s.in, head[10-wide:]); err != nil {
				return nil, err
			}
			length = binary.BigEndian.Uint64(head[2:])
		}
		to, control := &message, kind >= frameClose
		if control {
			to = &aside
		}
		malformed := control && (length > 125 || head[0]&128 == 0) || kind > 2 && !control || kind > framePong
		if head[1]&128 != 0 || head[0]&0x70 != 0 || malformed || length > file.Most-uint64(to.Len()) {
			return nil, errors.New("a frame of the WebSocket is masked, extended, malformed or too long")
		}
		if _, err := io.CopyN(to, s.in, int64(length)); err != nil {
			return nil, err
		}
		switch {
		case kind == frameClose:
			return nil, io.EOF
		case kind == framePing:
			if err := s.write(framePong, aside.Bytes()); err != nil {
				return nil, err
			}
		case kind < frameClose && head[0]&128 != 0:
			return message.Bytes(), nil
		}
		aside.Reset()
	}
}

// WriteFrame implements [frame.Writer].
func (s *socket) WriteFrame(message []byte) error { return s.write(frameText, message) }

func (s *socket) write(kind byte, payload []byte) error {
	b := []byte{128 | kind}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 128|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 128|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 128|127), uint64(n))
	}
	mask := rand.Text()[:4]
	b = append(b, mask...)
	for i, c := range payload {
		b = append(b, c^mask[i%4])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.stream.Write(b)
	return err
}

// Close implements [frame.Conn]. It says so to the server, which may take a second to read that.
func (s *socket) Close() error {
	defer time.AfterFunc(time.Second, func() { s.stream.Close() }).Stop()
	_ = s.write(frameClose, nil) // it may be gone
	s.stream.Close()
	return nil
}
