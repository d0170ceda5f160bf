package main

import (
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

// balancer sends each request to the next replica. It knows nothing of sessions. A replica that accepts no connections is passed over.
type balancer struct {
	httputil.ReverseProxy
	hosts []string
	turn  atomic.Uint64
	next  http.Transport
}

func newBalancer(replicas []*replica) *balancer {
	b := &balancer{next: http.Transport{
		DialContext: (&net.Dialer{Timeout: time.Second}).DialContext, MaxIdleConnsPerHost: 100, ResponseHeaderTimeout: 20 * time.Second,
	}}
	for _, r := range replicas {
		b.hosts = append(b.hosts, r.address)
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

// RoundTrip implements [http.RoundTripper].
func (b *balancer) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	for range b.hosts {
		r.URL.Host = b.hosts[b.turn.Add(1)%uint64(len(b.hosts))]
		resp, err = b.next.RoundTrip(r)
		if fault, ok := errors.AsType[*net.OpError](err); !ok || fault.Op != "dial" {
			return resp, err
		}
	}
	return resp, err
}
