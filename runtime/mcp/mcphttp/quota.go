package mcphttp

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// caller is who limits are counted for: a principal, what [Options.ClientOf] says, or an address.
type caller struct {
	name string
	addr netip.Addr
}

// callerOf returns the caller of a request. Addresses of IPv6 are told apart by their first 64 bits: the rest is the client's choice.
func (h *Handler) callerOf(ctx context.Context, r *http.Request) caller {
	if p := mcp.PrincipalFrom(ctx); p != "" {
		return caller{name: p}
	}
	if h.o.ClientOf != nil {
		return caller{name: h.o.ClientOf(r)}
	}
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return caller{}
	}
	addr := at.Addr().Unmap().WithZone("")
	if addr.Is6() && !addr.IsLoopback() {
		network, _ := addr.Prefix(64) // which an address of 128 bits has
		addr = network.Addr()
	}
	return caller{addr: addr}
}

// kept returns c for what lives longer than a request, whose memory the name may share.
func (c caller) kept() caller { return caller{strings.Clone(c.name), c.addr} }

// quota counts something, such as calls, and limits how many there are: in all, and of each client.
type quota struct {
	what     string // for the texts of refusals
	most     int
	mostEach int

	mu   sync.Mutex
	all  int
	each map[caller]int // those that have some
}

// busy is when clients that were refused may come back.
const busy = time.Second

// newQuota returns a quota. What is counted is a plural, such as calls.
func newQuota(what string, most, mostEach int) *quota {
	return &quota{what: what, most: most, mostEach: min(mostEach, most), each: make(map[caller]int)}
}

// take counts one more. A refusal says that there are too many.
func (q *quota) take(c caller) (share, *refusal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch n := q.each[c]; {
	case n >= q.mostEach:
		return share{}, tooManyOfClient(q.what, n, q.mostEach)
	case q.all >= q.most:
		return share{}, tooMany(q.what, q.all, q.most)
	default:
		q.each[c] = n + 1
	}
	q.all++
	return share{q, c}, nil
}

// tooManyOfClient refuses what a client has too many of.
func tooManyOfClient(what string, has, most int) *refusal {
	return &refusal{status: http.StatusTooManyRequests, condition: runtime.Condition{
		Kind: when.RateLimited, Limit: most, InFlight: has, RetryAfter: busy, Reason: "this client has too many " + what}}
}

// tooMany refuses what the server has too many of.
func tooMany(what string, has, most int) *refusal {
	return &refusal{status: http.StatusServiceUnavailable, condition: runtime.Condition{
		Kind: when.Overloaded, Limit: most, InFlight: has, RetryAfter: busy, Reason: "there are too many " + what}}
}

// share is what was taken of a quota. The zero value is nothing.
type share struct {
	q *quota
	c caller
}

// leave gives the share back.
func (p *share) leave() {
	q := p.q
	if q == nil {
		return
	}
	p.q = nil
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all--
	if q.each[p.c]--; q.each[p.c] == 0 {
		delete(q.each, p.c)
	}
}

// hand returns the share, and leaves nothing: it is another one's to leave.
func (p *share) hand() share {
	handed := *p
	p.q = nil
	return handed
}
