// Package owner decides whose a call is, for what must not serve just anyone: a secret of the environment, or a login of the person who runs the program.
//
//test:by ./test/owners
package owner

import (
	"context"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/outer"
)

// Kind says whose a call is.
type Kind int

// The kinds of owners.
const (
	Unknown   Kind = iota // anyone who reaches the server: the call came over a connection that others may open, without a principal
	Operator              // the person who runs the program: the call came over its standard streams or in memory, without a principal
	Principal             // the principal of the call
)

// Of returns whose the call of a context is, which a context that hides the call finds, too.
func Of(ctx context.Context, principal string) Kind {
	switch {
	case principal != "":
		return Principal
	case remote(outer.From(ctx)):
		return Unknown
	}
	return Operator
}

// remote reports whether a call arrived over a connection that others may open. Transports that leave no mark of another kind say so by [contextkey.Remote]. A
// handler of package net/http that the program has written itself is known by its server, and a transport of other modules with a Dispatcher by its late
// answers.
func remote(ctx context.Context) bool {
	if is, ok := ctx.Value(contextkey.Remote{}).(bool); ok {
		return is
	}
	return protocol.HTTPFrom(ctx) != nil || ctx.Value(http.ServerContextKey) != nil || ctx.Value(contextkey.Late{}) != nil
}
