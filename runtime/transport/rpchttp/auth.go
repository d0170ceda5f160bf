package rpchttp

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
)

// ErrForbidden is wrapped by errors of [Options.Auth] for callers that are known but may not use
// the server.
var ErrForbidden = web.ErrForbidden

// ErrUnavailable is wrapped by errors of [Options.Auth] if a caller cannot be authenticated at
// present.
var ErrUnavailable = web.ErrUnavailable

var (
	errNoToken       = errors.New("a bearer token is required")
	errToken         = errors.New("the token is not valid")
	errNoCertificate = errors.New("a client certificate is required")
)

// Tokens returns an [Options.Auth] for fixed bearer tokens (RFC 6750 section 2.1). The argument
// maps each token to the ID of its principal. A token is compared with all of them in constant
// time. An empty token is not accepted.
func Tokens(ids map[string]string) func(context.Context, *http.Request) (context.Context, error) {
	tokens := web.NewTokens(ids)
	return func(ctx context.Context, r *http.Request) (context.Context, error) {
		token, ok := web.Bearer(r.Header["Authorization"])
		if !ok {
			return nil, errNoToken
		}
		id, ok := tokens.Find(token)
		if !ok {
			return nil, errToken
		}
		return principal.With(ctx, id), nil
	}
}

// Certificates returns an [Options.Auth] for client certificates. The server's [tls.Config] must
// verify them: set ClientAuth to [tls.RequireAndVerifyClientCert] or [tls.VerifyClientCertIfGiven].
// The function id returns the ID of a certificate's principal; an empty one is rejected.
func Certificates(id func(*x509.Certificate) string) func(context.Context, *http.Request) (context.Context, error) {
	return func(ctx context.Context, r *http.Request) (context.Context, error) {
		if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
			return nil, errNoCertificate
		}
		who := id(r.TLS.PeerCertificates[0])
		if who == "" {
			return nil, ErrForbidden
		}
		return principal.With(ctx, who), nil
	}
}
