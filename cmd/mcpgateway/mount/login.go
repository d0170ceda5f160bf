package mount

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// Login says how the gateway logs in at a server that requires it (OAuth 2.1): as itself, with Client and
// Secret or Key, or with the tokens of a person who has logged in before, with Tokens.
type Login struct {
	Client string         `yaml:"client"` // identifier at the authorization server
	Secret mcpauth.Secret `yaml:"secret"` // password of the client; $NAME and ${NAME} are replaced
	Key    string         `yaml:"key"`    // file with the private key of the client, in place of Secret
	Issuer string         `yaml:"issuer"` // the only authorization server that gets these; empty means the first that the server names

	// Tokens is the folder with the tokens of a person, as rpcgen call keeps them. They are refreshed there.
	// $NAME and ${NAME} are replaced.
	Tokens string `yaml:"tokens"`

	Scopes []string `yaml:"scopes"` // requested in addition to those that the server names

	// AllowPrivate allows an authorization server at a private address.
	AllowPrivate bool `yaml:"allowPrivate"`

	// AllowParentResource accepts metadata about a part of the site that contains the server.
	AllowParentResource bool `yaml:"allowParentResource"`

	key *mcpauth.Key // nil without Key
}

// check checks the login and replaces variables.
func (l *Login) check() (err error) {
	if l.Tokens != "" {
		l.Tokens, err = expand("tokens", l.Tokens)
	}
	if err == nil && l.Secret != "" {
		var secret string
		secret, err = expand("secret", string(l.Secret))
		l.Secret = mcpauth.Secret(secret)
	}
	switch {
	case err != nil:
		return err
	case l.Secret != "" && l.Key != "":
		return errors.New("key: there is a secret already; set one of them")
	case (l.Secret != "" || l.Key != "") && l.Client == "":
		return errors.New("client: whose secret or key is it? Set the identifier of the client")
	case l.Issuer != "" && l.Client == "":
		return errors.New("issuer: it belongs to a client; set the identifier of the client")
	case l.Tokens != "":
		return errors.Join(l.checkTokens(), l.readKey())
	case l.Client == "":
		return errors.New("set client, with secret or key, or tokens")
	case l.Secret == "" && l.Key == "":
		return errors.New("secret: it is missing; set it or key, or tokens if a person has logged in")
	}
	return l.readKey()
}

// checkTokens returns an error if there is no folder with tokens.
func (l *Login) checkTokens() error {
	info, err := os.Stat(l.Tokens)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err != nil {
		return fmt.Errorf("tokens: %w; log in first, for example with rpcgen tools --login browser URL", err)
	}
	return nil
}

// readKey reads the file with the key.
func (l *Login) readKey() error {
	if l.Key == "" {
		return nil
	}
	text, err := os.ReadFile(l.Key)
	if err == nil {
		l.key, err = mcpauth.ParseKey(text)
	}
	if err != nil {
		return fmt.Errorf("key: %w", err)
	}
	return nil
}

// expand replaces variables of the environment.
func expand(field, text string) (string, error) {
	if text = os.ExpandEnv(text); text == "" {
		return "", fmt.Errorf("%s: it is empty; is the environment variable set?", field)
	}
	return text, nil
}

// options returns how tokens are got.
func (l *Login) options() mcpauth.Options {
	o := mcpauth.Options{
		Client: mcpauth.Client{ID: l.Client, Secret: l.Secret, Key: l.key, Issuer: l.Issuer, Name: "rpcgen-gateway"},
		Scopes: l.Scopes, AllowPrivate: l.AllowPrivate, AllowParentResource: l.AllowParentResource,
	}
	if l.Tokens != "" {
		o.Store = mcpauth.Files(l.Tokens) // without a grant: nobody can be asked to log in
	} else {
		o.Grant = &mcpauth.ClientCredentials{}
	}
	return o
}

// fixedToken is a store with a token that does not change. The transport that uses it sends the token to no
// other server, and removes it from errors.
type fixedToken mcpauth.Secret

// Load implements [mcpauth.Store].
func (t fixedToken) Load(context.Context, string) (*mcpauth.Record, error) {
	return &mcpauth.Record{Token: mcpauth.Token{Access: mcpauth.Secret(t), Type: "Bearer"}}, nil
}

// Save implements [mcpauth.Store].
func (fixedToken) Save(context.Context, string, *mcpauth.Record) error { return nil }

// dialURL returns how a server at a URL is reached, with the credentials of the gateway: those of its clients
// are not among them.
func dialURL(s Server) mcpclient.Dialer {
	var o mcpauth.Options
	switch {
	case s.Login != nil:
		o = s.Login.options()
	case s.Token != "":
		o.Store = fixedToken(s.Token)
	default:
		return mcphttp.Dial(s.URL, mcphttp.ClientOptions{})
	}
	auth, err := mcpauth.New(s.URL, o)
	if err != nil {
		return func(context.Context, runtime.Handler) (runtime.Conn, error) { return nil, err }
	}
	dial := mcphttp.Dial(s.URL, mcphttp.ClientOptions{HTTP: auth.Client()})
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		return dial(ctx, closing{inbound, auth.CloseIdleConnections})
	}
}

// closing is a handler that calls a function when its connection is closed.
type closing struct {
	runtime.Handler
	closed func()
}

// Hooks implements [runtime.Handler].
func (c closing) Hooks() runtime.Hooks {
	hooks := c.Handler.Hooks()
	open, before := hooks.Open, hooks.Closed
	if open != nil {
		hooks.Open = func(conn runtime.Conn) runtime.Handler { return closing{open(conn), c.closed} }
	}
	hooks.Closed = func() {
		if before != nil {
			before()
		}
		c.closed()
	}
	return hooks
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// checkURL returns an error if the server is not at a URL to which the gateway may send credentials.
func (s *Server) checkURL() error {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("url: expected an http or https URL")
	case u.User != nil:
		return errors.New("url: it must not have a user; use token or login")
	case u.Scheme == "http" && !loopback(u.Hostname()) && (s.Token != "" || s.Login != nil):
		return errors.New("url: a token is sent over https only, except to this machine")
	}
	return nil
}

// loginFailure returns what clients may learn of an error that concerns the credentials of the gateway. It is
// empty for other errors.
func loginFailure(err error) string {
	if status, ok := errors.AsType[*mcphttp.StatusError](err); ok && (status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden) {
		return "the server requires credentials that the gateway does not have"
	}
	failed, ok := errors.AsType[*mcpauth.Error](err)
	if !ok {
		return ""
	}
	if answer, ok := errors.AsType[*mcpauth.ServerError](err); ok && answer.Code != "" {
		return "the login of the gateway failed: " + answer.Code
	}
	if errors.Is(err, mcpauth.ErrNoGrant) {
		return "the server requires a login: the gateway has no token, or it is not valid any more"
	}
	return "the login of the gateway failed: " + failed.Step
}
