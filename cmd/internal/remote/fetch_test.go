package remote

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rpcgen-go/rpcgen/test/waits"
)

// TestFetchRedirects: other hosts than the one that was named get neither the headers of a person nor the URL, also when they redirect back.
func TestFetchRedirects(t *testing.T) {
	var mu sync.Mutex
	var got []string
	note := func(where string, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, where+" "+r.Header.Get("X-Api-Key")+r.Header.Get("Authorization")+r.Header.Get("Cookie")+r.Header.Get("Referer"))
	}
	var site, other *httptest.Server
	other = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note("other", r)
		switch r.URL.Path {
		case "/back":
			http.Redirect(w, r, site.URL+"/end", http.StatusFound)
		case "/closed":
			http.Error(w, "who are you?", http.StatusUnauthorized)
		}
	}))
	defer other.Close()
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note("site", r)
		switch r.URL.Path {
		case "/within":
			http.Redirect(w, r, "/end", http.StatusFound)
		case "/end":
		case "/endless":
			http.Redirect(w, r, "/endless", http.StatusFound)
		default:
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		}
		io.WriteString(w, "{}")
	}))
	defer site.Close()
	const sent = "keytokencookie"
	for _, tt := range []struct{ path, want, err string }{
		{"/within", "site " + sent + "|site " + sent, ""},
		{"/away", "site " + sent + "|other ", ""},
		{"/back", "site " + sent + "|other |site ", ""},
		{"/closed", "site " + sent + "|other ", "it redirects to " + strings.TrimPrefix(other.URL, "http://") + ", which gets no headers of -H and answers 401 Unauthorized"},
		{"/endless", strings.Repeat("|site "+sent, 11)[1:], "more than 10 redirects"},
	} {
		got = nil
		_, err := Fetch(t.Context(), site.URL+tt.path+"?key=secret", []string{"X-Api-Key: key", "Authorization: token", "Cookie: cookie"})
		if text := strings.Join(got, "|"); text != tt.want {
			t.Errorf("%s: got %q, want %q", tt.path, text, tt.want)
		}
		if (err != nil) != (tt.err != "") || err != nil && err.Error() != tt.err {
			t.Errorf("%s: %v", tt.path, err)
		}
	}
}

// TestFetchGoneAway: a server that answers each request over HTTP/2 with the end of its connection gets few connections.
func TestFetchGoneAway(t *testing.T) {
	t.Parallel()
	var conns atomic.Int32
	site := httptest.NewUnstartedServer(nil)
	site.EnableHTTP2 = true
	site.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": func(_ *http.Server, c *tls.Conn, _ http.Handler) {
		if conns.Add(1) > 1000 {
			t.Error("there is no end of connections")
			site.Listener.Close()
		}
		io.ReadFull(c, make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")))
		c.Write([]byte("\x00\x00\x00\x04\x00\x00\x00\x00\x00" + "\x00\x00\x08\x07\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 8))) // SETTINGS, GOAWAY
		io.Copy(io.Discard, c)
	}}
	site.StartTLS()
	defer site.Close()
	_, err := fetchBy(t.Context(), site.Client().Transport, site.URL, nil)
	if err == nil || err.Error() != "the server ends each connection before it answers" {
		t.Error(err)
	}
	if n := conns.Load(); n > mostConnections+1 { // one may be on its way when there are too many
		t.Errorf("%d connections are made", n)
	}
}

// TestFetchNothing: the error of an address where nothing listens says what helps.
func TestFetchNothing(t *testing.T) {
	t.Parallel()
	if _, err := Fetch(t.Context(), "http://"+unused(t), nil); err == nil || !strings.Contains(err.Error(), ": nothing listens at this address: start the server, or correct the URL") {
		t.Error(err)
	}
}

// TestServeHTTPWaits: a client that stops halfway is not waited for, whatever the handler does with its request.
func TestServeHTTPWaits(t *testing.T) {
	waits.Test(t, func(ctx context.Context, l net.Listener) error {
		mux := http.NewServeMux()
		mux.HandleFunc("/rpc", func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(w, r.Body); err == nil {
				w.Write(make([]byte, 100_000))
			}
		})
		mux.HandleFunc("/livez", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
		return ServeHTTP(ctx, l, mux, log.New(io.Discard, "", 0))
	})
}
