package mock

import (
	"cmp"
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

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// ErrNotRecorded says that requests came which the recording does not have. They were printed.
var ErrNotRecorded = errors.New("requests are not recorded")

// flags are those of the command.
type flags struct {
	from, tools           string
	allowRedacted, strict bool
	http, tcp             string
	seed                  uint64
	vary, watch           bool
	latency               string
	fails                 []string
}

// Loader loads a schema, and prints what is wrong with it.
type Loader func(c *cobra.Command, file string) (*ir.Document, error)

// Command returns the command mock.
func Command(load Loader) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "mock FILE | mock --tools FILE | mock --from RECORDING",
		Short: "Start a server without code, which answers as a schema or a recording says",
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, args, load)
		},
	}
	c.Flags().StringVar(&f.from, "from", "", "answer as the `RECORDING` does")
	c.Flags().StringVar(&f.tools, "tools", "", "serve the tools of the list in the `FILE`")
	c.Flags().BoolVar(&f.allowRedacted, "allow-redacted", false, "take a recording in which secrets were redacted")
	c.Flags().BoolVar(&f.strict, "strict", false, "exit with 1 at the end if a request was not recorded")
	c.Flags().StringVar(&f.http, "http", "", "serve HTTP at the `ADDRESS`")
	c.Flags().StringVar(&f.tcp, "tcp", "", "serve TCP at the `ADDRESS`")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of the generated values: another number gives other answers")
	c.Flags().BoolVar(&f.vary, "vary", false, "answer a request that comes again differently")
	c.Flags().BoolVar(&f.watch, "watch", false, "read the schema again when it changes")
	c.Flags().StringVar(&f.latency, "latency", "", "how long answers take: `TIME`, such as 50ms or 50ms±20ms")
	c.Flags().StringArrayVar(&f.fails, "fail", nil, "an `ERROR` on demand: NAME, NAME=SHARE, TOOL:NAME or TOOL:NAME=SHARE, where NAME is a declared error, a code, or failed; may be repeated")
	return c
}

func (f *flags) run(c *cobra.Command, args []string, load Loader) error {
	sources := len(args)
	for _, name := range []string{f.from, f.tools} {
		if name != "" {
			sources++
		}
	}
	switch {
	case sources != 1:
		return remote.Usage("name one schema, or --tools FILE, or --from RECORDING")
	case f.http != "" && f.tcp != "":
		return remote.Usage("--http and --tcp exclude each other")
	case f.watch && len(args) == 0:
		return remote.Usage("--watch goes with a schema")
	case f.from != "" && (f.vary || f.latency != "" || len(f.fails) > 0):
		return remote.Usage("--vary, --latency and --fail do not go with --from: answers are those of the recording")
	case f.from == "" && (f.strict || f.allowRedacted):
		return remote.Usage("--strict and --allow-redacted go with --from")
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if f.from != "" {
		return f.replay(ctx, c)
	}
	return f.mock(ctx, c, args, load)
}

// replay serves a recording.
func (f *flags) replay(ctx context.Context, c *cobra.Command) error {
	stderr := c.ErrOrStderr()
	r, err := newReplay(f.from, f.allowRedacted, os.Environ(), stderr)
	if err != nil {
		return &remote.UsageError{Err: err}
	}
	err = f.serve(ctx, stderr, &replayHTTP{replay: r}, r.serveConn, func() error {
		return r.serveConn(ctx, stdio.NewConn(os.Stdin, os.Stdout, frame.Lines, 0))
	})
	if err == nil && f.strict && r.unknownRequests() > 0 {
		return ErrNotRecorded
	}
	return err
}

// mock serves a schema, or a list of tools.
func (f *flags) mock(ctx context.Context, c *cobra.Command, args []string, load Loader) error {
	b := behaviour{seed: f.seed}
	var err error
	if b.latency, b.spread, err = parseLatency(f.latency); err != nil {
		return &remote.UsageError{Err: err}
	}
	for _, text := range f.fails {
		one, err := parseFail(text)
		if err != nil {
			return &remote.UsageError{Err: err}
		}
		b.fails = append(b.fails, one)
	}
	read := func() (*service, error) {
		if f.tools != "" {
			return ofFile(f.tools)
		}
		doc, err := load(c, args[0])
		if err != nil {
			return nil, err
		}
		return ofSchema(doc, f.seed)
	}
	last := ""
	if f.watch {
		last = stamp(args[0])
	}
	s, err := read()
	if err != nil {
		return err
	}
	for _, one := range b.fails {
		if err := s.checkFail(one); err != nil {
			return &remote.UsageError{Err: err}
		}
	}
	stderr := c.ErrOrStderr()
	m, err := newMocker(s, b, f.vary, stderr)
	if err != nil {
		return err
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	go m.resets(ctx, hangups)
	if f.watch {
		go m.follow(ctx, args[0], last, read)
	}
	h := m.handler()
	return f.serve(ctx, stderr, m.overHTTP(), func(ctx context.Context, conn frame.Conn) error {
		return runtime.Serve(ctx, conn, h, runtime.Options{})
	}, func() error { return stdio.Serve(ctx, h) })
}

// serve serves over the transport that the flags name.
func (f *flags) serve(ctx context.Context, stderr io.Writer, handler http.Handler, conn func(context.Context, frame.Conn) error, standard func() error) error {
	if f.http == "" && f.tcp == "" {
		return standard()
	}
	l, err := net.Listen("tcp", cmp.Or(f.http, f.tcp))
	if err != nil {
		return &remote.UsageError{Err: err}
	}
	if f.http != "" {
		fmt.Fprintf(stderr, "rpcgen mock: serving at http://%s/mcp\n", l.Addr())
		return remote.ServeHTTP(ctx, l, handler, log.New(stderr, "rpcgen mock: ", 0))
	}
	fmt.Fprintf(stderr, "rpcgen mock: serving at %s\n", l.Addr())
	return serveTCP(ctx, l, conn)
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
			_ = conn(ctx, tcp.NewConn(c)) // a connection that ends is normal
		}()
	}
}
