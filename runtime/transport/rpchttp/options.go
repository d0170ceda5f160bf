package rpchttp

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Options are the limits and settings of a [Handler]. The zero value is good for most.
type Options struct {
	// Runtime holds the limits of messages and batches.
	Runtime runtime.Options

	// MaxBody is the size limit of a message that is received, in bytes, as it was sent and as it is when expanded; larger ones are answered
	// 413. Zero means [frame.DefaultMax], 10 MiB.
	MaxBody int

	// CompressFrom is the size in bytes from which answers are compressed with gzip for clients that accept it. Zero means 16 KiB, less than
	// zero that none is.
	CompressFrom int

	// AllowedHosts are the names, without ports, that the Host header may hold; "*" is every name. On a loopback address
	// localhost, 127.0.0.1 and [::1] are always among them, and are all when none are given; elsewhere none given means every
	// name. A proxy on the same machine that passes the Host header on needs its names here.
	AllowedHosts []string

	// AllowedOrigins are the origins, such as https://app.example.com, whose pages may use the server (CORS); "*" is every origin.
	// Requests of other pages are answered 403, but for pages of the server itself and, on a loopback address, of the same machine.
	// Requests without the Origin header pass.
	AllowedOrigins []string

	// AllowedHeaders are the names of headers that these pages may send beyond Content-Type, Content-Encoding and Authorization.
	AllowedHeaders []string

	// Auth authenticates a request before its body is read, and returns the context of its handlers, such as one of
	// [principal.With]: see [Tokens] and [Certificates]. An error is answered 401, one that wraps [ErrForbidden] 403, and one that wraps
	// [ErrUnavailable] 503; its text goes to the log only. Nil lets everybody use the server.
	Auth func(ctx context.Context, r *http.Request) (context.Context, error)

	// BodyTimeout is how long a client may take to send the body of a request. Zero means 30 seconds.
	BodyTimeout time.Duration

	// WriteTimeout is how long a client may take to read an answer. Zero means 30 seconds.
	WriteTimeout time.Duration

	// CallTimeout is how long one call may take, after which its context ends and the answer is that of the condition timeout; a shorter
	// timeout of the schema counts before it. Zero means no limit.
	CallTimeout time.Duration

	// ClientOf names the client of a request without a principal: limits that are called PerClient count for each of them. Behind a proxy
	// it returns the address that the proxy reports. Nil means the address of the connection, of IPv6 its first 64 bits.
	ClientOf func(r *http.Request) string

	// MaxCalls is how many messages are read and served at the same time; one more is answered 503. Zero means 10,000.
	MaxCalls int

	// MaxCallsPerClient is how many of them a client may have; one more is answered 429. Zero means 1,024.
	MaxCallsPerClient int

	// OnRefusal is called for every request that is refused before its message is served, with the HTTP status and the code of the
	// JSON-RPC error: for metrics. Nil means that refusals are not counted.
	OnRefusal func(status int, code int64)
}

// withDefaults returns o with the zero values replaced.
func (o Options) withDefaults() Options {
	setDefault(&o.MaxBody, frame.DefaultMax)
	if o.CompressFrom == 0 {
		o.CompressFrom = 16 << 10
	}
	setDefault(&o.BodyTimeout, 30*time.Second)
	setDefault(&o.WriteTimeout, 30*time.Second)
	o.CallTimeout = max(o.CallTimeout, 0)
	setDefault(&o.MaxCalls, 10_000)
	setDefault(&o.MaxCallsPerClient, 1024)
	setDefault(&o.Runtime.ShutdownTimeout, 5*time.Second)
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
