package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"
)

// balancer sends each request to the next replica that is ready, as /readyz says twice a second. It knows nothing of sessions.
type balancer struct {
	httputil.ReverseProxy
	hosts []string
	ready []atomic.Bool
	turn  atomic.Uint64
	next  http.Transport
}

func newBalancer(ctx context.Context, replicas []*replica) *balancer {
	b := &balancer{next: http.Transport{
		DialContext: (&net.Dialer{Timeout: time.Second}).DialContext, MaxIdleConnsPerHost: 100, ResponseHeaderTimeout: 20 * time.Second,
	}}
	b.ready = make([]atomic.Bool, len(replicas))
	for i, r := range replicas {
		b.hosts = append(b.hosts, r.address)
		go b.check(ctx, i, r)
	}
	b.Rewrite = func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: b.hosts[0]})
		r.Out.Host = "localhost"
	}
	b.Transport = b
	b.FlushInterval = -1
	b.ErrorLog = log.New(io.Discard, "", 0) // replicas are killed on purpose
	b.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	return b
}

// check asks a replica whether it is ready, until ctx ends.
func (b *balancer) check(ctx context.Context, i int, r *replica) {
	for sleep(ctx, 500*time.Millisecond) {
		b.ready[i].Store(r.ready())
	}
}

// choose returns the next replica that is ready, or the next one if none is.
func (b *balancer) choose() string {
	n := uint64(len(b.hosts))
	at := b.turn.Add(1) % n
	for i := range n {
		if one := (at + i) % n; b.ready[one].Load() {
			return b.hosts[one]
		}
	}
	return b.hosts[at]
}

// maxBody limits the messages that are passed on, in bytes. It is the default limit of the replicas.
const maxBody = 10 << 20

// ServeHTTP implements [http.Handler]. It reads the message before it passes the request on. A server of net/http closes the body of a request once an
// answer begins, and a replica answers as soon as it has the message, when the transport may still be looking for the end of the body: it would take the
// closed body for a failure and end the connection in the middle of the answer (golang/go#40747).
func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status := http.StatusBadRequest
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			status = http.StatusRequestEntityTooLarge
		}
		w.WriteHeader(status)
		return
	}
	whole := r.Clone(r.Context())
	whole.ContentLength, whole.TransferEncoding = int64(len(body)), nil
	whole.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	whole.Body, _ = whole.GetBody()
	b.ReverseProxy.ServeHTTP(w, whole)
}

// RoundTrip implements [http.RoundTripper]. A replica that cannot be connected to has not received the request.
func (b *balancer) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	for range b.hosts {
		r.URL.Host = b.choose()
		if r.Body != nil {
			r.Body, _ = r.GetBody()
		}
		resp, err = b.next.RoundTrip(r)
		if fault, ok := errors.AsType[*net.OpError](err); !ok || fault.Op != "dial" {
			return resp, err
		}
	}
	return resp, err
}
