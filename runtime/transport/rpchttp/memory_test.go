package rpchttp

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/heap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// blocked is a service whose calls begin, and last until release is closed.
func blocked() (h runtime.Handler, began, release chan struct{}) {
	began, release = make(chan struct{}), make(chan struct{})
	return weather.NewHandler(&weather.Server{Way: runtime.Plain, Current: func(context.Context, weather.CurrentParams) (weather.Report, error) {
		began <- struct{}{}
		<-release
		return weather.Report{City: "x"}, nil
	}}), began, release
}

const before, after = `{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"`, `"}}`

// TestHeldBytes drives the memory of requests to its limits.
func TestHeldBytes(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	limit := heap.Limit()
	h, began, release := blocked()
	r := httptest.NewRequest(http.MethodPost, "http://localhost/", nil)
	r.Header.Set("Content-Type", "application/json")
	heap.Requests(t, limit, heap.Service{
		Handler: NewHandler(h, Options{MaxBytes: limit, Runtime: runtime.Options{Logger: quiet}}), Request: r,
		Before: before, After: after, Began: began, Release: release,
	})
}

// TestHeldExpanded: a compressed message counts with the size that it expands to.
func TestHeldExpanded(t *testing.T) {
	h, began, release := blocked()
	s := NewHandler(h, Options{MaxBytes: 8 << 20, Runtime: runtime.Options{Logger: quiet}})
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	z.Write([]byte(before + strings.Repeat("x", 1<<20) + after))
	z.Close()
	send := func() *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/", bytes.NewReader(body.Bytes()))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Content-Encoding", "gzip")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	first := make(chan *httptest.ResponseRecorder)
	go func() { first <- send() }()
	<-began
	if w := send(); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Error("a second message is answered", w.Code, w.Body)
	}
	close(release)
	if w := <-first; w.Code != http.StatusOK {
		t.Error("the first message is answered", w.Code, w.Body)
	}
	go func() { <-began }()
	if w := send(); w.Code != http.StatusOK {
		t.Error("a message after the first one is answered", w.Code, w.Body)
	}
}

// stuck is a response that a client does not take before release is closed.
type stuck struct {
	*httptest.ResponseRecorder
	writing chan<- struct{}
	release <-chan struct{}
}

func (s stuck) Write(b []byte) (int, error) {
	s.writing <- struct{}{}
	<-s.release
	return s.ResponseRecorder.Write(b)
}

// TestHeldAnswers: an answer that its client does not take counts, and there is room again when it was taken.
func TestHeldAnswers(t *testing.T) {
	h := weather.NewHandler(&weather.Server{Way: runtime.Plain, Current: func(context.Context, weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: strings.Repeat("x", 8<<10)}, nil
	}})
	s := NewHandler(h, Options{MaxBytes: 30 << 10, CompressFrom: -1, Runtime: runtime.Options{Logger: quiet}})
	send := func(w http.ResponseWriter) {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(before+"x"+after))
		r.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(w, r)
	}
	writing, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	first := httptest.NewRecorder()
	go func() {
		send(stuck{first, writing, release})
		close(ended)
	}()
	<-writing
	w := httptest.NewRecorder()
	if send(w); w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "may have been executed") {
		t.Error("a second call is answered", w.Code, w.Body)
	}
	close(release)
	<-ended
	w = httptest.NewRecorder()
	if send(w); w.Code != http.StatusOK || first.Code != http.StatusOK || w.Body.Len() != first.Body.Len() {
		t.Error("a call after the first one is answered", w.Code, w.Body, first.Code, first.Body)
	}
}
