package websocket

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
)

// Options are the limits and settings of a [Handler]. The zero value selects the defaults.
type Options struct {
	// Runtime holds the limits of every session. If its MaxMessage is zero, that of this struct is
	// used.
	Runtime runtime.Options

	// MaxMessage limits the size of one message in bytes, in both directions. Zero means
	// [frame.DefaultMax], which is 10 MiB.
	MaxMessage int

	// Subprotocols are the sub-protocols of the server in order of preference; a client must offer
	// one of them. If there are none, the server ignores the sub-protocols that a client offers.
	Subprotocols []string

	// AllowedHosts are the host names, without ports, that the Host header may contain; "*" allows
	// every name. By default, every name is allowed, except on a loopback address: there only
	// localhost, 127.0.0.1 and [::1] are allowed, and they always are. For a proxy on the same
	// machine that forwards the Host header, list its names here.
	AllowedHosts []string

	// AllowedOrigins are the origins, such as https://app.example.com, whose pages may connect; "*"
	// allows every origin. Requests without the Origin header are allowed. So are, without being
	// listed, pages of the server itself if its Host header was checked, and pages of the same
	// machine on a loopback address.
	AllowedOrigins []string

	// Auth authenticates a handshake and returns the context for the handlers of the session, see
	// rpchttp.Options.Auth, rpchttp.Tokens and rpchttp.Certificates. MaxConns and MaxConnsPerClient
	// limit how many handshakes are authenticated at the same time, too; there a client is what
	// ClientOf names, or an address. Nil means that every client may connect.
	Auth func(ctx context.Context, r *http.Request) (context.Context, error)

	// PingInterval is how often a ping is sent, and PingTimeout how long the peer may take to
	// answer it before the connection is closed. Zero means 30 seconds.
	PingInterval, PingTimeout time.Duration

	// MessageTimeout is how long a message may take from its first byte to its last one before the
	// connection is closed. Zero means 30 seconds.
	MessageTimeout time.Duration

	// WriteTimeout is how long writing one message may take before the connection is closed. Zero
	// means 30 seconds.
	WriteTimeout time.Duration

	// ClientOf returns the name of the client of a request without a principal, for
	// MaxConnsPerClient. Behind a proxy it should return the address that the proxy reports. Nil
	// means the address of the connection, or its first 64 bits for IPv6.
	ClientOf func(r *http.Request) string

	// MaxConns limits the connections. Further ones are answered 503. Zero means 10,000.
	MaxConns int

	// MaxConnsPerClient limits the connections of one client. Further ones are answered 429. Zero
	// means 1,024.
	MaxConnsPerClient int

	// MaxPending limits the memory, in bytes, of messages that have arrived partly, over all
	// connections. A connection whose message would exceed it is closed. Zero means 256 MiB.
	MaxPending int64

	// MaxBytes limits the memory, in bytes, of messages that are handled or wait, over all
	// connections; those of one client may take half of it. Beyond it a session behaves as beyond
	// [runtime.Options.MaxBytes]. Zero means 1 GiB.
	MaxBytes int64

	// Accepted is called with every session when it starts. Nil means that it is not called.
	Accepted func(*runtime.Session)

	// OnRefusal is called for every request that is rejected, with the HTTP status and the code of
	// the JSON-RPC error. It is for metrics. Nil means that it is not called.
	OnRefusal func(status int, code int64)
}

// withDefaults returns o with every zero value replaced by its default.
func (o Options) withDefaults() Options {
	defaults.Set(&o.MaxMessage, frame.DefaultMax)
	defaults.Set(&o.Runtime.MaxMessage, o.MaxMessage)
	defaults.Set(&o.PingInterval, 30*time.Second)
	defaults.Set(&o.PingTimeout, 30*time.Second)
	defaults.Set(&o.MessageTimeout, 30*time.Second)
	defaults.Set(&o.WriteTimeout, 30*time.Second)
	defaults.Set(&o.MaxConns, 10_000)
	defaults.Set(&o.MaxConnsPerClient, 1024)
	defaults.Set(&o.MaxPending, 256<<20)
	defaults.Set(&o.MaxBytes, 1<<30)
	o.Runtime.Logger = cmp.Or(o.Runtime.Logger, slog.Default())
	return o
}

// ClientOptions are the limits and settings of [Dial]. The zero value selects the defaults.
type ClientOptions struct {
	// Runtime holds the limits of the session. If its MaxMessage is zero, that of this struct is
	// used.
	Runtime runtime.Options

	// MaxMessage limits the size of one message in bytes, in both directions. Zero means
	// [frame.DefaultMax], which is 10 MiB.
	MaxMessage int

	// Subprotocols are offered to the server in order of preference, and the server must choose one
	// of them. If there are none, none is offered.
	Subprotocols []string

	// Header is sent with the handshake, such as Authorization.
	Header http.Header

	// TLS configures wss. Nil means the default.
	TLS *tls.Config

	// PingInterval, PingTimeout, MessageTimeout and WriteTimeout are those of [Options].
	PingInterval, PingTimeout, MessageTimeout, WriteTimeout time.Duration
}

// withDefaults returns o with every zero value replaced by its default.
func (o ClientOptions) withDefaults() ClientOptions {
	s := Options{
		Runtime: o.Runtime, MaxMessage: o.MaxMessage, PingInterval: o.PingInterval, PingTimeout: o.PingTimeout,
		MessageTimeout: o.MessageTimeout, WriteTimeout: o.WriteTimeout,
	}.withDefaults()
	o.Runtime, o.MaxMessage, o.PingInterval, o.PingTimeout = s.Runtime, s.MaxMessage, s.PingInterval, s.PingTimeout
	o.MessageTimeout, o.WriteTimeout = s.MessageTimeout, s.WriteTimeout
	return o
}
