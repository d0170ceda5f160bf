package mock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/record"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/remote"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
)

func usage(format string, values ...any) error {
	return &remote.UsageError{Err: fmt.Errorf(format, values...)}
}

// ErrNotRecorded says that requests came which the recording does not have. They were printed.
var ErrNotRecorded = errors.New("requests are not recorded")

// flags are those of the command.
type flags struct {
	from          string
	allowRedacted bool
	strict        bool
	http, tcp     string
}

// Command returns the command mock.
func Command() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "mock --from RECORDING",
		Short: "Start a server without code, which answers as a recording does",
		Long: `Start a server without code, which answers as a recording of "rpcgen record" does: byte for byte, except for ids and progress tokens, which
are those of the requests. A request is found by its method and params; one that was recorded several times is answered in the recorded order, and
then as the last time. A request that is not recorded is answered with the error -32603, and printed with the nearest one that is.

The server uses its standard input and output, unless --http or --tcp names an address.`,
		Example: "  rpcgen mock --from shop.txtar\n  rpcgen mock --from shop.txtar --http localhost:4000",
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, args)
		},
	}
	c.Flags().StringVar(&f.from, "from", "", "answer as the `RECORDING` does")
	c.Flags().BoolVar(&f.allowRedacted, "allow-redacted", false, "take a recording in which secrets were redacted")
	c.Flags().BoolVar(&f.strict, "strict", false, "exit with 1 at the end if a request was not recorded")
	c.Flags().StringVar(&f.http, "http", "", "serve HTTP at the `ADDRESS`")
	c.Flags().StringVar(&f.tcp, "tcp", "", "serve TCP at the `ADDRESS`")
	return c
}

func (f *flags) run(c *cobra.Command, args []string) error {
	switch {
	case f.from == "":
		return usage("name the recording: --from FILE")
	case len(args) > 0:
		return usage("unexpected argument %q", args[0])
	case f.http != "" && f.tcp != "":
		return usage("--http and --tcp exclude each other")
	}
	stderr := c.ErrOrStderr()
	r, err := newReplay(f.from, f.allowRedacted, os.Environ(), stderr)
	if err != nil {
		return &remote.UsageError{Err: err}
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = f.serve(ctx, stderr, &replayHTTP{replay: r}, r.serveConn, func() error {
		return r.serveConn(ctx, stdio.NewConn(os.Stdin, os.Stdout, frame.Lines, 0))
	})
	if err == nil && f.strict && r.unknownRequests() > 0 {
		return ErrNotRecorded
	}
	return err
}

// serve serves over the transport that the flags name.
func (f *flags) serve(ctx context.Context, stderr io.Writer, handler http.Handler, conn func(context.Context, frame.Conn) error, standard func() error) error {
	switch {
	case f.http != "":
		l, err := net.Listen("tcp", f.http)
		if err != nil {
			return &remote.UsageError{Err: err}
		}
		fmt.Fprintf(stderr, "rpcgen mock: serving at http://%s/mcp\n", l.Addr())
		return serveHTTP(ctx, l, handler, stderr)
	case f.tcp != "":
		l, err := net.Listen("tcp", f.tcp)
		if err != nil {
			return &remote.UsageError{Err: err}
		}
		fmt.Fprintf(stderr, "rpcgen mock: serving at %s\n", l.Addr())
		return serveTCP(ctx, l, conn)
	}
	return standard()
}

// serveHTTP serves until ctx ends.
func serveHTTP(ctx context.Context, l net.Listener, handler http.Handler, stderr io.Writer) error {
	srv := &http.Server{Handler: record.Local(handler, l.Addr()), ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(stderr, "rpcgen mock: ", 0)}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if err := srv.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// serveTCP serves connections until ctx ends.
func serveTCP(ctx context.Context, l net.Listener, conn func(context.Context, frame.Conn) error) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	for {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		go func() {
			defer c.Close()
			_ = conn(ctx, tcp.NewConn(c)) // the end of a connection is no error of the server
		}()
	}
}
