package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
)

// Commands returns the commands for a command of the given version. Their errors may be [*UsageError] and [ErrFailed].
func Commands(version string, describe Describe) []*cobra.Command {
	return []*cobra.Command{newCall(version, describe), newTools(version), newExplore(version, describe)}
}

// Describe reads a FILE that describes a service: a schema, or an OpenRPC document.
type Describe func(c *cobra.Command, file string) (*Service, error)

// addJSONRPC adds the flag --jsonrpc to a command.
func addJSONRPC(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "jsonrpc", false, "the server is a JSON-RPC service, and not one of MCP")
}

func newTools(version string) *cobra.Command {
	var s Flags
	var asJSON bool
	c := &cobra.Command{
		Use:   "tools URL | -- COMMAND [ARG...]",
		Short: "List the tools of an MCP server",
		Long: `List the tools of an MCP server with their inputs: of one at a URL, or of a command that is started and talked to over
its standard input and output. Servers of all published revisions of MCP are understood.

When a server at a URL requires a token, you log in with a browser. The token is kept in a file that only you can read, in the folder
rpcgen/tokens of your configuration, and used again.`,
		Example: "  rpcgen tools http://localhost:4000/mcp\n  rpcgen tools -- go run ./cmd/shop",
		RunE: func(c *cobra.Command, args []string) error {
			rest, err := s.Take(c, args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return &UsageError{fmt.Errorf("unexpected argument %q", rest[0])}
			}
			return s.Run(c, func(ctx context.Context, t Terminal) error {
				return Tools(ctx, &s.Server, t, asJSON)
			})
		},
	}
	s.AddTo(c, version)
	AddWait(c, &s.Wait)
	c.Flags().BoolVar(&asJSON, "json", false, "print what the server says, as JSON")
	return c
}

// Flags are the flags of a command that say which server it is about, and how it is reached.
type Flags struct {
	Server
	era, login string
}

// AddTo adds the flags to a command of the given version.
func (s *Flags) AddTo(c *cobra.Command, version string) {
	s.Version = version
	c.Flags().StringArrayVarP(&s.Headers, "header", "H", nil, "a `Name: value` to send with HTTP requests; may be repeated")
	c.Flags().StringVar(&s.era, "era", "auto", "how the protocol is spoken: auto, stateless or handshake")
	c.Flags().StringVar(&s.login, "login", string(LoginAuto), "how to log in at a server that requires it: browser; client, without a person; never; auto, with a browser if there is a terminal")
	c.Flags().StringVar(&s.Login.ClientID, "client-id", "", "the `ID` of a client that the authorization server knows; its password is in RPCGEN_CLIENT_SECRET, if it has one")
	c.Flags().BoolVar(&s.Login.AllowParent, "allow-parent-resource", false, "accept a login whose metadata is about a part of the site that contains the server, such as its root")
	c.Flags().StringVar(&s.Login.RedirectURI, "redirect-uri", "", "the redirect `URI` of that client, such as http://localhost:3000/callback; by default any port of 127.0.0.1")
	c.Flags().BoolVarP(&s.Verbose, "verbose", "v", false, "show what the server logs, and what it writes to its standard error")
}

// AddWait adds the flag --wait to a command, for [Server.Wait].
func AddWait(c *cobra.Command, wait *time.Duration) {
	c.Flags().DurationVar(wait, "wait", DefaultWait, "how long the server may take to start and answer, and for each page of a list")
}

// Take takes the server from the arguments, and returns the others: a URL is the first one, a command is what follows --.
func (s *Flags) Take(c *cobra.Command, args []string) ([]string, error) {
	switch s.era {
	case "auto":
	case mcp.Stateless.String():
		s.Era = mcp.Stateless
	case mcp.Handshake.String():
		s.Era = mcp.Handshake
	default:
		return nil, &UsageError{fmt.Errorf("--era is auto, stateless or handshake, not %q", s.era)}
	}
	s.Login.How, s.Login.ClientSecret = LoginHow(s.login), mcpauth.Secret(os.Getenv("RPCGEN_CLIENT_SECRET"))
	if err := s.Login.check(); err != nil {
		return nil, &UsageError{err}
	}
	args, command, err := Dashed(c, args)
	if err != nil {
		return nil, err
	}
	if s.Command = command; command != nil {
		return args, nil
	}
	if len(args) == 0 {
		return nil, noServer
	}
	s.URL = args[0]
	return args[1:], nil
}

// noServer says that the arguments name no server.
var noServer = &UsageError{errors.New("name a server: its URL, or -- and its command")}

// takeService is Take for a command that takes a FILE, which describes a service, before the others; the result is nil without one. The service may be
// at no URL then.
func (s *Flags) takeService(c *cobra.Command, args []string, describe Describe) (rest []string, service *Service, err error) {
	if rest, err = s.Take(c, args); err != nil {
		return nil, nil, err
	}
	file := s.URL
	if s.Command != nil && len(rest) > 0 {
		file = rest[0]
	}
	if strings.Contains(file, "://") || !slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(file))) {
		return rest, nil, nil
	}
	if s.Command != nil {
		rest = rest[1:]
	} else if s.URL = ""; len(rest) > 0 && strings.Contains(rest[0], "://") {
		s.URL, rest = rest[0], rest[1:]
	}
	service, err = describe(c, file)
	return rest, service, err
}

// Dashed returns the arguments of c before --, and the command after it, which is nil without --. It is for the arguments of the command line alone: other
// texts, such as the value of a flag, have no --.
func Dashed(c *cobra.Command, args []string) (before, command []string, err error) {
	dash := c.ArgsLenAtDash()
	switch {
	case dash < 0:
		return args, nil, nil
	case dash == len(args):
		return nil, nil, &UsageError{errors.New("after -- follows the command, with each argument as a word of its own")}
	}
	return args[:dash], args[dash:], nil
}

// Run runs a command at the terminal, until it is interrupted.
func (s *Flags) Run(c *cobra.Command, do func(context.Context, Terminal) error) error {
	ctx, stop := UntilStopped(c.Context())
	defer stop()
	t := Terminal{In: os.Stdin, Out: c.OutOrStdout(), Err: c.ErrOrStderr(), Interactive: Interactive(os.Stdin)}
	return explain(do(ctx, t))
}

// Interactive reports whether a person sits at f: it is a device, and not the one that is always empty.
func Interactive(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
