package mcphttp

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/replicas"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// Options are the limits and settings of a [Handler]. The zero value selects the defaults.
type Options struct {
	// Runtime holds the limits of messages and calls. MaxCalls limits the calls that a session has
	// in flight, whether or not its client still waits for them.
	Runtime runtime.Options

	// MaxBody limits the size of a message that is received, in bytes. A larger message is answered
	// 413. Zero means [frame.DefaultMax], which is 10 MiB.
	MaxBody int

	// AllowedHosts are the host names, without ports, that the Host header may contain; "*" allows
	// every name. By default, every name is allowed, except on a loopback address: there only
	// localhost, 127.0.0.1 and [::1] are allowed, and they always are. For a proxy on the same
	// machine that forwards the Host header, list its names here.
	AllowedHosts []string

	// AllowedOrigins are the origins, such as https://app.example.com, whose pages may use the
	// server (CORS); "*" allows every origin. Requests of other pages are answered 403, except for
	// pages of the server itself if its Host header was checked, and pages of the same machine on a
	// loopback address, which browsers keep from reading the answers. Requests without the Origin
	// header are allowed.
	AllowedOrigins []string

	// SSE also serves clients of the transport HTTP+SSE, which revision 2024-11-05 had: a GET
	// without a session opens one, and counts as a stream. The client posts its messages to the
	// same path. Later revisions have replaced this transport; by default it is not served.
	SSE bool

	// Auth requires a bearer token with every request. Nil means that no token is required.
	Auth *Auth

	// BodyTimeout is how long a client may take to send the body of a request. Zero means 30
	// seconds.
	BodyTimeout time.Duration

	// WriteTimeout is how long a client may take to read an event or an answer. Zero means 30
	// seconds.
	WriteTimeout time.Duration

	// KeepAlive is how often a comment is sent on a quiet stream, so that intermediaries do not
	// close it. Zero means 30 seconds.
	KeepAlive time.Duration

	// ClientOf returns the name of the client of a request without a principal, for the limits
	// called PerClient. Behind a proxy it should return the address that the proxy reports. Nil
	// means the address of the connection, or its first 64 bits for IPv6.
	ClientOf func(r *http.Request) string

	// MaxCalls limits the messages that are read and served at the same time, in sessions and
	// outside of them. Further ones are answered 503. Zero means 10,000.
	MaxCalls int

	// MaxCallsPerClient limits those of one client. Further ones are answered 429. Zero means
	// 1,024.
	MaxCallsPerClient int

	// MaxBytes limits the memory, in bytes, of messages of more than 4 KiB that are read and served, and of such answers until they are taken, at
	// the same time, those of subscriptions/listen included. Further ones are answered 503, and those of
	// a client that has half of it 429. Zero means 1 GiB.
	MaxBytes int64

	// MaxStreams limits the open streams that belong to no call: of sessions, and
	// subscriptions/listen. Further ones are answered 503. Zero means 10,000.
	MaxStreams int

	// MaxStreamsPerClient limits those of one client. Further ones are answered 429. Zero means
	// 1,024.
	MaxStreamsPerClient int

	// MaxSessions limits the sessions of handshake revisions. A further one closes an idle session:
	// the one that has been idle longest, of the client with the most sessions if that has more
	// than the new one's client. If there is none, the answer is 503. Zero means 10,000.
	MaxSessions int

	// MaxSessionsPerClient limits those of one client. A further one closes the client's session
	// that has been idle longest, or is answered 429. Zero means 1,024.
	MaxSessionsPerClient int

	// SessionIdle is how long a session without calls and open streams is kept. Zero means 30
	// minutes.
	SessionIdle time.Duration

	// ReplayBytes limits the events, in bytes, that a session keeps for a client that reconnects.
	// The latest event is kept whatever its size. Zero means 1 MiB.
	ReplayBytes int

	// OnRefusal is called for every request that is rejected before its message is served, with the
	// HTTP status and the code of the JSON-RPC error. It is for metrics. Nil means that it is not
	// called.
	OnRefusal func(status int, code int64)

	// MaxReplayBytes limits the events, in bytes, that all sessions keep together. If there are more, the client whose sessions keep most loses the oldest
	// ones of the session that keeps most. Zero means 64 MiB.
	MaxReplayBytes int

	// Replicas connects the replicas of a server, so that each request of a session may come to any
	// of them: it is what New of package mcpcluster returns, which is still young, and may change. The
	// limits of sessions, calls and streams hold for each replica. Nil means that sessions live in this
	// handler only.
	Replicas replicas.Cluster

	// Retry is the delay that clients of sessions are asked to wait before they reconnect. Zero
	// means one second.
	Retry time.Duration
}

// withDefaults returns o with every zero value replaced by its default.
func (o Options) withDefaults() Options {
	defaults.Set(&o.MaxBody, frame.DefaultMax)
	defaults.Set(&o.Runtime.MaxCalls, 256)
	defaults.Set(&o.BodyTimeout, web.BodyTime)
	defaults.Set(&o.WriteTimeout, 30*time.Second)
	defaults.Set(&o.KeepAlive, 30*time.Second)
	defaults.Set(&o.MaxCalls, 10_000)
	defaults.Set(&o.MaxCallsPerClient, 1024)
	defaults.Set(&o.MaxBytes, 1<<30)
	defaults.Set(&o.MaxStreams, 10_000)
	defaults.Set(&o.MaxStreamsPerClient, 1024)
	defaults.Set(&o.MaxSessions, 10_000)
	defaults.Set(&o.MaxSessionsPerClient, 1024)
	defaults.Set(&o.SessionIdle, 30*time.Minute)
	defaults.Set(&o.ReplayBytes, 1<<20)
	defaults.Set(&o.MaxReplayBytes, 64<<20)
	defaults.Set(&o.Retry, time.Second)
	o.Runtime.Logger = cmp.Or(o.Runtime.Logger, slog.Default())
	o.Runtime.CallContext = true
	return o
}
