package page_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/playground/page"
	"github.com/rpcgen-go/rpcgen/runtime/x/explorer"
)

// TestHandler: the page and all that it names are there, its texts are compiled, and requests of other pages are refused.
func TestHandler(t *testing.T) {
	h := page.Handler(explorer.NewGuard())
	ask := func(method, path, body string, change func(r *http.Request)) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
		r = r.WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}))
		r.Header.Set("Content-Type", "application/json")
		if change != nil {
			change(r)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for path, want := range map[string]string{
		"/": "playground.js", "/playground.js": "worker.js", "/zip.js": "zip", "/fragment.js": "decode", "/dom.js": "tabs", "/look.css": "--ground", "/worker.js": "'compile'", "/examples": "rpcgen: v1",
	} {
		if w := ask("GET", path, "", nil); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d, %.100s", path, w.Code, w.Body)
		}
	}
	const request = `{"files":{"a.rpc.yaml":"rpcgen: v1\npackage: a\ntypes: {A: strin}\n"},"main":"a.rpc.yaml","want":[]}`
	if w := ask("POST", "/compile", request, nil); w.Code != 200 || !strings.Contains(w.Body.String(), "UnknownType") {
		t.Errorf("%d, %s", w.Code, w.Body)
	}
	if w := ask("POST", "/compile", request, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }); w.Code != 403 {
		t.Errorf("a page of another site is answered %d", w.Code)
	}
	if w := ask("POST", "/compile", request, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }); w.Code != 415 {
		t.Errorf("a plain text is answered %d", w.Code)
	}
}
