package web

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/ids"
)

// IDs numbers the requests of a connection that is not a session, see [runtime.Conn].
type IDs struct{ ids.Counter }

// NextID implements [runtime.Conn].
func (c *IDs) NextID(n int) (int64, error) {
	first, ok := c.Next(n)
	if !ok {
		return 0, runtime.ErrIDsExhausted
	}
	return first, nil
}

// CountFrom makes last the last id that was used.
func (c *IDs) CountFrom(last int64) { c.Set(last) }
