package web

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// MaxHeaderBytes limits the headers of a response, which clients read before they know whether they want it.
const MaxHeaderBytes = 64 << 10

// NewTransport returns one with the settings of [http.DefaultTransport], for many calls to one host, and a limit for the headers of responses.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		MaxIdleConnsPerHost: 32, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		MaxResponseHeaderBytes: MaxHeaderBytes,
	}
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
