package mcp

import (
	"context"
	"crypto/rand"
	"log/slog"
	"slices"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// Options are the settings and limits of a [Server]. The zero value selects the defaults.
type Options struct {
	// Logger receives errors that clients do not get to see. Arguments and results are never
	// logged. Nil means [slog.Default].
	Logger *slog.Logger

	// Middleware wraps every request that is served; the first one is outermost.
	Middleware []Middleware

	// PageSize limits the entries of a list in one response (server/utilities/pagination). Zero
	// means that lists are not split.
	PageSize int

	// StateKeys sign the requestState that stateless clients carry from one round of a request to
	// the next (basic/patterns/mrtr). The first key signs, and what any of them has signed is
	// accepted, so that a key can be replaced: add the new key at the end in all processes, then
	// move it to the front, and remove the old key after StateTTL. Processes with the same keys can
	// serve each other's rounds. Nil means a random key for this process. Empty keys are ignored.
	StateKeys [][]byte

	// StateTTL is how long a client may take for one round. Zero means one hour.
	StateTTL time.Duration

	// UnaskedAnswers accepts inputResponses in the first round of a stateless request, although the
	// server has not asked anything yet (basic/patterns/mrtr allows servers to work without
	// requestState). A client can then answer for its user without asking, so set it only if no
	// handler takes an answer as consent. By default, such a request is rejected with invalid
	// params.
	UnaskedAnswers bool

	// Batches accepts batches (JSON-RPC 2.0 section 6) in all revisions. By default they are accepted
	// in sessions of 2025-03-26 only, the one revision of MCP that has them. A batch of stateless
	// requests over HTTP has the header MCP-Protocol-Version, and no headers that mirror a single
	// message. Its messages are answered together, when the last of them is.
	Batches bool

	// MaxSubscriptions limits the resources that one session or one subscriptions/listen may
	// subscribe to. Zero means 1024.
	MaxSubscriptions int

	// MaxSubscriptionBytes limits the URIs that one session subscribes to, and the params of one
	// subscriptions/listen, in bytes. They are kept as long as the subscription. Zero means 64 KiB.
	MaxSubscriptionBytes int

	// MaxClientInfo limits what a session keeps of its initialize request, in bytes: name, version
	// and title of the client, and its capabilities. Zero means 16 KiB.
	MaxClientInfo int

	// QuestionTimeout is how long the client of a session may take to answer a question of a
	// handler. After that the handler gets an [*UnansweredError]. Zero means 10 minutes, a negative
	// value no limit.
	QuestionTimeout time.Duration

	// Tasks keeps the tasks of tools that run as tasks, see package mcptask. A server generated from
	// a schema with such tools keeps them in memory if it is nil.
	Tasks Tasks

	// Dynamic adds entries to the lists of tools, resources and prompts while the server runs, and
	// hides entries from clients, see package mcpdynamic. Nil means that the lists are those of the
	// schema.
	Dynamic Dynamic

	// Anonymous leaves the name and version of the server out of results. Discovery and the
	// handshake still contain them.
	Anonymous bool

	// Experimental and Extensions are features that MCP does not define or that extend it, such as
	// com.example/notes, which the server declares in its capabilities (ServerCapabilities). The
	// values are their settings, JSON objects; anything else, such as the zero Raw, counts as an
	// empty one. What a feature does is up to the schema: methods of its own, or _meta. Extensions
	// that the runtime serves, such as tasks, are declared by themselves.
	Experimental, Extensions map[string]runtime.Raw

	// OnSession is called when the handshake of a session is made. If it returns a function, that
	// is called when the session has ended. Nil means that it is not called.
	OnSession func(client Caller) (ended func())

	// OnRootsChanged is called when the client of a session notifies that its roots have changed.
	// Call [Roots] with its context to get them. Nil means that it is not called.
	OnRootsChanged func(ctx context.Context)

	sharedKeys bool // StateKeys were set
}

// withDefaults returns o with every zero value replaced by its default.
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
	o.StateKeys = slices.DeleteFunc(slices.Clone(o.StateKeys), func(key []byte) bool { return len(key) == 0 })
	if o.sharedKeys = len(o.StateKeys) > 0; !o.sharedKeys {
		key := make([]byte, 32)
		rand.Read(key) // never fails
		o.StateKeys = [][]byte{key}
	}
	return o
}
