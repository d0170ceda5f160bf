package backend_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
)

// TestWaitWithoutFields waits for a call whose path names no fields of the input.
func TestWaitWithoutFields(t *testing.T) {
	var last string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last = r.RequestURI
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusAccepted)
		}
		_, _ = io.WriteString(w, `{"id":7,"done":true}`)
	}))
	defer site.Close()
	c, err := backend.New(&backend.API{Name: "api", Server: site.URL}, backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	call := &backend.Call{Tool: "t", Method: "POST", Path: "/jobs", Wait: &backend.Wait{Path: "/jobs/{id}", ID: "id", Until: []backend.Header{{Name: "done", Value: "true"}}, Every: time.Millisecond}}
	if err := c.Do(t.Context(), call, nil, nil, nil); err != nil || last != "/jobs/7" {
		t.Error(err, last)
	}
}
