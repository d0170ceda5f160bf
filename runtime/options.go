package runtime

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/internal/inorder"
)

// Options are the limits and settings of a [Dispatcher] or [Session]. The zero value selects the
// defaults. A number or duration that is zero or negative selects its default.
type Options struct {
	// MaxMessage limits the size of a message that is sent, in bytes. A larger result is answered with -32603 and both sizes. Zero means
	// [frame.DefaultMax]. The transport limits the size of messages that are received.
	MaxMessage int

	// MaxDepth limits how deep the values of a message may be nested. Zero means [wire.MaxDepth], which is also the maximum.
	MaxDepth int

	// DecodeBudget limits the memory, in bytes, that decoding a message may allocate for lists, maps and values that pointers refer to. Their size in Go
	// may be many times the size of their JSON. A message that needs more is answered with the condition BudgetExceeded, and its handler is not called. The
	// messages of a batch share the budget. Zero means 16 bytes for each byte of the message, and at least 1 MiB.
	DecodeBudget int

	// MaxBatch limits the number of messages in a batch. A larger batch is answered with the condition BatchTooLarge. Zero means 100.
	MaxBatch int

	// BatchCalls limits how many messages of one batch are handled concurrently. Zero means 16.
	BatchCalls int

	// MaxCalls limits how many calls of the peer a session has in flight; a batch counts as one.
	// More calls are answered with the condition Overloaded. Zero means 256.
	MaxCalls int

	// MaxStreams limits how many streams of the peer a session serves, which do not count for MaxCalls; neither do the calls that end them.
	// Zero means 1024.
	MaxStreams int

	// MaxNotifications limits how many notifications of the peer wait in a session until they are handled. If there are more, the session stops reading for
	// up to [Options.StallTimeout], and then drops notifications, and logs how many, until half of these are handled. Zero means 1024.
	MaxNotifications int

	// MaxBytes limits the memory, in bytes, of messages of the peer that a session handles or lets wait. It does not count what decoding makes of them, see
	// DecodeBudget. More calls are answered with the condition Overloaded; more notifications wait as with MaxNotifications. A message that is larger is
	// handled when there is no other one. Zero means 64 MiB.
	MaxBytes int

	// DrainTimeout is how long a session waits for the calls in flight after its input has ended, before it cancels them. Zero means 30 seconds.
	DrainTimeout time.Duration

	// ShutdownTimeout is how long a session waits for handlers to return after it has cancelled their calls. Zero means 5 seconds.
	ShutdownTimeout time.Duration

	// StallTimeout closes the connection of a session if error replies cannot be written for this long, because the peer does not read them. It is also how
	// long a session stops reading for MaxNotifications and MaxBytes. Zero means 10 seconds.
	StallTimeout time.Duration

	// Limiter decides which calls are served, for instance those of a [ratelimit.Limiter]. It replaces the limits that the schema declares, and is wrapped
	// by the Middleware. Nil means the limits of the schema.
	//
	// [ratelimit.Limiter]: https://pkg.go.dev/github.com/rpcgen-go/rpcgen/runtime/x/ratelimit#Limiter
	Limiter Middleware

	// Middleware wraps every call that is served; the first one is outermost.
	Middleware []Middleware

	// CallTimeout limits the time of one call, in both directions. After that the context of a call that is served ends, and its answer is that of the
	// condition Timeout; a call that a session makes fails with [context.DeadlineExceeded]. A shorter timeout in the schema, or an earlier deadline of the
	// caller's context, takes precedence. Zero means no limit. Do not set it for MCP: subscriptions are calls that last.
	CallTimeout time.Duration

	// Explain adds data to errors that help the developer of a peer: to -32602 the schema of the params and the params received, unless those may hold
	// sensitive values, to -32600 and -32700 what is wrong with the message.
	Explain bool

	// CallContext makes [RequestIDFrom] and [MethodFrom] work in handlers of a [Dispatcher], at the
	// cost of one allocation per call. In a [Session] they always work.
	CallContext bool

	// Logger receives errors that peers do not get to see. Params and results are never logged. Nil means [slog.Default].
	Logger *slog.Logger
}

// withDefaults returns o with every zero value replaced by its default.
func (o Options) withDefaults() Options {
	defaults.Set(&o.MaxMessage, frame.DefaultMax)
	defaults.Set(&o.MaxDepth, wire.MaxDepth)
	o.MaxDepth = min(o.MaxDepth, wire.MaxDepth)
	defaults.Set(&o.MaxBatch, 100)
	defaults.Set(&o.BatchCalls, 16)
	defaults.Set(&o.MaxCalls, 256)
	defaults.Set(&o.MaxStreams, 1024)
	defaults.Set(&o.MaxNotifications, inorder.DefaultMost)
	defaults.Set(&o.MaxBytes, inorder.DefaultHeld)
	defaults.Set(&o.DrainTimeout, 30*time.Second)
	defaults.Set(&o.ShutdownTimeout, 5*time.Second)
	defaults.Set(&o.StallTimeout, inorder.DefaultPatience)
	o.CallTimeout = max(o.CallTimeout, 0)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	return o
}
