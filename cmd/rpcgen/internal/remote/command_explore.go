package remote

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
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

// Explore returns the command that shows the explorer. The function describe returns the description of a schema, for a file.
func Explore(version string, describe func(c *cobra.Command, file string) ([]byte, error)) *cobra.Command {
	var s Flags
	var page Page
	c := &cobra.Command{
		Use:   "explore FILE | URL | -- COMMAND [ARG...]",
		Short: "Show a page on which a service can be read and called",
		Long: `Serve a page on this machine, and open it in a browser: what a server offers, forms to call it, its answers, notifications and
questions, and all messages. The server is that at a URL, which speaks MCP over HTTP, or a command that is started, once for each page, and
talked to over its standard input and output: an MCP server, or a JSON-RPC service that answers rpc.discover. Of a schema in a FILE, the page
shows the description and makes calls to copy.

The address has a token, which is new for each start. A service can also have the page itself: see docs/howto-explorer.md.`,
		Example: "  rpcgen explore http://localhost:4000/mcp\n  rpcgen explore -- go run ./cmd/shop\n  rpcgen explore rpc/shop.rpc.yaml",
		RunE: func(c *cobra.Command, args []string) error {
			rest, err := s.Take(c, args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return &UsageError{fmt.Errorf("unexpected argument %q", rest[0])}
			}
			var h *explorer.Handler
			if s.URL != "" && !strings.Contains(s.URL, "://") {
				document, err := describe(c, s.URL)
				if err != nil {
					return err
				}
				title, _ := wire.PeekAt(document).In("info").In("title").Text()
				h = explorer.NewHandler(nil, explorer.Options{Name: cmp.Or(title, filepath.Base(s.URL)), Document: document})
			} else {
				dial, _, err := s.dialers(Terminal{In: strings.NewReader(""), Out: io.Discard, Err: c.ErrOrStderr(), clock: new(patience)}, nil)
				if err != nil {
					return &UsageError{err}
				}
				h = explorer.NewRelay(dial, explorer.Options{Command: s.Command, URL: s.URL})
			}
			return page.Serve(c.Context(), c.OutOrStdout(), h, h.URL)
		},
	}
	s.AddTo(c, version)
	page.Add(c)
	return c
}
