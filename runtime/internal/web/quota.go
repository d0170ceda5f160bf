package web

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Client identifies a client for limits: a principal, the result of an option ClientOf, or an
// address.
type Client struct {
	name string
	addr netip.Addr
}

// ClientOf returns the client of a request. Without a principal named names it; without that, it is the address of the connection.
// Addresses of IPv6 are told apart by their first 64 bits: the rest is the client's choice.
func ClientOf(principal string, r *http.Request, named func(r *http.Request) string) Client {
	if principal != "" {
		return Client{name: principal}
	}
	if named != nil {
		return Client{name: named(r)}
	}
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return Client{}
	}
	addr := at.Addr().Unmap().WithZone("")
	if addr.Is6() && !addr.IsLoopback() {
		network, _ := addr.Prefix(64) // which an address of 128 bits has
		addr = network.Addr()
	}
	return Client{addr: addr}
}

// In returns a context that holds the address of c, for limiters, unless the client has a principal.
func (c Client) In(ctx context.Context) context.Context {
	if principal.From(ctx) != "" {
		return ctx
	}
	name := c.name
	if c.addr.IsValid() {
		name = c.addr.String()
	}
	return principal.WithAddress(ctx, name)
}

// Clone returns c for what lives longer than a request, whose memory the name may share.
func (c Client) Clone() Client { return Client{strings.Clone(c.name), c.addr} }

// Quota counts something, such as calls, and limits how many there are: in all, and of each client.
type Quota struct {
	what     string // for the texts of refusals
	most     int
	mostEach int
	memory   *Memory // of the messages that have a share; nil if it is not limited

	mu   sync.Mutex
	all  int
	each map[Client]int // those that have some
}

// Busy is when clients that were refused may come back.
const Busy = time.Second

// NewQuota returns a quota. What is counted is a plural, such as calls.
func NewQuota(what string, most, mostEach int) *Quota {
	return &Quota{what: what, most: most, mostEach: min(mostEach, most), each: make(map[Client]int)}
}

// Limit limits the memory of the messages that have a share of q, see [ReadBody].
func (q *Quota) Limit(m *Memory) *Quota {
	q.memory = m
	return q
}

// Take counts one more. It reports false and the condition if there are too many.
func (q *Quota) Take(c Client) (s Share, cond runtime.Condition, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch n := q.each[c]; {
	case n >= q.mostEach:
		return Share{}, TooManyOfClient(q.what, n, q.mostEach), false
	case q.all >= q.most:
		return Share{}, TooMany(q.what, q.all, q.most), false
	default:
		q.each[c] = n + 1
	}
	q.all++
	return Share{q: q, c: c}, cond, true
}

// Count returns how many there are, and how many clients have them.
func (q *Quota) Count() (all, clients int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.all, len(q.each)
}

// TooManyOfClient is the condition of a client that has too many of something; see [Status].
func TooManyOfClient(what string, has, most int) runtime.Condition {
	return runtime.Condition{Kind: when.RateLimited, Limit: most, InFlight: has, RetryAfter: Busy, Reason: "this client has too many " + what}
}

// TooMany is the condition of a server that has too many of something; see [Status].
func TooMany(what string, has, most int) runtime.Condition {
	return runtime.Condition{Kind: when.Overloaded, Limit: most, InFlight: has, RetryAfter: Busy, Reason: "there are too many " + what}
}

// Status is the HTTP status that a request is refused with for a condition.
func Status(kind when.Kind) int {
	switch kind {
	case when.RateLimited:
		return http.StatusTooManyRequests
	case when.MessageTooLarge:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusServiceUnavailable
}

// Share is what was taken of a quota. The zero value is nothing.
type Share struct {
	q *Quota
	c Client

	account *memory.Account // nil until the message takes memory that counts
	held    int             // bytes of it
}

// Client returns the client for whom the share counts.
func (p *Share) Client() Client { return p.c }

// Leave gives the share back, and what its message holds.
func (p *Share) Leave() {
	q := p.q
	if q == nil {
		return
	}
	if p.account != nil {
		p.account.Give(p.held)
		q.memory.accounts.Leave(p.c)
	}
	*p = Share{c: p.c}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all--
	if q.each[p.c]--; q.each[p.c] == 0 {
		delete(q.each, p.c)
	}
}

// Move makes the share one of another quota, with the same limit of memory. It reports false and the condition if there are too many.
func (p *Share) Move(to *Quota) (cond runtime.Condition, ok bool) {
	other, cond, ok := to.Take(p.c)
	if ok {
		other.account, other.held, p.account = p.account, p.held, nil
		p.Leave()
		*p = other
	}
	return cond, ok
}

// Hand returns the share, and leaves nothing: it is another one's to leave.
func (p *Share) Hand() Share {
	handed := *p
	*p = Share{c: p.c}
	return handed
}
