package runtime

import (
	"log/slog"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Options are the limits and habits of a [Dispatcher] or [Session]. The zero value is good for most.
type Options struct {
	// MaxMessage is the size limit of a message that is sent, in bytes. A larger result answers -32603. Zero means
	// [frame.DefaultMax]. What is received is limited by the transport.
	MaxMessage int

	// MaxDepth is how deep a message may be nested. Zero means [wire.MaxDepth], which is also the most.
	MaxDepth int

	// DecodeBudget is how many bytes of memory decoding a message may allocate for lists, maps and values behind pointers, whose size in Go
	// may be many times that of their JSON. A message that needs more answers the condition [BudgetExceeded] before its handler runs. The
	// messages of a batch share it. Zero means the larger of 1 MiB and 16 bytes for each byte of the message.
	DecodeBudget int

	// MaxBatch is how many messages a batch may hold. Zero means 100.
	MaxBatch int

	// BatchCalls is how many messages of one batch are handled at the same time. Zero means 8.
	BatchCalls int

	// MaxCalls is how many of the peer's calls a session has in flight, a batch counting as one; more are answered as
	// overloaded. Zero means 256.
	MaxCalls int

	// MaxNotifications is how many notifications of the peer may wait for their turn in a session. Beyond, reading waits
	// for [Options.StallTimeout], and then drops them. Zero means 1024.
	MaxNotifications int

	// DrainTimeout is how long a session whose input has ended waits for the calls in flight before it cancels them. Zero
	// means 30 seconds.
	DrainTimeout time.Duration

	// ShutdownTimeout is how long a session waits for the calls in flight after it has cancelled them. Zero means 5 seconds.
	ShutdownTimeout time.Duration

	// StallTimeout is how long a session that owes its peer more refusals than it may, because the peer does not read
	// them, waits before it gives the connection up. Zero means 10 seconds.
	StallTimeout time.Duration

	// Explain makes answers say more to the peer: -32602 also the schema of the params and what was received, -32600 and
	// -32700 what is wrong.
	Explain bool

	// CallContext makes a [Dispatcher] tell RequestIDFrom and MethodFrom, as sessions always do. It costs an allocation.
	CallContext bool

	// Logger gets what peers are not told. Params and results are never logged. Nil means [slog.Default].
	Logger *slog.Logger
}

// withDefaults returns o with the zero values replaced.
func (o Options) withDefaults() Options {
	setDefault(&o.MaxMessage, frame.DefaultMax)
	setDefault(&o.MaxDepth, wire.MaxDepth)
	o.MaxDepth = min(o.MaxDepth, wire.MaxDepth)
	setDefault(&o.MaxBatch, 100)
	setDefault(&o.BatchCalls, 8)
	setDefault(&o.MaxCalls, 256)
	setDefault(&o.MaxNotifications, 1024)
	setDefault(&o.DrainTimeout, 30*time.Second)
	setDefault(&o.ShutdownTimeout, 5*time.Second)
	setDefault(&o.StallTimeout, 10*time.Second)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

func setDefault[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}
