package frame

import "sync"

// Pacer is a stream that wants to know, before each Read by a [Reader], how far the reader is: whether it is inside of a frame, and how many
// bytes of memory are held for that frame. An error ends reading, in place of Read's.
type Pacer interface {
	Await(inside bool, held int) error
}

// NewConn returns a connection that reads with r, writes with w and is closed by close, which is called once and makes both return.
func NewConn(r Reader, w Writer, close func() error) Conn {
	return &conn{Reader: r, Writer: w, close: close}
}

type conn struct {
	Reader
	Writer
	once  sync.Once
	close func() error
	err   error
}

// Close ends both directions.
func (c *conn) Close() error {
	c.once.Do(func() { c.err = c.close() })
	return c.err
}
