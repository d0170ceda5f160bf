package cache

import "time"

// Store holds results. Its methods must be safe for concurrent use. It may drop any result at any
// time, and must not change or give away the bytes.
type Store interface {
	// Get returns the value that was set for key. It reports false if there is none, or if its time
	// has passed. The caller does not change the value.
	Get(key string) (value []byte, ok bool)

	// Set keeps value for the time ttl. Keys have 32 bytes.
	Set(key string, value []byte, ttl time.Duration)
}

// Options say which results are kept.
type Options struct {
	Methods map[string]Rule // by name
	Tools   map[string]Rule // of an MCP server, by name

	// MaxValue limits the size of a result that is kept, in bytes. Zero means 1 MiB.
	MaxValue int
}

// Rule says how long results are kept, and for which calls.
type Rule struct {
	// TTL is how long a result is kept. A rule without a positive TTL keeps nothing.
	TTL time.Duration

	// Keys are the members of the params, or of the arguments of a tool, that select the result.
	// Other members are neither compared nor checked when there is a result. Nil means that the
	// params are compared as a whole, byte by byte.
	Keys []string

	// Scope says who shares results.
	Scope Scope
}

// Scope says who shares results.
type Scope uint8

// The scopes.
const (
	// Private results are for one principal, see package principal. Those of clients without a
	// principal are not kept, because nothing tells the clients apart.
	Private Scope = iota

	// Public results are the same for everyone.
	Public
)
