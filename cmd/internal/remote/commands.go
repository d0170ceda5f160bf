package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
	"github.com/rpcgen-go/rpcgen/runtime/x/explorer"
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
	c.Flags().StringVar(&s.login, "login", string(LoginAuto), "how to log in at a server that requires it: browser; client, without a person; never; "+
		"auto, with a browser if there is a terminal")
	c.Flags().StringVar(&s.Login.ClientID, "client-id", "", "the `ID` of a client that the authorization server knows; its password is in RPCGEN_CLIENT_SECRET, if it has one")
	c.Flags().BoolVar(&s.Login.AllowParent, "allow-parent-resource", false,
		"accept a login whose metadata is about a part of the site that contains the server, such as its root")
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
	args, command, err := SplitAtDash(c, args)
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

// SplitAtDash returns the arguments of c before --, and the command after it, which is nil without --. It is for the arguments of the command line alone: other
// texts, such as the value of a flag, have no --.
func SplitAtDash(c *cobra.Command, args []string) (before, command []string, err error) {
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

// WriteFile writes a report to a file; to none if it has no name.
func WriteFile(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
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

func newCall(version string, describe Describe) *cobra.Command {
	var s Flags
	var call Call
	var jsonrpc bool
	c := &cobra.Command{
		Use:   "call [FILE] URL TOOL [NAME=VALUE...] | call [FILE] TOOL [NAME=VALUE...] -- COMMAND [ARG...]",
		Short: "Call a tool of an MCP server, or a method of a JSON-RPC service",
		RunE: func(c *cobra.Command, args []string) error {
			rest, service, err := s.takeService(c, args, describe)
			switch {
			case err != nil:
				return err
			case service != nil && service.Methods == nil:
				return &UsageError{errors.New("the schema is that of an MCP server, which lists its tools itself: leave it out")}
			case s.URL == "" && s.Command == nil:
				return noServer
			case len(rest) == 0:
				return &UsageError{errors.New("name the tool or method")}
			case call.Timeout < 0:
				return &UsageError{errors.New("--timeout is more than nothing, or 0 for no limit")}
			case call.Arguments != "" && len(rest) > 1:
				return &UsageError{errors.New("--args takes the place of NAME=VALUE")}
			}
			call.Tool, call.Words = rest[0], rest[1:]
			return s.Run(c, func(ctx context.Context, t Terminal) error {
				if jsonrpc || service != nil || s.isPlain() {
					return call.RunPlain(ctx, &s.Server, t, service)
				}
				return call.Run(ctx, &s.Server, t)
			})
		},
	}
	s.AddTo(c, version)
	AddWait(c, &s.Wait)
	const timeout = 5 * time.Minute
	c.Flags().DurationVar(&call.Timeout, "timeout", timeout, "how long the call may take, without the time in which you are asked something; 0 means for ever")
	c.Flags().StringVar(&call.Arguments, "args", "", "all arguments, as a `JSON` object")
	c.Flags().BoolVar(&call.AsTask, "task", false, "run the call as a task and wait for its result; tools that require it run so without the flag")
	addJSONRPC(c, &jsonrpc)
	c.Flags().BoolVar(&call.AsJSON, "json", false, "print the whole result, as JSON")
	return c
}

// Page serves a page for a person until it is interrupted.
type Page struct {
	Address string // to listen at; the port may be 0
	Open    bool   // open a browser
}

// Add declares the flags.
func (p *Page) Add(c *cobra.Command) {
	c.Flags().StringVar(&p.Address, "address", "127.0.0.1:0", "listen at this `address` of this machine; port 0 is any that is free")
	c.Flags().BoolVar(&p.Open, "open", true, "open the page in a browser")
}

// Serve serves h. The address of the page is what page makes of the URL of the server.
func (p *Page) Serve(ctx context.Context, out io.Writer, h http.Handler, page func(url string) string) error {
	l, err := net.Listen("tcp", p.Address)
	if err != nil {
		return &UsageError{err}
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		l.Close()
		return &UsageError{fmt.Errorf("--address is one of this machine alone, such as 127.0.0.1:8080, not %q", p.Address)}
	}
	ctx, stop := UntilStopped(ctx)
	defer stop()
	url := page("http://" + l.Addr().String() + "/")
	fmt.Fprintf(out, "%s\nPress Ctrl-C to stop.\n", url)
	if p.Open {
		if err := mcpauth.OpenBrowser(ctx, url); err != nil {
			fmt.Fprintln(out, "no browser was opened:", err)
		}
	}
	var pages sync.WaitGroup
	err = ServeHTTP(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.Add(1)
		defer pages.Done()
		h.ServeHTTP(w, r)
	}), nil)
	pages.Wait() // each ends its program
	return err
}

func newExplore(version string, describe Describe) *cobra.Command {
	var s Flags
	var page Page
	var jsonrpc bool
	c := &cobra.Command{
		Use:   "explore FILE | [FILE] URL | [FILE] -- COMMAND [ARG...]",
		Short: "Show a page on which a service can be read and called",
		RunE: func(c *cobra.Command, args []string) error {
			rest, service, err := s.takeService(c, args, describe)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return &UsageError{fmt.Errorf("unexpected argument %q", rest[0])}
			}
			h, err := s.page(c, service, jsonrpc)
			if err != nil {
				return err
			}
			return page.Serve(c.Context(), c.OutOrStdout(), h, h.URL)
		},
	}
	s.AddTo(c, version)
	addJSONRPC(c, &jsonrpc)
	page.Add(c)
	return c
}

// page returns the page of a server, of its description, or of both.
func (s *Flags) page(c *cobra.Command, service *Service, jsonrpc bool) (*explorer.Handler, error) {
	o := explorer.Options{Command: s.Command, URL: s.URL}
	if service != nil {
		o.Document = service.Document
		o.Name, _ = wire.PeekAt(o.Document).In("info").In("title").Text()
		jsonrpc = jsonrpc || service.Methods != nil
		if s.URL == "" && s.Command == nil {
			return explorer.NewHandler(nil, o), nil
		}
	}
	t := Terminal{In: strings.NewReader(""), Out: io.Discard, Err: c.ErrOrStderr(), Interactive: Interactive(os.Stdin), clock: new(patience)}
	dial, _, err := s.dialers(t, nil)
	if jsonrpc || s.isPlain() {
		dial, err = s.Plain(t, nil)
	}
	if err != nil {
		return nil, &UsageError{err}
	}
	return explorer.NewRelay(func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		conn, err := dial(ctx, inbound)
		return conn, explain(err)
	}, o), nil
}
