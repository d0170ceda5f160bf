package backendoauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/outer"
	"github.com/rpcgen-go/rpcgen/runtime/internal/owner"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
)

// Machine returns credentials of the program itself, by its client id and secret (RFC 6749 section 4.4). They serve every principal.
func Machine(o Options) backend.Credentials {
	all := new(tokens[backend.Owner])
	return backend.Func(func(ctx context.Context, q backend.Ask) (backend.Credential, error) {
		t, err := all.use(ctx, backend.Owner{Backend: q.Backend, Scheme: q.Scheme}, func(old *token) (*token, error) {
			if old.serves(q) {
				return old, nil
			}
			return o.request(ctx, q, url.Values{"grant_type": {"client_credentials"}})
		})
		return credential(t, err)
	})
}

func credential(t *token, err error) (backend.Credential, error) {
	if err != nil {
		return backend.Credential{}, err
	}
	return backend.Bearer(t.Access), nil
}

// exchangeKey identifies the token that a principal gets for one that it came with.
type exchangeKey struct {
	backend.Owner
	token [sha256.Size]byte
}

// untold is how long a token is used of which the server does not say when it expires.
const untold = time.Minute

// Exchange returns credentials that the authorization server gives for the token which the client of the MCP server came with (RFC 8693). That token is sent to
// the token endpoint and to no other place. It needs a principal: a token that the MCP server has not checked is not exchanged.
func Exchange(o Options) backend.Credentials {
	all := new(tokens[exchangeKey])
	return backend.Func(func(ctx context.Context, q backend.Ask) (backend.Credential, error) {
		if owner.Of(ctx, q.Principal) != owner.Principal {
			return backend.Credential{}, fmt.Errorf("%w: the call has no principal whose token could be exchanged", backend.ErrNoCredential)
		}
		subject := bearer(outer.From(ctx))
		if subject == "" {
			return backend.Credential{}, fmt.Errorf("%w: the client of the server has not sent a bearer token", backend.ErrNoCredential)
		}
		t, err := all.use(ctx, exchangeKey{q.Owner(), sha256.Sum256([]byte(subject))}, func(old *token) (*token, error) {
			if old.serves(q) {
				return old, nil
			}
			const access = "urn:ietf:params:oauth:token-type:access_token"
			fresh, err := o.request(ctx, q, url.Values{
				"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "requested_token_type": {access}, "subject_token": {subject}, "subject_token_type": {access},
			})
			if err == nil && fresh.Expires.IsZero() {
				fresh.Expires = time.Now().Add(untold + early)
			}
			if err == nil && fresh.Access == subject {
				return nil, errors.New("the token endpoint gave the token of the client, which must not be passed on")
			}
			return fresh, err
		})
		return credential(t, err)
	})
}

// bearer is the token that a message came with.
func bearer(ctx context.Context) string {
	h := protocol.HTTPFrom(ctx)
	if h == nil {
		return ""
	}
	for _, value := range h.Values("Authorization") {
		if scheme, text, ok := strings.Cut(strings.TrimSpace(value), " "); ok && strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(text)
		}
	}
	return ""
}
