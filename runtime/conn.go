package runtime

import "context"

// Conn is what generated clients call through. [Session] is one. All methods may be called by many goroutines.
type Conn interface {
	// NextID reserves n consecutive ids and returns the first. Ids increase, are never repeated, and stay below 2^60; after
	// that it fails with [ErrIDsExhausted].
	NextID(n int) (int64, error)

	// Call sends the request msg, which has the given id, and returns the message with the response to it. It does not keep
	// msg, but may use its spare capacity. What it returns is the caller's. The error wraps [ErrClosed] when the connection
	// is closed, and is ctx's when that ends first.
	Call(ctx context.Context, id int64, msg []byte) ([]byte, error)

	// CallBatch sends the batch msg, which has n requests with ids from first on, and returns the messages with their
	// responses in that order. A nil one means that the peer left it out. With n zero it waits for nothing.
	CallBatch(ctx context.Context, first int64, n int, msg []byte) ([][]byte, error)

	// Notify sends the notification msg.
	Notify(ctx context.Context, msg []byte) error
}
