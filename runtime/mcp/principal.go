package mcp

import "context"

// WithPrincipal returns a context for messages of an authenticated principal, such as the subject of a token. What is handed to stateless
// clients between rounds is of use to the same principal only.
func WithPrincipal(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

type principalKey struct{}

// PrincipalFrom returns the principal; empty: there is none.
func PrincipalFrom(ctx context.Context) string {
	p, _ := ctx.Value(principalKey{}).(string)
	return p
}
