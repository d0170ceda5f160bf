// Package narrow gives tests connections with a small limit in one direction.
//
//test:by ./runtime/x/reconnect
//test:by ./runtime/x/mount
package narrow

import "github.com/rpcgen-go/rpcgen/runtime/frame"

// Conn is a connection in memory that skips frames of the other end of more than Max bytes, as one over a stream does with those over its limit. Max is
// 256 at least.
type Conn struct {
	frame.Conn
	Max int
}

// ReadFrame returns the next frame, or a [*frame.TooLargeError] for one that is skipped.
func (c Conn) ReadFrame() ([]byte, error) {
	p, err := c.Conn.ReadFrame()
	if n := len(p); n > c.Max {
		return nil, &frame.TooLargeError{Size: int64(n), Max: c.Max, Head: p[:256], Tail: p[n-256:]}
	}
	return p, err
}
