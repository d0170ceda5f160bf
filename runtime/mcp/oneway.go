package mcp

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// oneWay is the way back to a stateless client: servers send it no requests (basic/transports/stdio, Receiving Messages).
type oneWay struct{ runtime.Conn }

var errOneWay = errors.New("mcp: a stateless client takes no requests: it is asked by Ask")

// Call fails; see [runtime.Conn].
func (oneWay) Call(context.Context, int64, []byte) ([]byte, error) { return nil, errOneWay }

// CallBatch fails; see [runtime.Conn].
func (oneWay) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, errOneWay
}
