package mcp

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime/principal"
)

// WithPrincipal returns a context for messages of an authenticated principal, such as the subject of a token. What is handed to stateless
// clients between rounds is of use to the same principal only. It is [principal.With].
func WithPrincipal(ctx context.Context, id string) context.Context { return principal.With(ctx, id) }

// PrincipalFrom returns the principal; empty: there is none. It is [principal.From].
func PrincipalFrom(ctx context.Context) string { return principal.From(ctx) }
