// Command server serves the weather schema on standard input and output, or at the addresses that its flags name. The module examples/websocket
// serves it over WebSocket.
//
//test:by ./examples/weather
package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcptls"
)

// places are where the server can be reached; all empty is standard input and output.
type places struct {
	tcp, http, unix, tls string
	cert, key            string // files
	framing              frame.Framing
}

func main() {
	var at places
	framing := flag.String("framing", "line", "how messages are framed: `line` or header")
	flag.StringVar(&at.tcp, "tcp", "", "listen on this `address`")
	flag.StringVar(&at.http, "http", "", "serve HTTP at this `address`, by POST at /rpc")
	flag.StringVar(&at.unix, "unix", "", "listen on a Unix socket with this `path`")
	flag.StringVar(&at.tls, "tls", "", "listen on this `address` with TLS; -cert and -key are needed")
	flag.StringVar(&at.cert, "cert", "", "the `file` with the certificate of the server")
	flag.StringVar(&at.key, "key", "", "the `file` with its private key")
	flag.Parse()
	known := false
	at.framing, known = map[string]frame.Framing{"line": frame.Lines, "header": frame.Headers}[*framing]
	if !known || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, weather.NewHandler(office.Office{}), at); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "weather:", err)
		os.Exit(1)
	}
}

// serve serves h at all places until ctx ends, or one of them fails.
func serve(ctx context.Context, h runtime.Handler, at places) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all []func() error
	framing := tcp.WithFraming(at.framing)
	if at.tcp != "" {
		all = append(all, func() error { return tcp.ListenAndServe(ctx, at.tcp, h, framing) })
	}
	if at.http != "" {
		all = append(all, func() error {
			return rpchttp.ListenAndServe(ctx, at.http, "/rpc", rpchttp.NewHandler(h, rpchttp.Options{}))
		})
	}
	if at.unix != "" {
		all = append(all, func() error { return tcp.ListenAndServeUnix(ctx, at.unix, 0, h, framing) })
	}
	if at.tls != "" {
		cert, err := tls.LoadX509KeyPair(at.cert, at.key)
		if err != nil {
			return err
		}
		config := &tls.Config{Certificates: []tls.Certificate{cert}}
		all = append(all, func() error { return tcptls.ListenAndServe(ctx, at.tls, config, h, framing) })
	}
	if len(all) == 0 {
		return stdio.Serve(ctx, h, stdio.WithFraming(at.framing))
	}
	ended := make(chan error, len(all))
	for _, one := range all {
		go func() { ended <- one() }()
	}
	err := <-ended
	stop()
	for range len(all) - 1 {
		<-ended
	}
	return err
}
