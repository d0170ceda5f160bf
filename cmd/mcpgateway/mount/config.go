package mount

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
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
