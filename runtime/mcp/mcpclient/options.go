package mcpclient

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Options are the settings of a [Client]. The zero value selects the defaults.
//
// The client declares the capabilities for which a handler is set. Handlers serve both eras. Handlers and callbacks must be safe for concurrent use.
// Callbacks for notifications of the server are called one after the other, so a slow one delays the others.
type Options struct {
	// Name and Version describe the client. Empty means rpcgen and 0.
	Name, Version string

	// Era is the era of the server if it is known, see [Client.Era]. Zero means that it is determined.
	Era mcp.Era

	// Revisions are the protocol revisions that the client uses. Empty means all.
	Revisions []string

	// ProbeTimeout is how long a server may take to answer the request that determines its era. After that, it is taken for a server of the handshake
	// era. The time in which a person logs in (see package mcpauth) does not count. Zero means 10 seconds.
	ProbeTimeout time.Duration

	// MaxRounds limits how many times in a row a server may ask questions before it answers one call. Zero means 16.
	MaxRounds int

	// MaxPages limits the pages of one list: a server could send new cursors forever. Zero means 1,000.
	MaxPages int

	// MaxListBytes limits the size of all pages of one list, in bytes, because most programs keep what they list. Zero means 32 MiB.
	MaxListBytes int

	// OnElicit shows a form to the user (client/elicitation). Fields that are left out of an accepted form get their defaults. [QuestionFrom] returns
	// the params as JSON, in which the fields have an order.
	OnElicit func(ctx context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error)

	// OnElicitURL sends the user to a URL (client/elicitation).
	OnElicitURL func(ctx context.Context, p mcp.ElicitRequestURLParams) (mcp.ElicitResult, error)

	// OnElicitationComplete is called when an interaction at a URL is complete (2025-11-25,
	// client/elicitation). The argument id is the elicitationId.
	OnElicitationComplete func(ctx context.Context, id string)

	// OnSample completes messages with a model (client/sampling).
	OnSample func(ctx context.Context, p mcp.CreateMessageRequestParams) (mcp.CreateMessageResult, error)

	// SampleTools declares that OnSample supports tools.
	SampleTools bool

	// OnRoots returns the roots (client/roots).
	OnRoots func(ctx context.Context) (mcp.ListRootsResult, error)

	// OnQuestion answers, as JSON, every question for which no handler above is set, for programs that
	// pass questions on, see [mcp.Questions.Forward]. With it, the client declares all capabilities.
	OnQuestion func(ctx context.Context, asked Question) (runtime.Raw, error)

	// Extensions are the extensions of the protocol that the client declares in its capabilities, by identifier, with their settings, which are
	// objects; null stands for an empty one. [Apps] returns those of a host that shows pages for tools. The extension for tasks is declared for each
	// call that takes a task, and must not be here. Nil means none.
	Extensions map[string]runtime.Raw

	// OnProgress is called with the progress of calls (basic/patterns/progress). Use [WithProgress] for a single call.
	OnProgress func(ctx context.Context, p ProgressReport)

	// OnLog is called with log messages of the server (server/utilities/logging).
	OnLog func(ctx context.Context, m LogMessage)

	// LogLevel is the least severe level of log messages that the server should send. Empty means none in the stateless era, and the choice of the
	// server in the handshake era, see [Client.SetLevel].
	LogLevel string

	// OnListChanged is called when a list has changed, see [Client.Listen].
	OnListChanged func(ctx context.Context, list List)

	// OnResourceUpdated is called when a resource has changed, see [Client.Listen].
	OnResourceUpdated func(ctx context.Context, uri string)

	// CacheBytes limits the results of lists and resources that are kept, in bytes, for as long as a server of revision 2026-07-28 or later allows
	// (server/utilities/caching), at most a day. They are dropped when a notification says that they have changed, see [Client.Listen]. If they take
	// more than that, older ones are dropped. Zero means that none are kept.
	CacheBytes int

	// Middleware wraps every request; the first one is outermost.
	Middleware []Middleware

	// OnSession is called when the handshake of a session is made. If it returns a function, that is called when a new session replaces this one, or
	// when the client is closed. Nil means that it is not called.
	OnSession func(revision string) (ended func())

	// Logger receives events that no call returns, such as messages that are dropped. Nil means [slog.Default].
	Logger *slog.Logger
}

// LogMessage is a log message of a server (server/utilities/logging).
type LogMessage struct {
	Level  string // debug, info, notice, warning, error, critical, alert or emergency
	Logger string // empty if it has no name
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

// withDefaults returns o with every zero value replaced by its default.
func (o Options) withDefaults() Options {
	o.Name = cmp.Or(o.Name, "rpcgen")
	o.Version = cmp.Or(o.Version, "0")
	if len(o.Revisions) == 0 {
		o.Revisions = mcp.Revisions()
	}
	slices.Sort(o.Revisions) // revisions are dates
	defaults.Set(&o.ProbeTimeout, 10*time.Second)
	defaults.Set(&o.MaxRounds, 16)
	defaults.Set(&o.MaxPages, 1000)
	defaults.Set(&o.MaxListBytes, 32<<20)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	return o
}

// info returns the description of the client as JSON (Implementation).
func (o *Options) info() string {
	b := wire.AppendString([]byte(`{"name":`), o.Name)
	return string(append(wire.AppendString(append(b, `,"version":`...), o.Version), '}'))
}

// capabilities returns the capabilities of the client as JSON (ClientCapabilities), with the extension for tasks or without it.
func (o *Options) capabilities(era mcp.Era, tasks bool) string {
	b := o.features(era)
	if extensions := o.extensions(tasks); len(extensions) > 0 {
		b = append(append(b, `,"extensions":`...), wire.CloseObject(extensions, 0)...)
	}
	return string(wire.CloseObject(b, 0))
}

// features returns the capabilities that are not extensions, each preceded by a comma.
func (o *Options) features(era mcp.Era) (b []byte) {
	if o.OnQuestion != nil {
		return []byte(`,"elicitation":{"form":{},"url":{}},"roots":{},"sampling":{"tools":{}}`)
	}
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
	return b
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

// newest returns the newest revision of an era that the client supports and, unless supported is
// nil, the server as well. It is empty if there is none.
func (o *Options) newest(era mcp.Era, supported []string) string {
	for _, r := range slices.Backward(o.Revisions) {
		if protocol.Of(r).Era == era && (supported == nil || slices.Contains(supported, r)) {
			return r
		}
	}
	return ""
}
