// Package replicas is the seam between package mcphttp, which serves sessions, and what lets several processes serve them: who serves
// the session with this id? Neither side imports the other. Package mcpcluster is such a [Cluster]; without one, sessions stay in the
// handler that they were opened at.
//
//test:by ./runtime/x/mcpcluster
package replicas

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Cluster is a set of replicas of a server. It is safe for concurrent use.
type Cluster interface {
	// Join makes a handler a replica, until [Place.Leave] is called.
	Join(h Host) (Place, error)
}

// Place is the place of a handler among the replicas.
type Place interface {
	// Ready returns nil if sessions can be served at present, and otherwise why not.
	Ready() error

	// Find says who serves the session of a request. It returns the session if this replica serves it, marked as in use. Without a session
	// and a refusal, another replica has answered the request.
	Find(ctx context.Context, w http.ResponseWriter, r Request) (Session, *Refusal)

	// Enter returns the part that the replicas have in a session that is opened here.
	Enter(s Session) Part

	// Leave ends it: other replicas continue the sessions.
	Leave()
}

// Request is a request of a session.
type Request struct {
	ID, Principal string // of the session, and of who asks for it
	HTTP          *http.Request
	Body          []byte // which was read
}

// Part is the part that the replicas have in one session of a handler.
type Part interface {
	// Version returns a number that increases with what the session is continued from.
	Version() uint64

	// Keep saves what the session is continued from if its version is not that one any more.
	Keep(since uint64) error

	// Remove forgets the session before it is closed because the client has ended it.
	Remove(ctx context.Context) error

	// Over is called when the session has closed. If it has moved, another replica has it.
	Over(moved bool)

	// Deliver passes a response on to where the session was served before, if there may be such a place. It fails if it cannot be passed on at
	// present, and with a *frame.TooLargeError if it never can.
	Deliver(response []byte) error

	// Cancel passes a cancellation on to where the session was served before. It reports whether there may be such a place.
	Cancel(id runtime.ID) bool

	// Suffix returns what the ids of a stream's events end with. The argument is the JSON of the id of the request that the stream belongs
	// to, and empty if it belongs to none, or to a batch.
	Suffix(request string) string

	// Local returns the id of an event without its suffix. If the stream of the event was lost with another replica, it returns the answer that
	// ends it instead. It reports false if the id cannot be one of the session.
	Local(event string) (id string, lost []byte, ok bool)
}

// Host is a handler as the replicas use it.
type Host struct {
	Server       string // its name, the same for all replicas
	Log          *slog.Logger
	PeerLog      *peerlog.Logger // logs what clients cause
	SessionIdle  time.Duration   // after which sessions that are not used end
	WriteTimeout time.Duration   // for a client to read what is written
	Sessions     Sessions

	// Serve serves a request of another replica. It writes nothing if the handler shuts down.
	Serve func(w http.ResponseWriter, r *http.Request)

	// Closing reports whether the handler shuts down.
	Closing func() bool

	// Relay shares changes of lists and resources; see mcp.Server.Relay.
	Relay func(send func(change []byte)) (apply func(change []byte), stop func())
}

// Sessions are the sessions of a handler. Each is a value that can be compared; nil stands for none.
type Sessions interface {
	Get(id string) Session
	All() []Session

	// Open returns a session with an id, which is in use, and which Get finds after Add only.
	Open(ctx context.Context, r Request) (Session, *Refusal)

	// Add makes a session known. It reports false if the handler shuts down.
	Add(s Session) bool
}

// Session is a session that a handler serves.
type Session interface {
	ID() string
	Principal() string // who opened it
	State() protocol.Continuation
	Part() Part

	// Use marks the session as in use. It reports false if it is closed. Unuse undoes that, and InUse tells of both.
	Use() bool
	Unuse()
	InUse() bool

	// CountFrom sets the number that the ids of its own requests begin after.
	CountFrom(id int64)

	// Move ends the session here, because another replica has continued it. The calls in flight go on, and answer their own clients; the session
	// closes after the last one.
	Move()

	// Close ends the session with all of its calls. Closed reports whether it has ended.
	Close()
	Closed() bool

	// Deliver passes a response to the call that waits for it, and Cancel cancels a call. They report whether there is one.
	Deliver(response []byte) bool
	Cancel(id runtime.ID, cause error) bool

	// Waits reports whether calls wait for responses of the client. LoseResponses makes these calls fail.
	Waits() bool
	LoseResponses()
}

// Refusal is the answer to a request that is not served. A Condition of no kind is a fault of the program.
type Refusal struct {
	Status    int
	Condition runtime.Condition
}

// NoSession refuses a request whose session is not there, or has ended.
var NoSession = Refusal{Status: http.StatusNotFound, Condition: runtime.Condition{Kind: when.SessionNotFound, Reason: "initialize a new one"}}

// TooLarge returns the refusal of a message that the replicas cannot pass on.
func TooLarge(e *frame.TooLargeError) *Refusal {
	return &Refusal{http.StatusRequestEntityTooLarge, runtime.Condition{Kind: when.MessageTooLarge, MaxSize: e.Max, Size: int(e.Size), Unit: "bytes"}}
}

// Unavailable returns the refusal while sessions cannot be served.
func Unavailable(reason string) *Refusal {
	return &Refusal{http.StatusServiceUnavailable, runtime.Condition{Kind: when.Overloaded, Reason: reason, RetryAfter: web.Busy}}
}

// Reasons for [Unavailable].
const (
	NotNow  = "sessions are not available at present"
	Moving  = "the session is moving to another replica"
	Later   = "the session can be continued by a later version only"
	Closing = "the server is shutting down"
)
