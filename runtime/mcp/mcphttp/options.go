package mcphttp

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Options are the limits and habits of a [Handler]. The zero value is good for most.
type Options struct {
	// Runtime holds the limits of messages and calls. MaxCalls is how many calls a session has in flight, whether or not its
	// client still waits for them.
	Runtime runtime.Options

	// MaxBody is the size limit of a message that is received, in bytes; larger ones are answered 413. Zero means
	// [frame.DefaultMax], 10 MiB.
	MaxBody int

	// AllowedHosts are the names, without ports, that the Host header may hold; "*" is every name. On a loopback address
	// localhost, 127.0.0.1 and [::1] are always among them, and are all when none are given; elsewhere none given means every
	// name. A proxy on the same machine that passes the Host header on needs its names here.
	AllowedHosts []string

	// AllowedOrigins are the origins, such as https://app.example.com, that the Origin header may hold; "*" is every
	// origin. Requests without that header pass. Without being listed, a server's own pages pass where its Host header was
	// checked, and pages of the same machine pass on a loopback address.
	AllowedOrigins []string

	// Auth makes the server one that wants a bearer token with every request. Nil: it does not.
	Auth *Auth

	// BodyTimeout is how long a client may take to send the body of a request. Zero means 30 seconds.
	BodyTimeout time.Duration

	// WriteTimeout is how long a client may take to read an event or an answer. Zero means 30 seconds.
	WriteTimeout time.Duration

	// KeepAlive is how often something is sent over a quiet stream, so that nobody on the way closes it. Zero means 30
	// seconds.
	KeepAlive time.Duration

	// ClientOf names the client of a request without a principal: limits that are called PerClient count for each of them. Behind a proxy
	// it returns the address that the proxy tells of. Nil means the address of the connection, of IPv6 its first 64 bits.
	ClientOf func(r *http.Request) string

	// MaxCalls is how many messages are read and served at the same time, in sessions and outside; one more is answered 503. Zero means
	// 10,000.
	MaxCalls int

	// MaxCallsPerClient is how many of them a client may have; one more is answered 429. Zero means 1,024.
	MaxCallsPerClient int

	// MaxStreams is how many streams may be open that belong to no call: of sessions, and subscriptions/listen; one more is answered 503.
	// Zero means 10,000.
	MaxStreams int

	// MaxStreamsPerClient is how many of them a client may have; one more is answered 429. Zero means 1,024.
	MaxStreamsPerClient int

	// MaxSessions is how many sessions of handshake revisions there may be. When one more is opened, an idle one is closed: the one that
	// has been idle longest, of the client that has most, if that has more than the one that opens it. Without one, the answer is 503.
	// Zero means 10,000.
	MaxSessions int

	// MaxSessionsPerClient is how many of them a client may have; one more closes its own that has been idle longest, or is answered 429.
	// Zero means 1,024.
	MaxSessionsPerClient int

	// SessionIdle is how long a session lives in which nothing is called and no stream is open. Zero means 30 minutes.
	SessionIdle time.Duration

	// ReplayBytes is how much of its latest events a session keeps for a client that lost its connection; one event is kept
	// whatever its size. Zero means 1 MiB.
	ReplayBytes int

	// OnRefusal is called for every request that is refused before its message is served, with the HTTP status and the code of the
	// JSON-RPC error: for metrics. Nil: it is not counted.
	OnRefusal func(status int, code int64)

	// MaxReplayBytes is how much all sessions keep together; beyond, those that keep most drop their oldest events. Zero means 64 MiB.
	MaxReplayBytes int

	// Retry is what clients of sessions are told to wait before they reconnect. Zero means one second.
	Retry time.Duration
}

// withDefaults returns o with the zero values replaced.
func (o Options) withDefaults() Options {
	setDefault(&o.MaxBody, frame.DefaultMax)
	setDefault(&o.Runtime.MaxCalls, 256)
	setDefault(&o.BodyTimeout, 30*time.Second)
	setDefault(&o.WriteTimeout, 30*time.Second)
	setDefault(&o.KeepAlive, 30*time.Second)
	setDefault(&o.MaxCalls, 10_000)
	setDefault(&o.MaxCallsPerClient, 1024)
	setDefault(&o.MaxStreams, 10_000)
	setDefault(&o.MaxStreamsPerClient, 1024)
	setDefault(&o.MaxSessions, 10_000)
	setDefault(&o.MaxSessionsPerClient, 1024)
	setDefault(&o.SessionIdle, 30*time.Minute)
	setDefault(&o.ReplayBytes, 1<<20)
	setDefault(&o.MaxReplayBytes, 64<<20)
	setDefault(&o.Retry, time.Second)
	if o.Runtime.Logger == nil {
		o.Runtime.Logger = slog.Default()
	}
	o.Runtime.CallContext = true
	return o
}

func setDefault[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}
