// Command replica is one of several processes that serve the tools of test/conformance together, connected over NATS. Any of them serves any
// request of any session.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpnats"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	"github.com/rpcgen-go/rpcgen/test/conformance/everything"
)

func main() {
	url := flag.String("nats", nats.DefaultURL, "connect to NATS at this `URL`")
	address := flag.String("http", "localhost:8080", "serve /mcp, /livez and /readyz at this `address`")
	key := flag.String("key", os.Getenv("STATE_KEY"), "the `key` that all replicas sign states with")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *url, *address, *key); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "replica:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, address, key string) error {
	if key == "" {
		return errors.New("there is no key: set STATE_KEY, to the same text for all replicas")
	}
	nc, err := nats.Connect(url, nats.Name("replica at "+address), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(), nats.ReconnectWait(100*time.Millisecond),
		nats.ReconnectBufSize(-1), nats.CustomInboxPrefix("cluster.inbox"))
	if err != nil {
		return fmt.Errorf("NATS at %s: %w", url, err)
	}
	defer nc.Close()
	var seal [][]byte // for what replicas put into NATS
	if keys := os.Getenv("SEAL_KEYS"); keys != "" {
		seal = bytes.Split([]byte(keys), []byte(","))
	}
	backplane, err := mcpnats.New(ctx, nc, mcpnats.Options{Name: "cluster", Keys: seal})
	if err != nil {
		return err
	}
	store, err := mcpnats.NewTasks(ctx, nc, mcpnats.TasksOptions{Name: "cluster", Keys: seal})
	if err != nil {
		return err
	}
	defer store.Close()
	srv := everything.New(mcp.Options{
		Middleware: []mcp.Middleware{tell}, StateKeys: [][]byte{[]byte(key)}, UnaskedAnswers: true,
		Tasks: mcptask.New(mcptask.Options{PollInterval: 100 * time.Millisecond, Store: store}),
	})
	return serve(ctx, address, nc, mcphttp.NewHandler(srv, mcphttp.Options{Replicas: mcpcluster.New(backplane)}))
}

// tell prints which tool begins, with what, for the proof.
func tell(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, q *mcp.Request) error {
		if q.Method() == "tools/call" && !q.Continues() {
			fmt.Printf("%s %s\n", q.Name(), q.Arguments())
		}
		return next(ctx, q)
	}
}

// serve serves the handler and the checks of an orchestrator until ctx ends.
func serve(ctx context.Context, address string, nc *nats.Conn, h *mcphttp.Handler) error {
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.Handle("/livez", mcphttp.Live(nc.IsClosed))
	mux.Handle("/readyz", h.Readiness())
	mux.HandleFunc("/goroutines", func(w http.ResponseWriter, _ *http.Request) { pprof.Lookup("goroutine").WriteTo(w, 1) }) // for the proof
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	ended := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		defer close(ended)
		within, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if h.Shutdown(within) != nil || server.Shutdown(within) != nil {
			server.Close()
		}
	})()
	err := server.ListenAndServe()
	if ctx.Err() != nil {
		<-ended
	}
	return err
}
