package frame

import "sync"

// Pacer is a stream that is consulted before each Read by a [Reader], with whether the reader is inside a frame, and how many bytes of memory it
// holds for that frame. An error ends reading, like an error of Read.
type Pacer interface {
	Await(inside bool, held int) error
}

// NewConn returns a connection that reads with r, writes with w and is closed by close. It calls
// close once; close must make both return. The connection is a [Gatherer] if w is one.
func NewConn(r Reader, w Writer, close func() error) Conn {
	c := &conn{Reader: r, Writer: w, close: close}
	if g, ok := w.(Gatherer); ok {
		return &gathering{c, g}
	}
	return c
}

type gathering struct {
	*conn
	Gatherer
}

type conn struct {
	Reader
	Writer
	once  sync.Once
	close func() error
	err   error
}

// Close closes both directions.
func (c *conn) Close() error {
	c.once.Do(func() { c.err = c.close() })
	return c.err
}
