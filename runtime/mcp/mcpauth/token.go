package mcpauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/oauth"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// seconds is a number that some servers send as a string.
type seconds float64

// UnmarshalJSON implements [json.Unmarshaler]. What is not a number is zero.
func (s *seconds) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err != nil || math.IsNaN(n) {
		n = 0
	}
	const most = 1 << 40
	*s = seconds(min(max(n, -most), most))
	return nil
}

// scopeText is a list of scopes that are separated by spaces, which some servers send as a list of strings.
type scopeText string

// UnmarshalJSON implements [json.Unmarshaler].
func (s *scopeText) UnmarshalJSON(b []byte) error {
	if !bytes.HasPrefix(b, []byte("[")) {
		return json.Unmarshal(b, (*string)(s))
	}
	var all []string
	err := json.Unmarshal(b, &all)
	*s = scopeText(strings.Join(all, " "))
	return err
}

// tokenAnswer is a response of a token endpoint (RFC 6749 section 5.1, RFC 8693 section 2.2.1).
type tokenAnswer struct {
	Access  Secret     `json:"access_token"`
	Type    string     `json:"token_type"`
	Refresh Secret     `json:"refresh_token"`
	Scope   *scopeText `json:"scope"`
	Issued  string     `json:"issued_token_type"`
}

// tokenRequest is a request to a token endpoint.
type tokenRequest struct {
	issuer *issuer
	client Registration
	key    *Key    // of the client; may be nil
	proofs *proofs // bind the token to a key; nil means that it is not bound
	form   url.Values
}

// send makes the request. A proof is repeated once with the nonce that the server requires (RFC 9449
// section 8).
func (f *fetcher) token(ctx context.Context, r *tokenRequest) (*tokenAnswer, error) {
	out, err := f.tokenOnce(ctx, r)
	if is(err, "use_dpop_nonce") {
		out, err = f.tokenOnce(ctx, r)
	}
	if err != nil {
		return nil, f.fail("token request", r.issuer.Token, err)
	}
	return out, nil
}

func (f *fetcher) tokenOnce(ctx context.Context, r *tokenRequest) (*tokenAnswer, error) {
	at, err := f.guard.check(r.issuer.Token)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Accept": {web.JSON}, "Content-Type": {"application/x-www-form-urlencoded"}}
	if err := r.client.authenticate(r.issuer, r.key, r.form, header); err != nil {
		return nil, err
	}
	if r.proofs != nil {
		proof, err := r.proofs.proof(http.MethodPost, at, "")
		if err != nil {
			return nil, err
		}
		header.Set("DPoP", proof)
	}
	f.hide(r.form, header)
	a, err := f.do(ctx, http.MethodPost, r.issuer.Token, header, []byte(r.form.Encode()))
	if err != nil {
		return nil, err
	}
	if r.proofs != nil {
		r.proofs.remember(at, a.header.Get("DPoP-Nonce"))
	}
	if _, _, refused := oauth.TokenError(a.status, a.body); refused {
		return nil, a.explainSkew(f.failure(a))
	}
	out := new(tokenAnswer)
	switch err := json.Unmarshal(a.body, out); {
	case err != nil:
		return nil, fmt.Errorf("%w: the answer does not have the form of RFC 6749", ErrToken)
	case out.Access == "":
		return nil, fmt.Errorf("%w: there is no access_token", ErrToken)
	}
	f.secrets.Add(string(out.Access), string(out.Refresh))
	return out, nil
}

// public are the parameters of token requests that are not secrets.
var public = map[string]bool{
	"grant_type": true, "resource": true, "scope": true, "redirect_uri": true, "client_id": true, "client_assertion_type": true,
	"requested_token_type": true, "audience": true, "subject_token_type": true,
}

// hide hides what a request contains in errors.
func (f *fetcher) hide(form url.Values, header http.Header) {
	f.secrets.AddHeader(header)
	for name, values := range form {
		if !public[name] {
			f.secrets.Add(values...)
		}
	}
}

// failure returns the error in a response. It does not repeat what was sent.
func (f *fetcher) failure(a *answer) error {
	code, description, _ := oauth.TokenError(a.status, a.body)
	return &ServerError{Status: a.status, Code: f.word(code), Description: f.word(description)}
}

// explainSkew adds to an error of a response that the clocks differ, if that can be its cause.
func (a *answer) explainSkew(err error) error {
	const most = 2 * time.Minute
	if !is(err, "invalid_client", "invalid_grant", "invalid_dpop_proof", "invalid_request") {
		return err
	}
	at, bad := http.ParseTime(a.header.Get("Date"))
	skew := time.Since(at)
	if bad != nil || skew.Abs() < most {
		return err
	}
	return errors.Join(err, fmt.Errorf("%w by %s: set the clock of this machine", ErrClock, skew.Round(time.Second)))
}

// The types of tokens, which are also the schemes of the header Authorization.
const (
	schemeBearer = "Bearer"
	schemeDPoP   = "DPoP"
)
