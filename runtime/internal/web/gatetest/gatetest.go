// Package gatetest is the contract of servers that authenticate requests, as a test suite.
//
//test:by ./runtime/transport/rpchttp
package gatetest

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// Settings are those of a server under test.
type Settings struct {
	Max, MaxEach int          // requests that are authenticated at the same time: in all, and of one address
	Verify       func() error // authenticates a request with a token; an error means that the token is not valid
	Log          *slog.Logger
}

// Server is a server under test.
type Server struct {
	New     func(s Settings) http.Handler
	Request func() *http.Request // with a token
}

// Run tests a server.
func Run(t *testing.T, s Server) {
	t.Run("limits", s.limits)
	t.Run("panics", s.panics)
}

// send serves a request of an address.
func (s *Server) send(h http.Handler, address string) *httptest.ResponseRecorder {
	r := s.Request()
	r.RemoteAddr = address
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var errToken = errors.New("the token is not valid")

// limits: of a flood of requests, only as many are authenticated at the same time as the limits allow; the others are refused before.
func (s *Server) limits(t *testing.T) {
	const most, each, flood = 50, 10, 400
	events, release := make(chan int), make(chan struct{}) // a status, or 0 when a request is being verified
	h := s.New(Settings{Max: most, MaxEach: each, Log: slog.New(slog.DiscardHandler), Verify: func() error {
		select {
		case <-release:
		case events <- 0:
			<-release
		}
		return errToken
	}})
	var verified sync.WaitGroup
	// start starts a flood, and returns how many requests were answered with each status, and how many are being verified.
	start := func(address func(i int) string) (counts map[int]int) {
		for i := range flood {
			verified.Go(func() {
				w := s.send(h, address(i))
				if w.Code == http.StatusUnauthorized {
					return
				}
				if w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"error"`) {
					t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
				}
				events <- w.Code
			})
		}
		counts = map[int]int{}
		for range flood {
			counts[<-events]++
		}
		return counts
	}
	one := start(func(i int) string { return fmt.Sprintf("[2001:db8::%x]:%d", i, i+1) }) // which are in one network
	if got, want := fmt.Sprint(one), fmt.Sprint(map[int]int{0: each, http.StatusTooManyRequests: flood - each}); got != want {
		t.Errorf("of one client: %s, not %s", got, want)
	}
	all := start(func(i int) string { return fmt.Sprintf("192.0.2.%d:1", i%100) })
	if got, want := fmt.Sprint(all), fmt.Sprint(map[int]int{0: most - each, http.StatusServiceUnavailable: flood - most + each}); got != want {
		t.Errorf("in all: %s, not %s", got, want)
	}
	close(release)
	verified.Wait()
	for i := range flood {
		if w := s.send(h, "192.0.2.1:1"); w.Code != http.StatusUnauthorized {
			t.Fatalf("request %d after the flood: %d", i, w.Code)
		}
	}
}

// panics: a panic of the function that verifies is an answer that says nothing about it, and a limited number of records with a stack.
func (s *Server) panics(t *testing.T) {
	var log bytes.Buffer
	var fault func()
	h := s.New(Settings{Max: 5, MaxEach: 5, Log: slog.New(slog.NewTextHandler(&log, nil)), Verify: func() error {
		if fault != nil {
			fault()
		}
		return errToken
	}})
	for i, name := range []string{"panic", "Goexit"} { // in this order: few records are written
		fault = []func(){func() { panic("confidential") }, goruntime.Goexit}[i]
		for range 100 {
			answered := make(chan *httptest.ResponseRecorder, 1)
			go func() {
				w := httptest.NewRecorder()
				defer func() { answered <- w }()
				h.ServeHTTP(w, s.Request())
			}()
			if w := <-answered; w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "-32603") ||
				strings.Contains(w.Body.String(), "confidential") {
				t.Fatalf("%s: %d %s", name, w.Code, w.Body)
			}
		}
	}
	if n := strings.Count(log.String(), "level=ERROR"); n == 0 || n > peerlog.Burst || !strings.Contains(log.String(), "confidential") ||
		!strings.Contains(log.String(), "gatetest.go") {
		t.Errorf("%d records:\n%.2000s", n, log.String())
	}
	fault = nil
	if w := s.send(h, "192.0.2.1:1"); w.Code != http.StatusUnauthorized {
		t.Errorf("after the panics: %d", w.Code)
	}
	fault = func() { panic(http.ErrAbortHandler) }
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("a handler that gives the connection up: %v", p)
		}
	}()
	s.send(h, "192.0.2.1:1")
	t.Error("a handler that gives the connection up was answered")
}
