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

// Seam is what streams use of their session: see the function Tap of package runtime.
type Seam struct {
	Ask    func(ctx context.Context, id int64, msg []byte, then func(reply []byte, err error)) (forget func() bool, err error)
	Post   func(ctx context.Context, msg []byte) error
	Count  func(call any, items int)
	Detach func(ctx context.Context, call any) (lasting context.Context, answer func(result []byte) bool)
}
