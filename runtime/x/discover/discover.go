// Package discover answers rpc.discover, the method by which clients ask a service for its OpenRPC document (OpenRPC, Service Discovery
// Method). It is opt-in:
//
//	//go:embed weather.openrpc.json
//	var document string
//
//	options := runtime.Options{Middleware: []runtime.Middleware{discover.Middleware(document)}}
//
// The command "rpcgen export --format openrpc" writes the document.
//
//test:sequential
package discover

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Method is the name of the method.
const Method = "rpc.discover"

// Middleware returns a middleware that answers [Method] with an OpenRPC document, and passes on all
// other calls. It panics if the document is not valid JSON. The method takes no params; any that are
// sent are ignored.
func Middleware(document string) runtime.Middleware {
	text, err := wire.ParseRaw([]byte(document))
	if err != nil {
		panic("discover: the document is not valid JSON: " + err.Error())
	}
	return func(next runtime.HandlerFunc) runtime.HandlerFunc {
		return func(ctx context.Context, c *runtime.Call) {
			if c.Method() != Method {
				next(ctx, c)
				return
			}
			if c.NoParams() {
				c.Return(wire.AppendRaw(c.Result(), text))
			}
		}
	}
}
