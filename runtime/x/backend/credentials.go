package backend

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/outer"
	"github.com/rpcgen-go/rpcgen/runtime/internal/owner"
)

// Credentials says what calls to an API carry. It is called for each call that needs a scheme, by many goroutines at once. If there is no
// credential, the error wraps [ErrNoCredential], and the next alternative is tried.
//
// The context has the deadline, the cancellation and the span of the call. The request of the client and its headers are not in it: the
// token of a client is not for the API, and a credential that holds it is refused.
type Credentials interface {
	Credential(ctx context.Context, q Ask) (Credential, error)
}

// Ask is for whom a credential is asked, and for what.
type Ask struct {
	Backend, Scheme string
	Scopes          []string
	Principal       string // empty if the call has none, as over stdio and over HTTP without Auth; see [IsOperator]
	Tool            string
	Refused         bool // the last one was answered with 401

	Authorize, Token string // URLs of the scheme, for the kind oauth

	last Credential // that was refused
}

// RefusedToken reports whether the API answered this token with 401: a call that runs at the same time may have got another since.
func (q Ask) RefusedToken(token string) bool {
	return q.Refused && (q.last == Credential{} || q.last.secret == token)
}

// ErrNoCredential means that there is no credential for a scheme.
var ErrNoCredential = errors.New("no credential")

// Credential is a secret that a request carries. It is never printed or logged.
type Credential struct{ user, secret string }

// Bearer returns a credential for the schemes bearer and oauth: a token.
func Bearer(token string) Credential { return Credential{secret: token} }

// Key returns a credential for the scheme key.
func Key(key string) Credential { return Credential{secret: key} }

// Basic returns a credential for the scheme basic.
func Basic(user, password string) Credential { return Credential{user: user, secret: password} }

// String hides the credential.
func (Credential) String() string { return "[credential]" }

// GoString hides the credential.
func (Credential) GoString() string { return "[credential]" }

// Format hides the credential, whatever the verb is.
func (Credential) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[credential]")) }

// LogValue hides the credential.
func (Credential) LogValue() slog.Value { return slog.StringValue("[credential]") }

// MarshalJSON hides the credential.
func (Credential) MarshalJSON() ([]byte, error) { return []byte(`"[credential]"`), nil }

// IsOperator reports whether a call is one of the person who runs the program, for a [Func]: it has no principal, and came over the standard
// streams or in memory. Without a principal, a call over HTTP, WebSocket, TCP, a Unix socket or NATS may be one of any caller.
func IsOperator(ctx context.Context, q Ask) bool { return owner.Of(ctx, q.Principal) == owner.Operator }

// Env takes credentials from environment variables, whose names it has by scheme. For the scheme basic the variable holds user:password.
// It is for the person who runs the program, see [IsOperator]: other calls fail, because the secret would serve every principal, or everyone who
// reaches the server. Use [Shared] if that is meant.
type Env map[string]string

// Credential implements [Credentials].
func (e Env) Credential(ctx context.Context, q Ask) (Credential, error) {
	switch owner.Of(ctx, q.Principal) {
	case owner.Principal:
		return Credential{}, errors.New("a secret of the environment would serve every principal; use backend.Shared if that is meant")
	case owner.Unknown:
		return Credential{}, errors.New("the call came over a network without a principal: a secret of the environment would serve everyone who reaches the " +
			"server; use backend.Shared if that is meant")
	}
	return e.read(q)
}

func (e Env) read(q Ask) (Credential, error) {
	name := e[q.Scheme]
	if name == "" {
		return Credential{}, fmt.Errorf("%w: no environment variable is named for the scheme %s", ErrNoCredential, q.Scheme)
	}
	value := os.Getenv(name)
	if value == "" {
		return Credential{}, fmt.Errorf("%w: the environment variable %s is not set", ErrNoCredential, name)
	}
	return Credential{secret: value}, nil
}

// Shared gives the credentials of the environment to every call, also without a principal: those of a service account.
type Shared Env

// Credential implements [Credentials].
func (s Shared) Credential(_ context.Context, q Ask) (Credential, error) { return Env(s).read(q) }

// warnUnset logs which environment variable is not set, if no call that needs a credential can have one. Where only some calls have schemes, each is one
// alternative.
func (c *Client) warnUnset() {
	env, _ := c.opts.Credentials.(Env)
	if shared, ok := c.opts.Credentials.(Shared); ok {
		env = Env(shared)
	}
	alternatives := c.api.Auth
	if len(alternatives) == 0 {
		for _, s := range c.api.Schemes {
			if env[s.Name] != "" {
				alternatives = append(alternatives, []string{s.Name})
			}
		}
	}
	var first error
	for _, schemes := range alternatives {
		var missing error
		for _, name := range schemes {
			_, err := env.read(Ask{Scheme: name})
			missing = cmp.Or(missing, err)
		}
		if missing == nil {
			return
		}
		first = cmp.Or(first, missing)
	}
	if env != nil && first != nil {
		c.opts.Logger.Warn("calls of an API will fail", "backend", c.api.Name, "err", first)
	}
}

// Fixed has credentials by scheme, for tests.
type Fixed map[string]Credential

// Credential implements [Credentials].
func (f Fixed) Credential(_ context.Context, q Ask) (Credential, error) {
	c, ok := f[q.Scheme]
	if !ok {
		return Credential{}, ErrNoCredential
	}
	return c, nil
}

// Func is a function that gives credentials.
type Func func(ctx context.Context, q Ask) (Credential, error)

// Credential implements [Credentials].
func (f Func) Credential(ctx context.Context, q Ask) (Credential, error) { return f(ctx, q) }

// sentCredential is a credential in the form in which a request carries it.
type sentCredential struct {
	scheme          *Scheme
	in, name, value string
}

// form returns a credential as the scheme sends it.
func (s *Scheme) form(c Credential) (sentCredential, error) {
	out := sentCredential{scheme: s, in: "header", name: "Authorization"}
	switch s.Kind {
	case "basic":
		pair := c.secret
		if c.user != "" || !strings.Contains(pair, ":") {
			pair = c.user + ":" + pair
		}
		out.value = "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
	case "key":
		out.in, out.name, out.value = s.In, s.Param, c.secret
	default:
		out.value = "Bearer " + c.secret
	}
	bad := strings.ContainsFunc(out.value, func(r rune) bool { return r < ' ' || r > '~' })
	if c.secret == "" || out.in != "query" && bad || out.in == "cookie" && strings.ContainsAny(out.value, " ;,\"\\") {
		return out, fmt.Errorf("the credential of scheme %s is empty or holds characters that its place does not take", s.Name)
	}
	return out, nil
}

// credentials returns what a call carries: the first alternative for all of whose schemes there are credentials.
func (c *Client) credentials(ctx context.Context, q *request, principal string, refused bool) ([]sentCredential, error) {
	var missing error
	for _, schemes := range c.alternatives(q.call) {
		all, err := c.schemesTogether(ctx, q, schemes, principal, refused)
		if err == nil {
			return all, nil
		}
		if !errors.Is(err, ErrNoCredential) {
			return nil, err
		}
		missing = cmp.Or(missing, err)
	}
	return nil, missing
}

func (c *Client) schemesTogether(ctx context.Context, q *request, schemes []string, principal string, refused bool) ([]sentCredential, error) {
	var all []sentCredential
	for _, name := range schemes {
		s := c.scheme(name)
		if s == nil || c.opts.Credentials == nil {
			return nil, &Error{Kind: Denied, Text: "there is no credential of scheme " + name + ": the log of the server says why",
				Cause: fmt.Errorf("%w: the options of the backend have no Credentials", ErrNoCredential)}
		}
		credential, err := c.opts.Credentials.Credential(quiet{ctx}, Ask{Backend: c.api.Name, Scheme: name, Scopes: s.Scopes, Principal: principal,
			Tool: q.call.Tool, Refused: refused, Authorize: s.Authorize, Token: s.Token, last: q.given[name]})
		if own, ok := errors.AsType[*Error](err); ok {
			return nil, own
		}
		if passing, ok := errors.AsType[*outer.Passing](err); ok {
			return nil, passing.Err
		}
		if err != nil {
			return nil, &Error{Kind: Denied, Text: "there is no credential of scheme " + name + ": the log of the server says why", Cause: err}
		}
		if q.given == nil {
			q.given = map[string]Credential{}
		}
		q.given[name] = credential
		form, err := s.form(credential)
		if err != nil {
			return nil, &Error{Kind: Denied, Text: err.Error()}
		}
		all = append(all, form)
	}
	return all, nil
}

func (c *Client) scheme(name string) *Scheme {
	for i := range c.api.Schemes {
		if c.api.Schemes[i].Name == name {
			return &c.api.Schemes[i]
		}
	}
	return nil
}

// schemesOf names the schemes of a call, for a message.
func (c *Client) schemesOf(call *Call) string {
	alternatives := c.alternatives(call)
	if len(alternatives) == 0 {
		return ""
	}
	return ": scheme " + strings.Join(alternatives[0], " and ")
}

// alternatives are the schemes of a call, each those that are sent together.
func (c *Client) alternatives(call *Call) [][]string {
	switch {
	case call.Anonymous:
		return nil
	case call.Auth != nil:
		return call.Auth
	}
	return c.api.Auth
}

// quiet is a context in which nothing of this module is found: not the request of the client, nor its headers or principal. Values of other
// packages, such as the span of a trace, are.
type quiet struct{ context.Context }

const ownPackages = "github.com/rpcgen-go/rpcgen/"

func (q quiet) Value(key any) any {
	if outer.Asks(key) {
		return q.Context
	}
	t := reflect.TypeOf(key)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && strings.HasPrefix(t.PkgPath(), ownPackages) {
		return nil
	}
	return q.Context.Value(key)
}

// clientTokens are the secrets with which the client authenticated itself.
func clientTokens(ctx context.Context) []string {
	h := protocol.HTTPFrom(ctx)
	if h == nil {
		return nil
	}
	var all []string
	for _, name := range []string{"Authorization", "Proxy-Authorization"} {
		for _, value := range h.Values(name) {
			scheme, token, ok := strings.Cut(strings.TrimSpace(value), " ")
			if !ok {
				token = scheme
			}
			token = strings.TrimSpace(token)
			all = append(all, token)
			if strings.EqualFold(scheme, "Basic") {
				if pair, err := base64.StdEncoding.DecodeString(token); err == nil {
					_, password, _ := strings.Cut(string(pair), ":")
					all = append(all, string(pair), password)
				}
			}
		}
	}
	return all
}

// holdsToken reports whether a text that is about to be sent holds one of the tokens, as it is or in base64.
func holdsToken(text string, tokens []string) bool {
	if len(tokens) == 0 {
		return false
	}
	for _, form := range forms(text) {
		for _, token := range tokens {
			if token != "" && (form == token || len(token) >= 8 && strings.Contains(form, token)) {
				return true
			}
		}
	}
	return false
}

// forms are a text, the elements of a list with commas, their last words, and what these are as base64.
func forms(text string) []string {
	all := []string{text}
	if strings.Contains(text, ",") {
		for element := range strings.SplitSeq(text, ",") {
			all = append(all, strings.TrimSpace(element))
		}
	}
	for _, one := range all {
		if i := strings.LastIndexByte(one, ' '); i >= 0 {
			all = append(all, one[i+1:])
		}
	}
	for _, word := range all {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			if b, err := e.DecodeString(word); err == nil && len(b) > 0 {
				all = append(all, string(b))
				if twice, err := e.DecodeString(string(b)); err == nil {
					all = append(all, string(twice))
				}
			}
		}
	}
	return all
}
