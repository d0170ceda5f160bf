package mcp

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// statelessConn is the connection to a stateless client. Servers must not send requests to it
// (basic/transports/stdio, Receiving Messages), so calls fail.
type statelessConn struct{ runtime.Conn }

var errStatelessConn = errors.New("mcp: a stateless client receives no requests: use Ask")

// Call fails, see [runtime.Conn].
func (statelessConn) Call(context.Context, int64, []byte) ([]byte, error) {
	return nil, errStatelessConn
}

// CallBatch fails, see [runtime.Conn].
func (statelessConn) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, errStatelessConn
}
