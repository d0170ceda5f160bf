package rpchttp

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// Options are the limits and settings of a [Handler]. The zero value selects the defaults.
type Options struct {
	// Runtime holds the limits of messages, batches, and streams of one client.
	Runtime runtime.Options

	// MaxBody limits the size of a message that is received, in bytes, both compressed and
	// expanded. A larger message is answered 413. Zero means [frame.DefaultMax], which is 10 MiB.
	MaxBody int

	// CompressFrom is the size in bytes from which answers are compressed with gzip for clients
	// that accept it. Zero means 16 KiB; a negative value means that nothing is compressed.
	CompressFrom int

	// AllowedHosts are the host names, without ports, that the Host header may contain; "*" allows every name. By default, every name is allowed, except on a
	// loopback address: there only localhost, 127.0.0.1 and [::1] are allowed, and they always are. For a proxy on the same machine that forwards the Host
	// header, list its names here.
	AllowedHosts []string

	// AllowedOrigins are the origins, such as https://app.example.com, whose pages may use the server (CORS); "*" allows every origin. Requests of other
	// pages are answered 403, except for pages of the server itself and, on a loopback address, of the same machine. Requests without the Origin header are
	// allowed.
	AllowedOrigins []string

	// AllowedHeaders are the headers that these pages may send in addition to Content-Type, Content-Encoding and Authorization.
	AllowedHeaders []string

	// Auth authenticates a request before its body is read, and returns the context of its handlers, such as one of [principal.With]; see [Tokens] and
	// [Certificates]. An error is answered 401, one that wraps [ErrForbidden] 403, and one that wraps [ErrUnavailable] 503; its text is only logged. A panic
	// is logged and answered 500. MaxCalls and MaxCallsPerClient limit how many calls of Auth run at the same time, too; there a client is what ClientOf
	// names, or an address. Nil means that every client may use the server.
	Auth func(ctx context.Context, r *http.Request) (context.Context, error)

	// BodyTimeout is how long a client may take to send the body of a request. Zero means 30 seconds.
	BodyTimeout time.Duration

	// WriteTimeout is how long a client may take to read an answer, or an item of a stream. Zero means 30 seconds.
	WriteTimeout time.Duration

	// CallTimeout limits the time of one call. After that its context ends, and the answer is that of the condition Timeout. A shorter timeout in the schema
	// takes precedence. It does not limit streams. Zero means no limit.
	CallTimeout time.Duration

	// ClientOf returns the name of the client of a request without a principal, for the limits called PerClient. Behind a proxy it should return the address
	// that the proxy reports. Nil means the address of the connection, or its first 64 bits for IPv6.
	ClientOf func(r *http.Request) string

	// MaxCalls limits the messages that are read and served at the same time, and the streams. Further ones are answered 503. Zero means 10,000.
	MaxCalls int

	// MaxCallsPerClient limits those of one client. Further ones are answered 429. Zero means 1,024.
	MaxCallsPerClient int

	// MaxBytes limits the memory, in bytes, of messages of more than 4 KiB that are read and served, and of such answers until they are taken, at the same
	// time. Further ones are answered 503, and those of a client that has half of it 429. Zero means 1 GiB.
	MaxBytes int64

	// OnRefusal is called for every request that is rejected before its message is served, with the HTTP status and the code of the JSON-RPC error. It is for
	// metrics. Nil means that it is not called.
	OnRefusal func(status int, code int64)
}

// withDefaults returns o with every zero value replaced by its default.
func (o Options) withDefaults() Options {
	defaults.Set(&o.MaxBody, frame.DefaultMax)
	o.CompressFrom = cmp.Or(o.CompressFrom, 16<<10)
	defaults.Set(&o.BodyTimeout, web.BodyTime)
	defaults.Set(&o.WriteTimeout, 30*time.Second)
	o.CallTimeout = max(o.CallTimeout, 0)
	defaults.Set(&o.MaxCalls, 10_000)
	defaults.Set(&o.MaxCallsPerClient, 1024)
	defaults.Set(&o.MaxBytes, 1<<30)
	defaults.Set(&o.Runtime.MaxStreams, 1024)
	defaults.Set(&o.Runtime.ShutdownTimeout, 5*time.Second)
	o.Runtime.Logger = cmp.Or(o.Runtime.Logger, slog.Default())
	o.Runtime.CallContext = true
	return o
}
