// Package stream reads and sends the items of streams over sessions. It is for generated code only, and makes no promise of compatibility to other code.
package stream

import (
	"cmp"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Form is how the items of a stream travel, and what of them is kept for a reader.
type Form struct {
	Method string // the notification that an item is
	ID     string // the member of its params that is the id of the stream
	Item   string // the member of its params that is the item
	First  bool   // the response comes first, and its result is the id. Otherwise the id is that of the request, and the response ends the stream
	End    string // the method that ends a stream: a request if First, otherwise a notification
	EndID  string // the member of its params that is the id; if it is empty, the params are an array

	Items, Bytes int  // how much waits for a reader; one item may be larger. Zero means DefaultItems and DefaultBytes
	Oldest       bool // the oldest items go when there are more. Otherwise the stream ends with [runtime.ErrSlowReader]
}

// The limits of what waits for a reader.
const (
	DefaultItems = 64
	DefaultBytes = 1 << 20
)

var (
	errUnsupported = errors.New("the connection does not carry the stream: " + needsSession)
	errLeft        = errors.New("the loop over the stream was left before its end")
	errTwice       = errors.New("the peer gave a stream the id of another one that has not ended")
	errNoID        = errors.New("the response to the request for a stream does not hold an id")
	errEnded       = errors.New("the peer has ended the stream")
	errNoItem      = errors.New("the item is not encoded")
	errShutdown    = errors.New("the session is shut down")
)

// needsSession says what carries streams.
const needsSession = "it needs a session, as over TCP or WebSocket, or HTTP if it is declared with by: request"

func (f *Form) items() int { return cmp.Or(f.Items, DefaultItems) }
func (f *Form) bytes() int { return cmp.Or(f.Bytes, DefaultBytes) }

// Begin begins an item for [Encode], which [gen.Request.Violations] checks. The caller must call [gen.Request.Close].
func (f *Form) Begin() *gen.Request { return gen.NewNotification(nil, f.Method) }

// member appends a name as it begins a member of an object.
func member(b []byte, name string) []byte { return append(wire.AppendString(b, name), ':') }
