package reconnect

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
)

// Options are the settings of a [Conn]. The zero value selects the defaults.
type Options struct {
	// MinDelay is the delay before the second attempt to connect, and MaxDelay the longest one.
	// Delays double from one to the other, and half of each is random, so that the clients of a
	// server that restarts do not all come back at the same time. The first attempt after a session
	// that has lasted for MaxDelay is made at once. Zero means 100 milliseconds and 30 seconds.
	MinDelay, MaxDelay time.Duration

	// MaxWait is how long a call waits for a connection. Zero means 30 seconds.
	MaxWait time.Duration

	// MaxAttempts is how many attempts in succession may fail before the connection is given up, see
	// [Conn.Done]. Zero means that it is never given up.
	MaxAttempts int

	// Permanent reports whether the connection is given up because of the error of an attempt, for
	// instance because a token was rejected. Nil means that no error is permanent.
	Permanent func(err error) bool

	// Logger receives the loss of connections and the attempts that fail. Nil means [slog.Default].
	Logger *slog.Logger
}

// withDefaults returns o with every zero value replaced by its default.
func (o Options) withDefaults() Options {
	defaults.Set(&o.MinDelay, 100*time.Millisecond)
	defaults.Set(&o.MaxDelay, 30*time.Second)
	o.MaxDelay = max(o.MinDelay, o.MaxDelay)
	defaults.Set(&o.MaxWait, 30*time.Second)
	if o.Permanent == nil {
		o.Permanent = func(error) bool { return false }
	}
	o.Logger = cmp.Or(o.Logger, slog.Default())
	return o
}
