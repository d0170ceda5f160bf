package natsrpc

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
)

// Options are the limits and settings of [Serve]. The zero value of a field selects its default; Subject is required.
type Options struct {
	// Subject is the subject of the calls, such as weather or team.weather. It has no wildcards.
	Subject string

	// Queue is the queue group that the servers of the subject share. Empty means q, as in package micro.
	Queue string

	// Name and Version describe the service in discovery: letters, digits, - and _, and a version such as 1.4.0. Empty means the name
	// of the schema, and 0.0.0.
	Name, Version string

	// Description describes the service in discovery.
	Description string

	// OpenRPC is the document that "rpcgen export --format openrpc" writes of the schema. With it, discovery and statistics have an endpoint for each
	// method, and a request on the subject with .openrpc at its end is answered with the document. Nil means one endpoint for all methods.
	OpenRPC []byte

	// Runtime holds the limits of messages and batches. An answer is also limited by the maximum payload of NATS.
	Runtime runtime.Options

	// MaxMessage limits the size of a message that is received, in bytes. A larger one is answered with the condition
	// MessageTooLarge. Zero means 1 MiB, which is the default limit of NATS.
	MaxMessage int

	// MaxCalls limits the messages that are served at the same time. Further ones are answered with the condition Overloaded. Zero
	// means 1,024.
	MaxCalls int

	// CallTimeout limits the time of one call, in addition to the time that its caller gives it. Zero means no limit.
	CallTimeout time.Duration

	// Grace is how long calls in flight may take when serving ends. Zero means 5 seconds.
	Grace time.Duration

	// Context returns the context of the handlers of a message, for instance with a principal ([principal.With]) or the trace
	// that its headers name. If it fails, the message is answered with -32600 and the text of the error is only logged. Nil means that
	// every message is served.
	Context func(ctx context.Context, m *nats.Msg) (context.Context, error)

	interval time.Duration // how often callers learn that a call is running; tests change it
}

// withDefaults returns o with every zero value replaced by its default.
func (o Options) withDefaults() Options {
	defaults.Set(&o.Queue, micro.DefaultQueueGroup)
	defaults.Set(&o.Version, "0.0.0")
	defaults.Set(&o.MaxMessage, 1<<20)
	defaults.Set(&o.MaxCalls, 1024)
	defaults.Set(&o.Grace, 5*time.Second)
	defaults.Set(&o.Runtime.ShutdownTimeout, 5*time.Second)
	defaults.Set(&o.interval, interval)
	o.CallTimeout = max(o.CallTimeout, 0)
	o.Runtime.CallContext = true
	o.Runtime.Logger = cmp.Or(o.Runtime.Logger, slog.Default())
	return o
}

// ClientOptions are the limits and settings of [Dial]. The zero value selects the defaults.
type ClientOptions struct {
	// Runtime holds the limits of the calls of servers, for a client with a handler.
	Runtime runtime.Options

	// MaxMessage limits the size of a message, both ways, in bytes. The maximum payload of NATS limits it as well. Zero means 1 MiB.
	MaxMessage int

	// MaxCalls limits the calls of servers that are served at the same time, for a client with a handler. Zero means 1,024.
	MaxCalls int

	// CallTimeout limits the time of a call, which then fails with [context.DeadlineExceeded]. Zero means that only the context limits it.
	CallTimeout time.Duration

	// Silence is how long a call may be without a sign of life of its server, which comes every two seconds; it then fails with a
	// [*LostError]. Zero means 10 seconds; less than 5 seconds means 5 seconds.
	Silence time.Duration

	// Idempotent reports whether a method may be executed more than once: the function Idempotent of the generated package, which knows
	// the methods with the key idempotent. Their calls are sent up to three times in the time that their context gives them, if no server
	// answers; so are batches of them. Nil means that nothing is sent more than once.
	Idempotent func(method string) bool

	// Header adds headers to each message, such as those that carry a trace or a token. Nil means none.
	Header func(ctx context.Context, h nats.Header) error

	interval time.Duration // that of servers; tests change it
}

// withDefaults returns o with every zero value replaced by its default.
func (o ClientOptions) withDefaults() ClientOptions {
	s := Options{Runtime: o.Runtime, MaxMessage: o.MaxMessage, MaxCalls: o.MaxCalls, interval: o.interval}.withDefaults()
	o.Runtime, o.MaxMessage, o.MaxCalls, o.interval = s.Runtime, s.MaxMessage, s.MaxCalls, s.interval
	o.CallTimeout = max(o.CallTimeout, 0)
	defaults.Set(&o.Silence, 10*time.Second)
	o.Silence = max(o.Silence, 5*o.interval/2)
	return o
}
