package mcp

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"
)

// Options are the habits of a [Server]. The zero value is good for most.
type Options struct {
	// Logger gets what clients are not told. Arguments and results are never logged. Nil means [slog.Default].
	Logger *slog.Logger

	// Middleware is called around every request that is served, the first one outermost.
	Middleware []Middleware

	// PageSize is how many entries a page of a list holds. Zero means whole lists.
	PageSize int

	// StateKey signs what is handed to stateless clients between the rounds of a request that asks them; processes that share
	// it can answer each other's rounds. Nil means a random key of the process.
	StateKey []byte

	// StateTTL is how long a client may take for a round. Zero means an hour.
	StateTTL time.Duration

	// UnaskedAnswers accepts inputResponses in the first round of a stateless request, though the server has not asked anything yet
	// (basic/patterns/mrtr lets a server do without requestState). A client can then answer for its user without asking: set it only when
	// no handler relies on an answer as consent. False: such a request is refused as invalid params.
	UnaskedAnswers bool

	// MaxSubscriptions is how many resources one listener or session may be subscribed to. Zero means 1024.
	MaxSubscriptions int

	// MaxSubscriptionBytes is the size limit of the URIs that one session is subscribed to, and of the params of one
	// subscriptions/listen, in bytes: they are kept as long as the client listens. Zero means 64 KiB.
	MaxSubscriptionBytes int

	// MaxClientInfo is the size limit of what a session keeps of its initialize request, in bytes: name, version and title of the client,
	// and its capabilities. Zero means 16 KiB.
	MaxClientInfo int

	// QuestionTimeout is how long the client of a session may take to answer a question of a handler, which then fails with an
	// [*UnansweredError]. Zero means 10 minutes, less than zero no limit.
	QuestionTimeout time.Duration

	// Anonymous leaves the server's name and version out of results; discovery and the handshake still tell them.
	Anonymous bool

	// OnSession is told of a session when its handshake is made; ended, unless it is nil, is called when the session is over. Nil:
	// nobody wants to know.
	OnSession func(client Caller) (ended func())

	// OnRootsChanged is told when the client of a session says that its roots have changed; [Roots] with the context that it is
	// given asks for them. Nil: nobody wants to know.
	OnRootsChanged func(ctx context.Context)
}

// withDefaults returns o with the zero values replaced.
func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.StateTTL <= 0 {
		o.StateTTL = time.Hour
	}
	if o.MaxSubscriptions <= 0 {
		o.MaxSubscriptions = 1024
	}
	if o.MaxSubscriptionBytes <= 0 {
		o.MaxSubscriptionBytes = 64 << 10
	}
	if o.MaxClientInfo <= 0 {
		o.MaxClientInfo = 16 << 10
	}
	if o.QuestionTimeout == 0 {
		o.QuestionTimeout = 10 * time.Minute
	}
	if len(o.StateKey) == 0 {
		o.StateKey = make([]byte, 32)
		rand.Read(o.StateKey) // never fails
	}
	return o
}
