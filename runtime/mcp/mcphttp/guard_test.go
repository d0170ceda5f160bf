package mcphttp

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

func TestGuard(t *testing.T) {
	const local, public = "127.0.0.1", "192.0.2.7"
	for name, c := range map[string]struct {
		addr, host, origin string
		hosts, origins     []string
		good               bool
	}{
		"localhost":                       {local, "localhost:8080", "", nil, nil, true},
		"localhost, no port":              {local, "LOCALHOST", "", nil, nil, true},
		"127.0.0.1":                       {local, "127.0.0.1:1", "", nil, nil, true},
		"::1":                             {"::1", "[::1]:8080", "", nil, nil, true},
		"::1, no port":                    {"::1", "[::1]", "", nil, nil, true},
		"rebound name":                    {local, "evil.example.com", "http://evil.example.com", nil, nil, false},
		"no host, as in HTTP/1.0":         {local, "", "", nil, nil, false},
		"rebound name, no origin":         {local, "evil.example.com", "", nil, nil, false},
		"a name that only begins like it": {local, "localhost.evil.example.com", "", nil, nil, false},
		"no host":                         {local, "", "", nil, nil, false},
		"own page":                        {local, "localhost:8080", "http://localhost:8080", nil, nil, true},
		"page of the machine":             {local, "localhost:8080", "http://127.0.0.1:6274", nil, nil, true},
		"page of another site":            {local, "localhost:8080", "https://evil.example.com", nil, nil, false},
		"no site":                         {local, "localhost:8080", "null", nil, nil, false},
		"no URL":                          {local, "localhost:8080", "::", nil, nil, false},
		"other scheme":                    {local, "localhost:8080", "file://localhost", nil, nil, false},
		"listed page":                     {local, "localhost:8080", "https://app.example.com", nil, []string{"https://app.example.com/"}, true},
		"listed, other case":              {local, "localhost:8080", "HTTPS://App.example.com", nil, []string{"https://app.example.com"}, true},
		"any page":                        {local, "localhost:8080", "https://evil.example.com", nil, []string{"*"}, true},
		"listed host":                     {local, "mcp.example.com", "", []string{"mcp.example.com"}, nil, true},
		"any host":                        {local, "mcp.example.com", "", []string{"*"}, nil, true},
		"public":                          {public, "mcp.example.com", "", nil, nil, true},
		"public, page":                    {public, "mcp.example.com", "https://mcp.example.com", nil, nil, false},
		"public, listed host, own page":   {public, "mcp.example.com", "https://mcp.example.com", []string{"MCP.example.com"}, nil, true},
		"public, other host":              {public, "evil.example.com", "", []string{"mcp.example.com"}, nil, false},
		"public, localhost":               {public, "localhost", "", []string{"mcp.example.com"}, nil, false},
		"public, page of the machine":     {public, "mcp.example.com", "http://localhost:3000", nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := web.NewGuard(c.hosts, c.origins)
			r := httptest.NewRequest("POST", "/mcp", nil)
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(c.addr)}))
			r.Host = c.host
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			if fault := g.Check(r); (fault == "") != c.good {
				t.Error(fault)
			}
		})
	}
}

// TestForeign: what a browser asks for without an Origin is refused if it is for a page of another site, such as for a picture of it.
func TestForeign(t *testing.T) {
	for name, c := range map[string]struct {
		host, site, dest string
		origins          []string
		pages, good      bool
	}{
		"a picture":                   {"localhost", "cross-site", "image", nil, false, false},
		"a page's picture":            {"localhost", "cross-site", "image", nil, true, false},
		"a link":                      {"localhost", "cross-site", "document", nil, false, false},
		"a link to a page":            {"localhost", "cross-site", "document", nil, true, true},
		"a frame of a page":           {"localhost", "cross-site", "iframe", nil, true, false},
		"another port":                {"localhost", "same-site", "image", nil, false, true},
		"another name of a domain":    {"mcp.example.com", "same-site", "image", nil, false, false},
		"the same origin":             {"mcp.example.com", "same-origin", "empty", nil, false, true},
		"what a person types":         {"localhost", "none", "document", nil, false, true},
		"no browser":                  {"localhost", "", "", nil, false, true},
		"pages of all sites are fine": {"localhost", "cross-site", "image", []string{"*"}, false, true},
	} {
		g := web.NewGuard([]string{"mcp.example.com"}, c.origins)
		g.Pages = c.pages
		r := httptest.NewRequest("GET", "/mcp", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}))
		r.Host = c.host
		for key, value := range map[string]string{"Sec-Fetch-Site": c.site, "Sec-Fetch-Dest": c.dest} {
			if value != "" {
				r.Header.Set(key, value)
			}
		}
		if fault := g.Check(r); (fault == "") != c.good {
			t.Errorf("%s: %q", name, fault)
		}
	}
}

// TestHangUp: a refusal ends the connection, so that nothing more of a message comes, but not one of HTTP/2, which other requests share.
func TestHangUp(t *testing.T) {
	h := NewHandler(newWorkshop().Server, Options{MaxBody: 10})
	defer h.Close()
	for proto, want := range map[int]string{1: "close", 2: ""} {
		r, w := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat(" ", 11))), httptest.NewRecorder()
		r.ProtoMajor = proto
		r.Header.Set("Content-Type", typeJSON)
		if h.ServeHTTP(w, r); w.Code != 413 || w.Header().Get("Connection") != want {
			t.Errorf("HTTP/%d: %d %q", proto, w.Code, w.Header().Get("Connection"))
		}
	}
}

func TestGuardOverHTTP(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	if a := s.callStateless("echo", "Host: evil.example.com", "Origin: http://evil.example.com"); a.status != 403 {
		t.Error(a)
	}
	if a := s.callStateless("echo", "Origin: "+s.HTTP.URL); a.status != 200 {
		t.Error(a)
	}
}

func TestAccepts(t *testing.T) {
	for accept, want := range map[string]bool{
		"application/json, text/event-stream":         true,
		"text/event-stream,application/json":          true,
		"APPLICATION/JSON;q=0.5, Text/Event-Stream":   true,
		"application/*, text/*;q=0.1":                 true,
		"*/*":                                         true,
		"application/json":                            false,
		"text/event-stream":                           false,
		"application/json, text/event-stream;q=0":     false,
		"application/json, text/event-stream; q=0.00": false,
		"text/html":                                   false,
		",;,":                                         false,
	} {
		if got := web.Accepts(http.Header{"Accept": {accept}}, typeJSON, typeStream); got != want {
			t.Error(accept, got)
		}
	}
	if !web.Accepts(http.Header{"Accept": {typeJSON, typeStream}}, typeJSON, typeStream) {
		t.Error("two fields are one list")
	}
}

// TestCORS: pages of listed origins may use the server, before they have a token too, and others not.
func TestCORS(t *testing.T) {
	const app, other = "https://app.example.com", "https://evil.example.com"
	s := newSite(t, newWorkshop(), Options{AllowedOrigins: []string{app}, Auth: Tokens(map[string]string{"secret": "ann"})})
	preflight := func(origin string) answer {
		return s.send("OPTIONS", "", "Origin: "+origin, "Access-Control-Request-Method: POST",
			"Access-Control-Request-Headers: content-type,mcp-method, Mcp-Param-Region,x-other,mcp-\"")
	}
	got := preflight(app)
	const headers = "Content-Type, Authorization, Last-Event-Id, mcp-method, mcp-param-region"
	if got.status != 204 || got.header.Get("Access-Control-Allow-Origin") != app || got.header.Get("Access-Control-Allow-Methods") != "GET, POST, DELETE" ||
		got.header.Get("Access-Control-Allow-Headers") != headers || got.header.Get("Vary") != "Origin" {
		t.Errorf("%+v", got)
	}
	got = s.callStateless("echo", "Origin: "+app)
	if got.status != 401 || got.header.Get("Access-Control-Allow-Origin") != app || got.header.Get("Access-Control-Expose-Headers") != "Mcp-Session-Id, WWW-Authenticate, Retry-After" {
		t.Errorf("%+v", got)
	}
	if got = preflight(other); got.status != 403 || got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%+v", got)
	}
	if got = s.callStateless("echo", "Authorization: Bearer secret"); got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%+v", got)
	}
}
