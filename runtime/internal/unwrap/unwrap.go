// Package unwrap finds what a connection can do although it is wrapped.
//
//test:by ./runtime/x/ratelimit
//test:by ./runtime/mcp
package unwrap

import "github.com/rpcgen-go/rpcgen/runtime"

// As returns conn as a T, or else the first of the connections that it wraps that is one. A connection
// that wraps another one has the method Unwrap.
func As[T any](conn runtime.Conn) (found T, ok bool) {
	for conn != nil {
		if found, ok = conn.(T); ok {
			return found, true
		}
		outer, wraps := conn.(interface{ Unwrap() runtime.Conn })
		if !wraps {
			break
		}
		conn = outer.Unwrap()
	}
	return found, false
}
