package ratelimit

import "time"

// Limits are the rates of a [Limiter]. A zero Rate means no limit; the zero value limits nothing.
type Limits struct {
	// Server limits all calls together.
	Server Rate

	// Session limits the calls of each session. Calls outside of sessions, as over plain HTTP, do
	// not count.
	Session Rate

	// Principal limits the calls of each principal, see package principal. The calls of a client
	// without a principal count for its session, and outside of sessions for its address.
	Principal Rate

	// Methods limits single methods, by name. Notifications are limited here only; those over the
	// rate are dropped, because they cannot be answered.
	Methods map[string]Rate

	// Tools limits calls of single tools of an MCP server, by name, in addition to the rate of
	// tools/call.
	Tools map[string]Rate

	// MaxBuckets limits the buckets that are held for principals, and as many for addresses. A bucket
	// takes about 100 bytes. It is dropped when it has not been used for as long as the slowest one
	// takes to fill, or earlier if there are more than MaxBuckets; a call of the same principal then
	// finds a full one. Zero means 100,000.
	MaxBuckets int
}

// Rate is how often something may be called. The zero value means no limit.
type Rate struct {
	Calls int           // calls allowed in the time Per; zero or less means no limit
	Per   time.Duration // zero or less means one second
	Burst int           // calls allowed at once; zero or less means Calls
	Each  Scope         // who has a bucket of its own, for the rates of methods and tools
}

// Scope says whose calls count together.
type Scope uint8

// The scopes of rates of methods and tools.
const (
	EachPrincipal Scope = iota // those of a principal, session or address, as for [Limits.Principal]
	EachSession                // those of a session
	WholeServer                // all
)

// any reports whether there is a rate that limits something.
func (l Limits) any() bool {
	if l.Server.Calls > 0 || l.Session.Calls > 0 || l.Principal.Calls > 0 {
		return true
	}
	for _, named := range []map[string]Rate{l.Methods, l.Tools} {
		for _, r := range named {
			if r.Calls > 0 {
				return true
			}
		}
	}
	return false
}
