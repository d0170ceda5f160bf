package rpchttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// TestRepeatedToken: a token that a server repeats is in no error, however it repeats it, and wherever the client has it from. Results are
// data, and stay.
func TestRepeatedToken(t *testing.T) {
	const token = "SECRET-TOKEN.with~some+more_characters-1"
	escaped := strings.ReplaceAll(token, "-", `\u002d`)
	for name, c := range map[string]struct {
		status int
		body   string
		header http.Header
	}{
		"message":            {200, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"bad ` + token + `"}}`, nil},
		"an escape":          {200, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"bad ` + escaped + `"}}`, nil},
		"data":               {422, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"bad","data":{"` + token + `":"` + escaped + `"}}}`, nil},
		"no id":              {500, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"bad ` + token + `","data":"` + token + `"}}`, nil},
		"a batch":            {200, `[{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"bad ` + token + `"}}]`, nil},
		"an error of HTTP":   {401, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"bad ` + token + `","data":"` + token + `"}}`, nil},
		"a page":             {500, "<html>" + token, nil},
		"a page, after 1 KB": {500, strings.Repeat(" ", 1000) + token, nil},
		"a page, in a URL":   {500, strings.ReplaceAll(token, "-", "%2d"), nil},
		"401":                {401, "bad " + token, nil},
		"403":                {403, "bad " + token, nil},
		"another id":         {200, `{"jsonrpc":"2.0","id":7,"result":"` + token + `"}`, nil},
		"a redirect":         {307, "", http.Header{"Location": {"/elsewhere?" + token}}},
		"a strange redirect": {307, "", http.Header{"Location": {"http://%zz" + token}}},
	} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery != "" { // of the redirect: a response that is none
				conn, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					fmt.Fprintf(conn, "HTTP/1.1 %s\r\n\r\n", token)
					conn.Close()
				}
				return
			}
			for name, values := range c.header {
				w.Header()[name] = values
			}
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		}))
		for from, o := range map[string]ClientOptions{
			"Token":       {Token: StaticToken(token)},
			"Header":      {Header: http.Header{"Authorization": {"Bearer " + token}}},
			"another":     {Header: http.Header{"X-Api-Key": {token}}},
			"HTTP client": {HTTP: &http.Client{Transport: adding{token}}},
		} {
			conn, err := Dial(site.URL, o)
			if err != nil {
				t.Fatal(err)
			}
			var written bytes.Buffer
			_, called := weather.NewClient(conn).Current(t.Context(), weather.CurrentParams{City: "x"})
			all, batched := conn.CallBatch(t.Context(), 1, 1, []byte(`[]`))
			for _, err := range []error{called, batched, conn.Notify(t.Context(), []byte(`{}`))} {
				fmt.Fprintf(&written, "%v %+v %#v\n", err, err, err)
				if e, ok := errors.AsType[*StatusError](err); ok {
					fmt.Fprintf(&written, "%+v\n", *e)
				}
				if e, ok := errors.AsType[*runtime.Error](err); ok {
					fmt.Fprintf(&written, "%+v %s\n", *e, e.Data)
				}
			}
			for _, one := range all {
				fmt.Fprintf(&written, "%s\n", one)
			}
			if called == nil && batched == nil {
				t.Errorf("%s, %s: no error", name, from)
			}
			text := written.String()
			if strings.Contains(text, token) || strings.Contains(text, escaped) || strings.Contains(text, "%2d") {
				t.Errorf("%s, %s: %s", name, from, text)
			}
			conn.Close()
		}
		site.Close()
	}
}

// adding sends requests with a token, as a client of OAuth does.
type adding struct{ token string }

func (a adding) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+a.token)
	return (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
}

// TestResultsStay: what a server answers is data.
func TestResultsStay(t *testing.T) {
	server := office()
	server.Current = func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: p.City}, nil
	}
	s := newSite(t, weather.NewHandler(server), Options{})
	got, err := weather.NewClient(s.dial(ClientOptions{Token: StaticToken("Lisbon")})).Current(t.Context(), weather.CurrentParams{City: "Lisbon"})
	if err != nil || got.City != "Lisbon" {
		t.Error(got, err)
	}
}

// TestLargeHeaders: a server cannot make a client read headers without end.
func TestLargeHeaders(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 1<<20))
	}))
	defer site.Close()
	conn, err := Dial(site.URL, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := weather.NewClient(conn).Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "server response headers exceeded 65536 bytes") {
		t.Errorf("%.200v", err)
	}
}
