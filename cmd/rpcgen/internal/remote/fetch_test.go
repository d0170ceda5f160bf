package remote

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
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
