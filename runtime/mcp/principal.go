package mcp

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime/principal"
)

// WithPrincipal returns a context for messages of an authenticated principal, such as the subject
// of a token. The requestState of a stateless request is then valid only for the same principal.
func WithPrincipal(ctx context.Context, id string) context.Context { return principal.With(ctx, id) }

// PrincipalFrom returns the principal. It is empty if there is none.
func PrincipalFrom(ctx context.Context) string { return principal.From(ctx) }
