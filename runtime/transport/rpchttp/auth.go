package rpchttp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"errors"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// ErrForbidden is wrapped by errors of [Options.Auth] for callers who are known and may not use the server.
var ErrForbidden = errors.New("rpchttp: the caller may not use this server")

// ErrUnavailable is wrapped by errors of [Options.Auth] when a caller cannot be authenticated now.
var ErrUnavailable = errors.New("rpchttp: callers cannot be authenticated now")

var (
	errNoToken       = errors.New("a bearer token is required")
	errToken         = errors.New("the token is not valid")
	errNoCertificate = errors.New("a client certificate is required")
)

// Tokens returns an [Options.Auth] for fixed bearer tokens (RFC 6750 section 2.1): the ids of the principals that they were given to, by
// token. A token is compared with all of them, in constant time. An empty token is not accepted.
func Tokens(ids map[string]string) func(context.Context, *http.Request) (context.Context, error) {
	type entry struct {
		hash [sha256.Size]byte
		id   string
	}
	var all []entry
	for token, id := range ids {
		all = append(all, entry{sha256.Sum256([]byte(token)), id})
	}
	return func(ctx context.Context, r *http.Request) (context.Context, error) {
		token, ok := web.Bearer(r.Header["Authorization"])
		if !ok {
			return nil, errNoToken
		}
		hash, found := sha256.Sum256([]byte(token)), -1
		for i := range all {
			if subtle.ConstantTimeCompare(hash[:], all[i].hash[:]) == 1 {
				found = i
			}
		}
		if found < 0 {
			return nil, errToken
		}
		return principal.With(ctx, all[found].id), nil
	}
}

// Certificates returns an [Options.Auth] for client certificates, which the server's [tls.Config] has to verify (ClientAuth
// [tls.RequireAndVerifyClientCert] or [tls.VerifyClientCertIfGiven]). Id returns the id of a certificate's principal; an empty one is refused.
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

// authenticate returns the context of a request that may be served; otherwise it has been answered.
func (h *Handler) authenticate(w http.ResponseWriter, r *http.Request) (context.Context, bool) {
	if h.o.Auth == nil {
		return r.Context(), true
	}
	ctx, err := h.o.Auth(r.Context(), r)
	switch {
	case err == nil && ctx != nil:
		return ctx, true
	case errors.Is(err, ErrUnavailable):
		h.peerLog.Warn("a caller could not be authenticated", "error", err)
		h.refuseFor(w, runtime.Condition{Kind: when.Overloaded, Reason: "callers cannot be authenticated now", RetryAfter: web.Busy})
	case errors.Is(err, ErrForbidden):
		h.refuse(w, http.StatusForbidden, "the caller may not use this server")
	default:
		h.peerLog.Debug("a caller was not authenticated", "error", err)
		challenge := "Bearer"
		if len(r.Header["Authorization"]) > 0 {
			challenge = `Bearer error="invalid_token"` // RFC 6750 section 3.1
		}
		w.Header().Set("WWW-Authenticate", challenge)
		h.refuse(w, http.StatusUnauthorized, "the request is not authenticated")
	}
	return nil, false
}
