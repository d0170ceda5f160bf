package mcpauth

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// guard decides where requests for metadata, registrations and tokens may go: their URLs come from
// servers, which may name services that only this machine reaches (server-side request forgery).
type guard struct {
	server  *url.URL // the MCP server, to which the client connects anyway
	private bool     // allow every address

	mu      sync.Mutex
	proxies map[string]bool // host and port of the proxies that the environment names
}

// check returns an error if a URL may not be requested.
func (g *guard) check(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return nil, fmt.Errorf("%w: it is not an absolute URL", ErrBlocked)
	case u.User != nil || strings.Contains(raw, "#"):
		return nil, fmt.Errorf("%w: it has a user or a fragment", ErrBlocked)
	case !secure(u):
		return nil, fmt.Errorf("%w: only https is, and http to this machine", ErrBlocked)
	case isLoopback(u.Hostname()) && !g.local() && !g.private:
		return nil, errLocal
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && !strings.EqualFold(u.Host, g.server.Host) {
		if err := g.checkAddr(addr); err != nil {
			return nil, err
		}
	}
	return u, nil
}

var errLocal = fmt.Errorf("%w: it belongs to this machine or to a private network (Options.AllowPrivate allows those)", ErrBlocked)

// secure reports whether what is sent to a URL cannot be read on the way.
func secure(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname())
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// local reports whether the MCP server is on this machine: then its authorization server may be,
// too.
func (g *guard) local() bool { return isLoopback(g.server.Hostname()) }

// nonPublicNetworks are networks that are not public, in addition to those that package netip knows.
var nonPublicNetworks = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10")

func prefixes(all ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range all {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// checkAddr returns an error if an address may not be connected to.
func (g *guard) checkAddr(addr netip.Addr) error {
	addr = addr.Unmap().WithZone("")
	switch {
	case g.private, addr.IsLoopback() && g.local():
		return nil
	case !addr.IsGlobalUnicast(), addr.IsPrivate():
		return errLocal
	}
	for _, p := range nonPublicNetworks {
		if p.Contains(addr) {
			return errLocal
		}
	}
	return nil
}

// transport returns one that connects only to allowed addresses. Addresses are checked after names
// were resolved, so that a name cannot change its meaning in between.
func (g *guard) transport(t *http.Transport) *http.Transport {
	if t == nil {
		t = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second}
	} else {
		t = t.Clone()
	}
	if t.Proxy != nil {
		t.Proxy = g.noteProxy(t.Proxy)
	}
	t.DialTLSContext, t.DialContext = nil, g.dial
	t.MaxResponseHeaderBytes = web.MaxHeaderBytes
	t.DisableKeepAlives = true // a login makes few requests
	return t
}

// noteProxy remembers the proxies of the environment, which may have private addresses.
func (g *guard) noteProxy(choose func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		u, err := choose(r)
		if u == nil || err != nil {
			return nil, err
		}
		port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443", "socks5": "1080"}[u.Scheme])
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.proxies == nil {
			g.proxies = make(map[string]bool)
		}
		g.proxies[net.JoinHostPort(u.Hostname(), port)] = true
		return u, nil
	}
}

// dial connects to an address.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := web.CountDial(ctx); err != nil {
		return nil, err
	}
	d := &net.Dialer{Timeout: 30 * time.Second}
	if !g.exempt(address) {
		d.ControlContext = g.control
	}
	return d.DialContext(ctx, network, address)
}

// exempt reports whether an address is a proxy or the MCP server.
func (g *guard) exempt(address string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	port := cmp.Or(g.server.Port(), map[string]string{"http": "80", "https": "443"}[g.server.Scheme])
	return g.proxies[address] || strings.EqualFold(address, net.JoinHostPort(g.server.Hostname(), port))
}

func (g *guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBlocked, err)
	}
	return g.checkAddr(at.Addr())
}
