package websocket

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Options are the limits and settings of a [Handler]. The zero value is good for most.
type Options struct {
	// Runtime holds the limits of every session. MaxMessage is that of this struct when it is zero.
	Runtime runtime.Options

	// MaxMessage is the size limit of one message in bytes, both ways. Zero means [frame.DefaultMax], 10 MiB.
	MaxMessage int

	// Subprotocols are those that the server speaks, the best first: a client has to offer one of them. None given: it need not, and none is
	// chosen.
	Subprotocols []string

	// AllowedHosts are the names, without ports, that the Host header may hold; "*" is every name. On a loopback address
	// localhost, 127.0.0.1 and [::1] are always among them, and are all when none are given; elsewhere none given means every
	// name. A proxy on the same machine that passes the Host header on needs its names here.
	AllowedHosts []string

	// AllowedOrigins are the origins, such as https://app.example.com, whose pages may connect; "*" is every origin. Pages of the server
	// itself may where its Host header was checked, and pages of the same machine on a loopback address. Requests without the Origin header
	// pass.
	AllowedOrigins []string

	// Auth authenticates a handshake, and returns the context of the handlers of the session; see rpchttp.Options.Auth, rpchttp.Tokens and
	// rpchttp.Certificates. Nil lets everybody connect.
	Auth func(ctx context.Context, r *http.Request) (context.Context, error)

	// PingInterval is how often a peer is asked whether it is there, and PingTimeout how long it may take to answer before the
	// connection is closed. Zero means 30 seconds.
	PingInterval, PingTimeout time.Duration

	// MessageTimeout is how long a message may take from its first byte to its last before the connection is closed. Zero means 30 seconds.
	MessageTimeout time.Duration

	// WriteTimeout is how long a peer may take to read what is sent before the connection is given up. Zero means 30 seconds.
	WriteTimeout time.Duration

	// ClientOf names the client of a request without a principal, for MaxConnsPerClient. Behind a proxy it returns the address that the proxy
	// reports. Nil means the address of the connection, of IPv6 its first 64 bits.
	ClientOf func(r *http.Request) string

	// MaxConns is how many connections there may be; one more is answered 503. Zero means 10,000.
	MaxConns int

	// MaxConnsPerClient is how many of them a client may have; one more is answered 429. Zero means 1,024.
	MaxConnsPerClient int

	// MaxPending is how many bytes of memory messages may hold that have arrived in part, over all connections. A connection whose message
	// would take more is closed. Zero means 256 MiB.
	MaxPending int64

	// Accepted is called with every session when it starts. Nil means that it is not called.
	Accepted func(*runtime.Session)

	// OnRefusal is called for every request that is refused, with the HTTP status and the code of the JSON-RPC error: for metrics. Nil means
	// that refusals are not counted.
	OnRefusal func(status int, code int64)
}

// withDefaults returns o with the zero values replaced.
func (o Options) withDefaults() Options {
	setDefault(&o.MaxMessage, frame.DefaultMax)
	setDefault(&o.Runtime.MaxMessage, o.MaxMessage)
	setDefault(&o.PingInterval, 30*time.Second)
	setDefault(&o.PingTimeout, 30*time.Second)
	setDefault(&o.MessageTimeout, 30*time.Second)
	setDefault(&o.WriteTimeout, 30*time.Second)
	setDefault(&o.MaxConns, 10_000)
	setDefault(&o.MaxConnsPerClient, 1024)
	setDefault(&o.MaxPending, 256<<20)
	if o.Runtime.Logger == nil {
		o.Runtime.Logger = slog.Default()
	}
	return o
}

func setDefault[T int | int64 | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// ClientOptions are the limits and settings of [Dial]. The zero value is good for most.
type ClientOptions struct {
	// Runtime holds the limits of the session. MaxMessage is that of this struct when it is zero.
	Runtime runtime.Options

	// MaxMessage is the size limit of one message in bytes, both ways. Zero means [frame.DefaultMax], 10 MiB.
	MaxMessage int

	// Subprotocols are offered to the server, the best first, which has to choose one of them. None given: none is offered.
	Subprotocols []string

	// Header is sent with the handshake, such as Authorization.
	Header http.Header

	// TLS configures wss. Nil means the default.
	TLS *tls.Config

	// PingInterval, PingTimeout, MessageTimeout and WriteTimeout are those of [Options].
	PingInterval, PingTimeout, MessageTimeout, WriteTimeout time.Duration
}

// withDefaults returns o with the zero values replaced.
func (o ClientOptions) withDefaults() ClientOptions {
	s := Options{
		Runtime: o.Runtime, MaxMessage: o.MaxMessage, PingInterval: o.PingInterval, PingTimeout: o.PingTimeout,
		MessageTimeout: o.MessageTimeout, WriteTimeout: o.WriteTimeout,
	}.withDefaults()
	o.Runtime, o.MaxMessage, o.PingInterval, o.PingTimeout = s.Runtime, s.MaxMessage, s.PingInterval, s.PingTimeout
	o.MessageTimeout, o.WriteTimeout = s.MessageTimeout, s.WriteTimeout
	return o
}
