package mount

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// Config says which servers are mounted, and who may use what.
type Config struct {
	// Servers are the servers, by the names that entries of Allow use.
	Servers map[string]Server `yaml:"servers"`

	// Principals are the clients of HTTP. Without any, everybody may use everything. The client on
	// standard input and output may use everything in any case.
	Principals map[string]Principal `yaml:"principals"`
}

// Server is a server that is mounted: a program, or one at a URL.
type Server struct {
	Command []string          `yaml:"command"` // program and arguments
	Env     map[string]string `yaml:"env"`     // added to the environment of the program
	Inherit []string          `yaml:"inherit"` // variables of the gateway's environment that the program gets, besides PATH, HOME and the like
	URL     string            `yaml:"url"`
	Token   mcpauth.Secret    `yaml:"token"` // bearer token for the URL; $NAME and ${NAME} are replaced
	Login   *Login            `yaml:"login"` // for the URL; nil without one

	// Revisions are the revisions of the protocol that the gateway uses with the server. Empty means
	// all.
	Revisions []string `yaml:"revisions"`

	// Prefix precedes the names of tools and prompts. By default it is the name of the server and _.
	Prefix *string `yaml:"prefix"`

	// Timeout limits each call, answers of the user included. Zero means 5 minutes.
	Timeout time.Duration `yaml:"timeout"`

	// Concurrent lets calls of a server with a handshake be in flight at the same time, although
	// questions and log messages of the server then cannot be attributed to a call: such questions are
	// refused. Servers of revision 2026-07-28 and later are always called concurrently.
	Concurrent bool `yaml:"concurrent"`
}

// Principal is a client that authenticates by a bearer token.
type Principal struct {
	Token mcpauth.Secret `yaml:"token"` // $NAME and ${NAME} are replaced

	// Allow holds patterns: SERVER for everything of a server, or SERVER/NAME for tools and prompts,
	// whose names are without the prefix. The patterns are those of [path.Match].
	Allow []string `yaml:"allow"`
}

// LoadConfig reads the configuration in a file.
func LoadConfig(file string) (*Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c, err := ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// ParseConfig reads a configuration and checks it.
func ParseConfig(text []byte) (*Config, error) {
	c := new(Config)
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(c); err != nil && err != io.EOF {
		return nil, err
	}
	return c, c.check()
}

var serverName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// check returns what is wrong with the configuration, and replaces variables.
func (c *Config) check() error {
	var all []error
	if len(c.Servers) == 0 {
		all = append(all, errors.New("servers: name at least one server"))
	}
	prefixes := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		s := c.Servers[name]
		if err := s.check(name); err != nil {
			all = append(all, fmt.Errorf("servers.%s: %w", name, err))
		}
		prefix := s.prefix(name)
		if other, taken := prefixes[prefix]; taken {
			all = append(all, fmt.Errorf("servers.%s.prefix: %s has the same prefix %q", name, other, prefix))
		}
		prefixes[prefix] = name
		c.Servers[name] = s
	}
	tokens := make(map[mcpauth.Secret]string)
	for _, id := range slices.Sorted(maps.Keys(c.Principals)) {
		p := c.Principals[id]
		p.Token = mcpauth.Secret(os.ExpandEnv(string(p.Token)))
		if other, taken := tokens[p.Token]; taken && p.Token != "" {
			all = append(all, fmt.Errorf("principals.%s.token: %s has the same token", id, other))
		}
		tokens[p.Token] = id
		if err := p.check(c); err != nil {
			all = append(all, fmt.Errorf("principals.%s.%w", id, err))
		}
		c.Principals[id] = p
	}
	return errors.Join(all...)
}

// prefix returns what precedes the names of tools and prompts.
func (s *Server) prefix(name string) string {
	if s.Prefix == nil {
		return name + "_"
	}
	return *s.Prefix
}

// check checks a server.
func (s *Server) check(name string) error {
	switch {
	case !serverName.MatchString(name):
		return errors.New("a name has 1 to 64 letters, digits, underscores, hyphens and dots")
	case (len(s.Command) == 0) == (s.URL == ""):
		return errNowhere
	case s.URL == "" && s.Token != "":
		return errors.New("token: only a server with url gets one")
	case s.URL == "" && s.Login != nil:
		return errors.New("login: only a server with url has one")
	case s.Token != "" && s.Login != nil:
		return errors.New("login: there is a token already; set one of them")
	case s.URL != "" && len(s.Env) > 0:
		return errors.New("env: only a server with command gets one")
	case s.URL != "" && len(s.Inherit) > 0:
		return errors.New("inherit: only a server with command gets variables")
	case slices.ContainsFunc(s.Inherit, func(name string) bool { return name == "" || strings.ContainsAny(name, "=$*\x00") }):
		return errors.New("inherit: it lists names of variables, such as HTTPS_PROXY")
	case s.Timeout < 0:
		return errors.New("timeout: it is negative")
	case s.Prefix != nil && *s.Prefix != "" && !serverName.MatchString(*s.Prefix):
		return errors.New("prefix: it has up to 64 letters, digits, underscores, hyphens and dots")
	}
	return s.checkCredentials()
}

// checkCredentials checks where the server is and what the gateway authenticates with, and replaces
// variables.
func (s *Server) checkCredentials() error {
	if s.URL == "" {
		return nil
	}
	if s.Token != "" {
		token, err := expand("token", string(s.Token))
		if err != nil {
			return err
		}
		s.Token = mcpauth.Secret(token)
	}
	if s.Login != nil {
		if err := s.Login.check(); err != nil {
			return fmt.Errorf("login: %w", err)
		}
	}
	return s.checkURL()
}

// check checks a principal.
func (p *Principal) check(c *Config) error {
	if p.Token == "" {
		return errors.New("token: it is empty; is the environment variable set?")
	}
	for i, pattern := range p.Allow {
		server, _, _ := strings.Cut(pattern, "/")
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("allow[%d]: %q is not a pattern", i, pattern)
		}
		if !slices.ContainsFunc(slices.Sorted(maps.Keys(c.Servers)), func(name string) bool { ok, _ := path.Match(server, name); return ok }) {
			return fmt.Errorf("allow[%d]: there is no server %q", i, server)
		}
	}
	return nil
}

// allows reports whether the principal may use an entry of a server. An empty name stands for
// resources.
func (p *Principal) allows(server, name string) bool {
	return slices.ContainsFunc(p.Allow, func(pattern string) bool {
		whole, _ := path.Match(pattern, server)
		one, _ := path.Match(pattern, server+"/"+name)
		return whole || one && name != ""
	})
}

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
