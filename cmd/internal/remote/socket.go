package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/schema/file"
)

// socket is the side of a client of a WebSocket (RFC 6455), with one message in each message of text. Package websocket of the runtime is a module that
// requires this one.
type socket struct {
	conn *websocket.Conn
	mu   sync.Mutex // held while a message is written
}

// dialSocket connects to a URL. Redirects are not followed.
func dialSocket(ctx context.Context, u *url.URL, header http.Header) (*socket, error) {
	at := *u
	at.User = nil
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment}
	conn, resp, err := dialer.DialContext(ctx, at.String(), header)
	if errors.Is(err, websocket.ErrBadHandshake) {
		return nil, fmt.Errorf("there is no WebSocket at this URL: %w", &rpchttp.StatusError{Status: resp.StatusCode})
	}
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(file.Most)
	return &socket{conn: conn}, nil
}

// ReadFrame implements [frame.Reader].
func (s *socket) ReadFrame() ([]byte, error) {
	_, message, err := s.conn.ReadMessage()
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok && closed.Code != websocket.CloseAbnormalClosure {
		err = io.EOF
	}
	return message, err
}

// WriteFrame implements [frame.Writer].
func (s *socket) WriteFrame(message []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn.WriteMessage(websocket.TextMessage, message)
}

// Close implements [frame.Conn]. It says so to the server, which may take a second to read that.
func (s *socket) Close() error {
	_ = s.conn.WriteControl(websocket.CloseMessage, nil, time.Now().Add(time.Second)) // it may be gone
	return s.conn.Close()
}
