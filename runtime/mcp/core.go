package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// The types of this file refer to each other. All other files of the package are in layers: no two of them use each other, as TestLayers of package
// house checks.

// Declarations describe a server and call its methods. Generated code implements them. All methods must be safe for concurrent use.
type Declarations interface {
	// Info returns the constant properties of the server. [NewServer] calls it once.
	Info() *Info

	// CallTool calls a tool and answers c.
	CallTool(ctx context.Context, c *ToolCall)

	// ReadResource reads a resource and answers c.
	ReadResource(ctx context.Context, c *ResourceCall)

	// GetPrompt makes a prompt and answers c.
	GetPrompt(ctx context.Context, c *PromptCall)

	// Complete completes an argument and answers c.
	Complete(ctx context.Context, c *CompleteCall)

	// Condition returns the error that the schema declares for c, or nil. It is also called for conditions that the transport detects.
	Condition(c runtime.Condition) error

	// Methods returns the handler of methods that are not part of MCP, or nil if there are none.
	Methods() runtime.Handler
}

// Options are the settings and limits of a [Server]. The zero value selects the defaults.
type Options struct {
	// Logger receives errors that clients do not get to see. Arguments and results are never logged. Nil means [slog.Default].
	Logger *slog.Logger

	// Middleware wraps every request that is served; the first one is outermost.
	Middleware []Middleware

	// PageSize limits the entries of a list in one response (server/utilities/pagination). Zero means that only the size of a message does, see
	// [runtime.Options]: a list that would be larger is split into pages.
	PageSize int

	// StateKeys sign the requestState that stateless clients carry from one round of a request to the next (basic/patterns/mrtr). The first key
	// signs, and what any of them has signed is accepted, so that a key can be replaced: add the new key at the end in all processes, then move it to
	// the front, and remove the old key after StateTTL. Processes with the same keys can serve each other's rounds. Nil means a random key for this
	// process. Empty keys are ignored.
	StateKeys [][]byte

	// StateTTL is how long a client may take for one round. Zero means one hour.
	StateTTL time.Duration

	// UnaskedAnswers accepts inputResponses in the first round of a stateless request, although the server has not asked anything yet
	// (basic/patterns/mrtr allows servers to work without requestState). A client can then answer for its user without asking, so set it only if no
	// handler takes an answer as consent. By default, such a request is rejected with invalid params.
	UnaskedAnswers bool

	// Batches accepts batches (JSON-RPC 2.0 section 6) in all revisions. By default they are accepted in sessions of 2025-03-26 only, the one
	// revision of MCP that has them. A batch of stateless requests over HTTP has the header MCP-Protocol-Version, and no headers that mirror a single
	// message. Its messages are answered together, when the last of them is.
	Batches bool

	// MaxSubscriptions limits the resources that one session or one subscriptions/listen may subscribe to. Zero means 1024.
	MaxSubscriptions int

	// MaxSubscriptionBytes limits the URIs that one session subscribes to, and the params of one subscriptions/listen, in bytes. They are kept as
	// long as the subscription. Zero means 64 KiB.
	MaxSubscriptionBytes int

	// MaxClientInfo limits what a session keeps of its initialize request, in bytes: name, version and title of the client, and its capabilities.
	// Zero means 16 KiB.
	MaxClientInfo int

	// QuestionTimeout is how long the client of a session may take to answer a question of a handler. After that the handler gets an
	// [*UnansweredError]. Zero means 10 minutes, a negative value no limit.
	QuestionTimeout time.Duration

	// Tasks keeps the tasks of tools that run as tasks, see package mcptask. A server generated from a schema with such tools keeps them in memory if
	// it is nil.
	Tasks Tasks

	// Dynamic adds entries to the lists of tools, resources and prompts while the server runs, and hides entries from clients, see package
	// mcpdynamic. Nil means that the lists are those of the schema.
	Dynamic Dynamic

	// Profile returns which of the profiles of the schema a client gets; a name that is not one stands for the plain listing. Nil means that
	// clientInfo.name decides: hosts of one API get its profile.
	Profile func(client Caller) string

	// Anonymous leaves the name and version of the server out of results. Discovery and the handshake still contain them.
	Anonymous bool

	// Experimental and Extensions are features that MCP does not define or that extend it, such as com.example/notes, which the server declares in
	// its capabilities (ServerCapabilities). The values are their settings, JSON objects; anything else, such as the zero Raw, counts as an empty
	// one. What a feature does is up to the schema: methods of its own, or _meta. Extensions that the runtime serves, such as tasks, are declared by
	// themselves.
	Experimental, Extensions map[string]runtime.Raw

	// OnSession is called when the handshake of a session is made. If it returns a function, that is called when the session has ended. Nil means
	// that it is not called.
	OnSession func(client Caller) (ended func())

	// OnRootsChanged is called when the client of a session notifies that its roots have changed. Call [Roots] with its context to get them. Nil
	// means that it is not called.
	OnRootsChanged func(ctx context.Context)

	sharedKeys bool // StateKeys were set
}

// Dynamic adds tools, resources and prompts to a server while it runs, and hides entries of its lists from clients. Package mcpdynamic makes it.
type Dynamic interface {
	listing.Source

	// Attach is called once, by [NewServer], before any other method.
	Attach(s *Server)

	// CallTool, ReadResource, GetPrompt and Complete answer c, or report false if c does not refer to an added entry.
	CallTool(ctx context.Context, c *ToolCall) bool
	ReadResource(ctx context.Context, c *ResourceCall) bool
	GetPrompt(ctx context.Context, c *PromptCall) bool
	Complete(ctx context.Context, c *CompleteCall) bool
}

// Tasks run calls of tools as tasks: the client gets a handle at once, and the result later (SEP-2663; 2025-11-25, basic/utilities/tasks). Package
// mcptask makes them.
type Tasks interface{ tasking.Engine }

// Handler serves one request, which ctx belongs to. If it returns an error, the request was not answered yet and will be answered with the error, so
// middleware may replace it. For a tool that includes errors that become a result for the model. If it returns nil, the request was answered. Methods
// that are not part of MCP answer their errors themselves.
type Handler func(ctx context.Context, q *Request) error

// Middleware wraps the handler of every request that the server serves. It may inspect the request, change the context, and answer with an error
// without calling next.
type Middleware func(next Handler) Handler

// Server serves [Declarations]. As a [runtime.Handler] it serves stateless requests, for transports that pass messages to a [runtime.Dispatcher].
// Sessions serve both eras with the handler that Open returns. It is safe for concurrent use by any number of sessions.
type Server struct {
	declarations Declarations
	methods      runtime.Handler // methods that are not part of MCP; nil if there are none
	info         *Info
	opts         Options
	log          *slog.Logger
	peerLog      *peerlog.Logger // logs what clients cause
	handler      Handler         // with the middleware around it

	revisions  []string // that are served, newest first
	modern     []string // those of them that are stateless
	handshakes []string // those of them with a handshake, oldest first

	implementation string          // serverInfo
	served         map[eras]string // names of methods, newline-separated
	tail           string          // end of stateless results
	hints          string          // cache members of results that may be cached
	lists          lists
	pages          [listing.Count][2]atomic.Pointer[keptPage] // the last ones, for clients without and with pages of MCP Apps
	apps           apps
	headers        map[string][]mcpgen.ToolHeader // by tool
	metas          metaCache
	subscribers    subscribers
	relays         relays
	overdue        overdue
	names          atomic.Pointer[nameList] // the last one; nil before the first
	tasks          map[string]bool          // the tools of the schema that run as tasks; true means that they run as nothing else
}

// session is the handler of one session.
type session struct {
	srv       *Server
	conn      runtime.Conn
	canceller protocol.Canceller // nil if requests cannot be cancelled

	ended     chan struct{}             // closed when the input of the session ends
	ending    sync.Once                 // closes ended
	opening   sync.Mutex                // held while the handshake is made
	handshake atomic.Pointer[handshake] // nil until it is made
	version   atomic.Uint64             // of what State returns

	mu sync.Mutex
	// added to the subscribers of the server by the handshake; nil before
	subscriber *subscriber
	// the function that Options.OnSession returned; nil if there is none
	over   func()
	closed bool
	id     string // see taskID; empty until it is needed
}

// handshake is the result of the handshake of a session.
type handshake struct {
	revision string
	caller   Caller
	session  *session
	level    atomic.Int32               // the least severe level that is logged to the client
	unknown  map[string]json.RawMessage // members of the state that another version has added, see Restore
}

// Request is one request while it is served. It is valid until its handler has returned; the handler's context may be kept longer.
type Request struct {
	params
	context   context.Context // of the session or the transport
	scope     *scope          // the handler's context; nil if no handler is called
	server    *Server
	ended     <-chan struct{} // closed when the input of the session ends; nil outside of sessions
	handshake *handshake      // nil if the request is stateless
	call      *runtime.Call
	route     *route
	method    string

	missing  bool    // the tool, prompt or resource does not exist
	isError  bool    // the tool has returned a result with isError
	reported bool    // progress was reported
	progress float64 // the last value reported
	rounds   *rounds // questions to a stateless client; nil if there are none

	task tasking.Task // that the call runs as; nil if it is none
	tool ToolCall     // the call of a tool
}

// route describes how a method of the protocol is served.
type route struct {
	name   string
	has    members                                     // the params that are scanned
	eras   eras                                        // eras that have the method
	served func(s *Server) bool                        // reports whether the server has the capability
	serve  func(ctx context.Context, q *Request) error // answers the request
	runs   runs                                        // whose code is called
}

// is reports whether r is that of a method. A nil route is that of none.
func (r *route) is(method string) bool { return r != nil && r.name == method }

// scope is the context of the handler of a request. It is small and may be kept for ever: when the handler has returned, it releases the request,
// which is then reused.
type scope struct {
	context   context.Context // of the session or the transport
	stateless bool            // the client receives no requests

	mu sync.Mutex
	// nil when the handler has returned
	request *Request
}

// handlerCall is the common part of tool calls, prompt calls and resource calls: arguments are decoded, and there is one answer.
type handlerCall struct {
	q     *Request
	c     *runtime.Call
	begun bool  // decoding of the arguments has begun
	done  bool  // there is a result
	err   error // why there is no result
}

// ToolCall is one request tools/call (server/tools, Calling Tools) while [Declarations] handle it. It is valid until CallTool returns.
//
// Generated code decodes the arguments in a loop over [ToolCall.Arguments], and answers with [ToolCall.Return] or [ToolCall.Fail].
type ToolCall struct {
	handlerCall
	start int // index of the structured result in the answer
}

// ResourceCall is one request resources/read (server/resources, Reading Resources) while [Declarations] handle it. It is valid until ReadResource
// returns.
type ResourceCall struct {
	handlerCall
	meta string // of the content; empty if none
}

// PromptCall is one request prompts/get (server/prompts, Getting a Prompt) while [Declarations] handle it. It is valid until GetPrompt returns.
type PromptCall struct{ handlerCall }

// CompleteCall is one request completion/complete (server/utilities/completion) while [Declarations] handle it. It is valid until Complete returns.
type CompleteCall struct {
	handlerCall
	kind     string // ref/prompt or ref/resource
	ref      string // name of the prompt, or the URI template
	argument string
	value    string
	known    map[string]string
}
