package runtime

import "context"

// Conn is the connection that generated clients call through. [Session] implements it. All methods are safe for concurrent use.
type Conn interface {
	// NextID reserves n consecutive ids and returns the first one. Ids increase, are never repeated and stay below 2^60. When they are used up, it fails with
	// [ErrIDsExhausted].
	NextID(n int) (int64, error)

	// Call sends the request msg, which has the given id, and returns the message that holds the response. It does not keep msg, but may write to its spare
	// capacity. The caller owns the returned bytes.
	//
	// The error wraps [ErrClosed] if the connection is closed. It is the error of ctx if ctx ends first; the peer is not notified of that.
	Call(ctx context.Context, id int64, msg []byte) ([]byte, error)

	// CallBatch sends the batch msg, which holds n requests with consecutive ids from first on, and returns the messages that hold their responses in the
	// order of the ids. A nil message means that the peer left the response out. If n is 0 the batch holds only notifications, and CallBatch does not wait
	// (JSON-RPC 2.0 section 6).
	CallBatch(ctx context.Context, first int64, n int, msg []byte) ([][]byte, error)

	// Notify sends the notification msg (JSON-RPC 2.0 section 4.1). It returns when msg is written; there is no response.
	Notify(ctx context.Context, msg []byte) error
}
