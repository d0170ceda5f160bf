package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// MaxHeaderBytes limits the headers of a response, which clients read before they know whether they want it.
const MaxHeaderBytes = 64 << 10

// Transport is an [http.Transport] that sends a request again, on another connection, if the server had closed the one that was picked for it. Nothing of
// the request was sent then, so that this is safe for every method: net/http notes such an end only while a connection waits for no response. It happens
// to connections that were dialed for a request which another one took: a server closes them when no header has come for the time of one.
type Transport struct{ *http.Transport }

// NewTransport returns one with the settings of [http.DefaultTransport], for many calls to one host, and a limit for the headers of responses.
func NewTransport() *Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	return &Transport{&http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if err := CountDial(ctx); err != nil {
				return nil, err
			}
			return dialer.DialContext(ctx, network, address)
		},
		MaxIdleConnsPerHost: mostIdle, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		MaxResponseHeaderBytes: MaxHeaderBytes,
	}}
}

// mostDials is how many connections are made for one request: net/http makes another one, without end, as long as a server ends those of HTTP/2 before it
// answers.
const mostDials = 8

var errDials = errors.New("the server ends each connection before it answers")

type dialsKey struct{}

// CountDial counts a connection that is made for a request of a [Transport]. The error says that there were too many.
func CountDial(ctx context.Context) error {
	if n, ok := ctx.Value(dialsKey{}).(*atomic.Int32); ok && n.Add(1) > mostDials {
		return errDials
	}
	return nil
}

// mostIdle is how many connections to a host wait for requests, all of which may have been closed.
const mostIdle = 32

// isUnsent reports whether an error says that nothing of a request was sent, since its connection had ended. The errors of net/http have no names: the
// first one is known by its text, and those that come when something was sent begin with the name of the package.
func isUnsent(err error) bool {
	return err.Error() == "http: server closed idle connection" || errors.Is(err, net.ErrClosed) && !strings.HasPrefix(err.Error(), "net/http: ")
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.WithContext(context.WithValue(r.Context(), dialsKey{}, new(atomic.Int32)))
	resp, err := t.Transport.RoundTrip(r)
	for tries := 0; err != nil && isUnsent(err) && r.GetBody != nil && tries < mostIdle; tries++ {
		again := *r
		if again.Body, err = r.GetBody(); err == nil {
			resp, err = t.Transport.RoundTrip(&again)
		}
	}
	return resp, err
}

// SameHost keeps messages and their headers from being sent on to another server.
func SameHost(r *http.Request, via []*http.Request) error {
	const most = 10
	if len(via) >= most || r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// ErrorWithoutID returns the error of a response without an id, or nil.
func ErrorWithoutID(msg []byte) *runtime.Error {
	if wire.Check(msg, wire.MaxDepth) != nil {
		return nil
	}
	p := wire.PeekAt(msg).In("error")
	code, isCode := p.In("code").Scalar()
	n, err := strconv.ParseInt(code, 10, 64)
	message, isText := p.In("message").Text()
	if !isCode || !isText || err != nil {
		return nil
	}
	e := &runtime.Error{Code: n, Message: message}
	if data := p.In("data").JSON(); data != nil {
		e.Data, _ = wire.ParseRaw(data)
		e.HasData = true
	}
	return e
}

// Discard reads what is left of a small body, so that the connection can be used again.
func Discard(resp *http.Response) {
	const most = 64 << 10
	io.CopyN(io.Discard, resp.Body, most)
	resp.Body.Close()
}

// MediaType returns the media type of the body of a response.
func MediaType(resp *http.Response) string {
	t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return t
}

// Sleep waits, or returns why the context ended.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
