package web

import (
	"net/http"
	"slices"
	"strings"
)

// Sharing says what pages of listed origins may send, and read of the answers (Fetch, section 3.3).
type Sharing struct {
	Methods string   // such as "POST", or "GET, POST"
	Headers []string // that requests may have
	Prefix  string   // lower case: requests may have all headers whose names begin with it; "" for none
	Exposed string   // headers that a page may read, such as "Retry-After"
}

// Share adds the headers that let pages of listed origins use the server. It reports whether the request is a preflight, which is then
// answered 204 without a body. It does nothing where no origin is listed.
func (g *Guard) Share(w http.ResponseWriter, r *http.Request) (preflight bool) {
	s := &g.Sharing
	if len(g.origins) == 0 {
		return false
	}
	header := w.Header()
	header.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" || !containsFold(g.origins, strings.ToLower(origin)) {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origin)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		header.Set("Access-Control-Expose-Headers", s.Exposed)
		return false
	}
	header.Set("Access-Control-Allow-Methods", s.Methods)
	header.Set("Access-Control-Allow-Headers", strings.Join(slices.Concat(s.Headers, s.allowedHeaders(r)), ", "))
	header.Set("Access-Control-Max-Age", "600") // seconds
	return true
}

// allowedHeaders returns the headers that a preflight asks for and that are allowed by their prefix.
func (s *Sharing) allowedHeaders(r *http.Request) []string {
	if s.Prefix == "" {
		return nil
	}
	var names []string
	for _, name := range strings.Split(strings.Join(r.Header["Access-Control-Request-Headers"], ","), ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); strings.HasPrefix(name, s.Prefix) && !strings.ContainsFunc(name, func(r rune) bool {
			return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
		}) { // RFC 9110, section 5.6.2
			names = append(names, name)
		}
	}
	return names
}
