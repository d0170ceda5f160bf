package remote

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
	"github.com/rpcgen-go/rpcgen/runtime/x/explorer"
)

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
		Long: `Serve a page on this machine, and open it in a browser: what a server offers, forms to call it, its answers, notifications and
questions, and all messages. The server is that at a URL, or a command that is started, once for each page, and talked to over its standard input and
output: an MCP server, or a JSON-RPC service, at tcp://HOST:PORT, ws:// or wss:// as well. A service that does not answer rpc.discover is described by a
FILE, which is a schema or an OpenRPC document. Of a FILE alone, the page shows the description and makes calls to copy.

The address has a token, which is new for each start. A service can also have the page itself: see docs/howto-explorer.md.`,
		Example: "  rpcgen explore http://localhost:4000/mcp\n  rpcgen explore -- go run ./cmd/shop\n  rpcgen explore rpc/shop.rpc.yaml\n" +
			"  rpcgen explore rpc/weather.rpc.yaml tcp://localhost:4100",
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
		is := wire.PeekAt(o.Document)
		for _, title := range []wire.Peek{is.In("info").In("title"), is.In("x-mcp").In("name"), is.In("x-mcp").In("title")} {
			if name, _ := title.Text(); name != "" {
				o.Name = name
			}
		}
		jsonrpc = jsonrpc || service.Methods != nil
		if s.URL == "" && s.Command == nil {
			return explorer.NewHandler(nil, o), nil
		}
	}
	t := Terminal{In: strings.NewReader(""), Out: io.Discard, Err: c.ErrOrStderr(), clock: new(patience)}
	if jsonrpc || s.isPlain() {
		dial, err := s.Plain(t, nil)
		if err != nil {
			return nil, err
		}
		return explorer.NewRelay(dial, o), nil
	}
	dial, _, err := s.dialers(t, nil)
	if err != nil {
		return nil, &UsageError{err}
	}
	return explorer.NewRelay(dial, o), nil
}
