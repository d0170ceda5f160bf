package mcp

import (
	"context"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// subscriber is a client that receives notifications of changes: a session, or a request
// subscriptions/listen. Changes that were not sent yet are noted once per list and resource,
// however often these change. So a slow client takes little memory and still learns of every
// change.
type subscriber struct {
	subscribers *subscribers
	conn        runtime.Conn
	ctx         context.Context // context of its notifications
	cancel      context.CancelFunc
	// params with the id of the subscription; nil for a session
	tag []byte

	mu      sync.Mutex
	wants   protocol.Lists
	early   protocol.Lists         // lists that have changed before wants was set
	uris    map[string]bool        // subscribed URIs; true means that an update has to be sent. Nil after the end
	sees    func(uri string) bool  // reports whether the client may learn of an update; nil means of all
	owner   string                 // principal of the client, see [Server.ResourceUpdatedFor]
	bytes   int                    // length of all uris
	changed protocol.Lists         // lists whose change has to be sent
	updated []string               // of uris, in the order in which they changed
	tasks   []string               // ids of tasks that have changed, each once
	render  func(id string) []byte // returns a task as JSON, or nothing if there is none
	busy    bool                   // a goroutine is sending
	ending  bool                   // no further changes are noted
	idle    chan struct{}          // closed when busy ends; nil unless quiet waits
}

// subscribers is the set of clients that receive notifications of changes. Its lock is taken before
// that of a subscriber, never after.
type subscribers struct {
	mu      sync.Mutex
	all     map[*subscriber]struct{}
	closed  bool
	closing chan struct{}  // closed when the server shuts down
	running sync.WaitGroup // goroutines that serve subscribers
	watches *watches
}

// watches counts the subscribers of each resource, so that [Dynamic] learns which resources have any.
// Its lock is taken before that of the subscribers, never after.
type watches struct {
	start    func(uri string) (stop func()) // nil if nobody needs the numbers
	declared bool                           // the schema says that clients can subscribe, whatever start returns

	mu  sync.Mutex
	all map[string]*watch
}

// watch is a resource with subscribers.
type watch struct {
	subscribers int
	stop        func() // nil if start has returned nil
}
