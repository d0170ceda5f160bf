// Package tap is the seam between a session and the streams of items that some schemas have. Few programs link what uses it.
//
//test:by ./runtime/gen/stream
package tap

import "context"

// Tap is the streams of a session.
type Tap interface {
	Item(method string, params []byte, size int) bool // takes a notification, in the goroutine that reads
	Ends(method string) bool                          // calls of the method end streams
	Busy() bool                                       // streams are being read
	Stop()                                            // no further calls are served
	End(cause error)                                  // no further messages are read
}

// Response is the response to a message outside of sessions, as over HTTP, where it may be a stream of messages.
type Response interface {
	Begin(call any, stop func()) bool // stop is called at shutdown; if it reports false, the call was answered
	Post(ctx context.Context, msg []byte) error
}

// Exchange sends the request msg with an id, and returns the message that answers it. Before that, it calls item with each message of its response.
type Exchange func(ctx context.Context, id int64, msg []byte, item func(msg []byte)) (reply []byte, err error)

// ExchangeOf returns that of a connection that has no session, but streams; nil for others. Package rpchttp replaces it.
var ExchangeOf = func(any) Exchange { return nil }

// Seam is what streams use of their session: see the function Tap of package runtime.
type Seam struct {
	Ask    func(ctx context.Context, id int64, msg []byte, then func(reply []byte, err error)) (forget func() bool, err error)
	Post   func(ctx context.Context, msg []byte) error
	Count  func(call any, items int)
	Detach func(ctx context.Context, call any) (lasting context.Context, answer func(result []byte) bool)
}
