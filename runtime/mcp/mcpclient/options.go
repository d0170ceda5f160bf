package mcpclient

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Options are the habits of a [Client]. The zero value is good for most. What a client can be asked by a server it declares by the handlers
// that are set; they serve both eras. Handlers and callbacks may be called by several goroutines; callbacks for messages of the server come
// one after the other, and those behind wait for them.
type Options struct {
	// Name and Version are what the client says of itself. Empty means rpcgen and 0.
	Name, Version string

	// Era is that of the server, if it is known: see [Client.Era]. Zero means that it is found out.
	Era mcp.Era

	// Revisions of the protocol that the client speaks. None means all.
	Revisions []string

	// ProbeTimeout is how long a server may take to answer what is asked to find out its era, before it is taken for one that began
	// before there were such questions. Zero means 10 seconds.
	ProbeTimeout time.Duration

	// MaxRounds is how many times in a row a server may ask something before it answers one call. Zero means 16.
	MaxRounds int

	// OnElicit asks the user by a form. Fields of an accepted form that are left out get their defaults. The params as JSON, whose
	// fields have an order, are what [QuestionFrom] returns.
	OnElicit func(ctx context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error)

	// OnElicitURL sends the user to a URL.
	OnElicitURL func(ctx context.Context, p mcp.ElicitRequestURLParams) (mcp.ElicitResult, error)

	// OnElicitationComplete hears that what a user was sent to a URL for is done (2025-11-25, client/elicitation). Id is that of the
	// question.
	OnElicitationComplete func(ctx context.Context, id string)

	// OnSample has a model complete messages.
	OnSample func(ctx context.Context, p mcp.CreateMessageRequestParams) (mcp.CreateMessageResult, error)

	// SampleTools reports that OnSample uses tools.
	SampleTools bool

	// OnRoots lists the roots.
	OnRoots func(ctx context.Context) (mcp.ListRootsResult, error)

	// OnProgress hears how far calls are. [WithProgress] is for single ones.
	OnProgress func(ctx context.Context, p ProgressReport)

	// OnLog hears what the server logs.
	OnLog func(ctx context.Context, m LogMessage)

	// LogLevel is the least severe level of what is logged to the client. Empty means nothing in the stateless era, and the
	// server's choice in the other; see [Client.SetLevel].
	LogLevel string

	// OnListChanged hears that a list has changed; see [Client.Listen].
	OnListChanged func(ctx context.Context, list List)

	// OnResourceUpdated hears that a resource has changed; see [Client.Listen].
	OnResourceUpdated func(ctx context.Context, uri string)

	// Middleware stands around every request, the first one outermost.
	Middleware []Middleware

	// OnSession is told of a session with a server of the handshake era, when the handshake is made; ended, unless it is nil, is
	// called when another one has begun in its place, or the client is closed. Nil: nobody wants to know.
	OnSession func(revision string) (ended func())

	// Logger gets what happens beside. Nil means [slog.Default].
	Logger *slog.Logger
}

// LogMessage is what a server logs to its client (server/utilities/logging).
type LogMessage struct {
	Level  string // debug, info, notice, warning, error, critical, alert or emergency
	Logger string // empty: it has no name
	Data   runtime.Raw
}

// List is one of the lists that a server has.
type List string

// The lists of a server.
const (
	ListOfTools     List = "tools"
	ListOfPrompts   List = "prompts"
	ListOfResources List = "resources"
)

// withDefaults returns o with the zero values replaced.
func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = "rpcgen"
	}
	if o.Version == "" {
		o.Version = "0"
	}
	if len(o.Revisions) == 0 {
		o.Revisions = mcp.Revisions()
	}
	slices.Sort(o.Revisions) // they are dates
	if o.ProbeTimeout <= 0 {
		o.ProbeTimeout = 10 * time.Second
	}
	if o.MaxRounds <= 0 {
		o.MaxRounds = 16
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// info returns the client's Implementation.
func (o *Options) info() string {
	b := wire.AppendString([]byte(`{"name":`), o.Name)
	return string(append(wire.AppendString(append(b, `,"version":`...), o.Version), '}'))
}

// capabilities returns the client's ClientCapabilities.
func (o *Options) capabilities(era mcp.Era) string {
	var b []byte
	if o.OnElicit != nil || o.OnElicitURL != nil {
		b = append(append(b, `,"elicitation":`...), o.elicits()...)
	}
	if o.OnRoots != nil {
		b = append(b, `,"roots":`...)
		if era == mcp.Handshake {
			b = append(b, `{"listChanged":true}`...)
		} else {
			b = append(b, "{}"...)
		}
	}
	if o.OnSample != nil {
		b = append(b, `,"sampling":`...)
		if o.SampleTools {
			b = append(b, `{"tools":{}}`...)
		} else {
			b = append(b, "{}"...)
		}
	}
	return string(wire.CloseObject(b, 0))
}

func (o *Options) elicits() string {
	switch {
	case o.OnElicitURL == nil:
		return `{"form":{}}`
	case o.OnElicit == nil:
		return `{"url":{}}`
	}
	return `{"form":{},"url":{}}`
}
