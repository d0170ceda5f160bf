package heap

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Service is an HTTP handler under test, whose calls last until Release is closed.
type Service struct {
	Handler http.Handler
	Request *http.Request // its headers are those of all requests

	// Before and After enclose a text in the body of a request. If Began is not called by a call, the
	// answer ends it.
	Before, After string
	Began         chan struct{}
	Release       chan struct{}
}

// Requests drives the memory of requests to the limit, in bytes: with those of one client, which gets
// half of it, and then with those of many.
func Requests(t *testing.T, limit int64, s Service) {
	const parts = 32
	size := int(limit) / parts
	var calls sync.WaitGroup
	send := func(t *testing.T, network string, clients int) (refused int) {
		t.Helper()
		ended := make(chan int, 2*parts)
		for i := range 2 * parts {
			r := s.Request.Clone(t.Context())
			r.RemoteAddr = network + strconv.Itoa(1+i%clients) + ":4000"
			r.ContentLength = int64(len(s.Before) + size + len(s.After))
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader(s.Before), io.LimitReader(letters{}, int64(size)), strings.NewReader(s.After)))
			calls.Go(func() {
				w := httptest.NewRecorder()
				s.Handler.ServeHTTP(w, r)
				ended <- w.Code
			})
			select { // one after the other: the copies of messages that arrive at the same time count as well
			case <-s.Began:
			case code := <-ended:
				want := http.StatusServiceUnavailable
				if clients == 1 {
					want = http.StatusTooManyRequests
				}
				if code != want {
					t.Errorf("a request is answered %d, not %d", code, want)
				}
				refused++
			}
		}
		return refused
	}
	t.Run("one client", func(t *testing.T) {
		AtMost(t, limit/2, func() {
			if refused := send(t, "192.0.2.", 1); refused < parts {
				t.Error(refused, "of", 2*parts, "requests are refused")
			}
		})
	})
	t.Run("many clients", func(t *testing.T) {
		AtMost(t, limit/2, func() {
			if refused := send(t, "198.51.100.", 50); refused < parts {
				t.Error(refused, "of", 2*parts, "requests are refused")
			}
		})
	})
	close(s.Release)
	calls.Wait()
}

// letters is an endless text.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
