package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/test/port"
)

// lateEnd is a body whose end is read long after the rest of it.
type lateEnd struct {
	io.ReadCloser
	left int64
}

func (b *lateEnd) Read(p []byte) (int, error) {
	if b.left <= 0 {
		time.Sleep(100 * time.Millisecond)
		return b.ReadCloser.Read(p)
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if b.left <= 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// startBalancer starts a balancer of the replicas at the given addresses.
func startBalancer(t *testing.T, wrap func(http.Handler) http.Handler, addresses ...string) (url string) {
	t.Helper()
	var replicas []*replica
	for _, address := range addresses {
		replicas = append(replicas, &replica{address: address})
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	server := httptest.NewServer(wrap(newBalancer(ctx, replicas)))
	t.Cleanup(server.Close)
	return server.URL
}

// TestEarlyAnswer: the balancer passes a stream on to its end that begins before the end of the request's body was seen.
func TestEarlyAnswer(t *testing.T) {
	begun := make(chan struct{})
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			return
		}
		io.ReadFull(r.Body, make([]byte, r.ContentLength))
		io.WriteString(w, "first\n")
		http.NewResponseController(w).Flush()
		<-begun
		time.Sleep(200 * time.Millisecond) // until the end of the body was seen
		io.WriteString(w, "second\n")
	}))
	defer behind.Close()
	url := startBalancer(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Body = &lateEnd{r.Body, r.ContentLength}
			next.ServeHTTP(w, r)
		})
	}, behind.Listener.Addr().String())
	resp, err := http.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","method":"ping","id":1}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	first, err := lines.ReadString('\n')
	close(begun)
	if err != nil || first != "first\n" {
		t.Fatalf("%q, %v", first, err)
	}
	if second, err := lines.ReadString('\n'); err != nil || second != "second\n" {
		t.Errorf("%q, %v", second, err)
	}
}

// TestNextReplica: a message that a replica cannot be sent goes to the next one as a whole.
func TestNextReplica(t *testing.T) {
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer echo.Close()
	url := startBalancer(t, func(h http.Handler) http.Handler { return h }, port.Address(), echo.Listener.Addr().String())
	for range 4 {
		resp, err := http.Post(url, "application/json", strings.NewReader("the message"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(got) != "the message" {
			t.Errorf("%s: %q, %v", resp.Status, got, err)
		}
	}
}

// TestLargeMessage: a message that is larger than any replica would take is refused.
func TestLargeMessage(t *testing.T) {
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer echo.Close()
	url := startBalancer(t, func(h http.Handler) http.Handler { return h }, echo.Listener.Addr().String())
	resp, err := http.Post(url, "application/json", strings.NewReader(strings.Repeat("x", maxBody+1)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Error(resp.Status)
	}
}
