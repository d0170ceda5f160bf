package web

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// Guard keeps pages of other sites from using a server in the browsers of people who can reach it: by requests across origins, and by
// DNS names that are rebound to its address (basic/transports/streamable-http, Security & Endpoint).
type Guard struct {
	hosts   []string // lower case; nil selects the default for the listener's address
	origins []string // lower case
	Sharing Sharing
	Pages   bool // links of other sites may open what is guarded
}

// NewGuard returns one for names of hosts and for origins, as the options AllowedHosts and AllowedOrigins describe them.
func NewGuard(hosts, origins []string) Guard {
	return Guard{hosts: lower(hosts), origins: lower(origins)}
}

func lower(all []string) []string {
	var out []string
	for _, s := range all {
		out = append(out, strings.ToLower(strings.TrimSuffix(s, "/")))
	}
	return out
}

// Check returns what is wrong with the request, or "".
func (g *Guard) Check(r *http.Request) string {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	tcp, ok := addr.(*net.TCPAddr)
	local := ok && tcp.IP.IsLoopback()
	host := hostname(r.Host)
	checked := local || g.hosts != nil
	if checked && !(local && isLoopback(host)) && !containsFold(g.hosts, host) {
		if host == "" { // HTTP/1.0
			return "the request has no Host header"
		}
		return "the Host header " + peerlog.Clip(r.Host) + " is not one of this server"
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 && g.foreign(r, host) {
		return "a page of another site may not use this server: Sec-Fetch-Site is " + peerlog.Clip(r.Header.Get("Sec-Fetch-Site"))
	}
	if len(origins) == 0 || len(origins) == 1 && g.allows(origins[0], r.Host, local, checked) {
		return ""
	}
	return "the Origin " + peerlog.Clip(strings.Join(origins, ", ")) + " may not use this server"
}

// foreign reports whether a browser makes a request without an Origin for a page of another site, such as for a picture of it.
func (g *Guard) foreign(r *http.Request, host string) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "cross-site" && (site != "same-site" || isLoopback(host)) || containsFold(g.origins, "*") {
		return false
	}
	return !g.Pages || r.Header.Get("Sec-Fetch-Dest") != "document"
}

// allows reports whether a page of the origin may use the server.
func (g *Guard) allows(origin, host string, local, checked bool) bool {
	origin = strings.ToLower(origin)
	if containsFold(g.origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		(checked && u.Host == strings.ToLower(host) || local && isLoopback(hostname(u.Host)))
}

func containsFold(all []string, s string) bool {
	return len(all) > 0 && (slices.Contains(all, s) || slices.Contains(all, "*"))
}

// isLoopback reports whether a name stands for this machine alone.
func isLoopback(name string) bool {
	return name == "localhost" || name == "127.0.0.1" || name == "[::1]"
}

// hostname returns a host in lower case without its port.
func hostname(host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.IndexByte(host[i:], ']') < 0 {
		host = host[:i]
	}
	return strings.ToLower(host)
}
