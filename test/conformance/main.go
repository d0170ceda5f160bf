// Command conformance is what the conformance suite of MCP is run against: a server, on standard input and output or over HTTP, and, for the
// suite's scenarios for clients, a client.
//
//test:by ./test/conformance/scenario
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/test/conformance/everything"
	"github.com/rpcgen-go/rpcgen/test/conformance/scenario"
)

func main() {
	address := flag.String("http", "", "serve /mcp at this `address` in place of standard input and output")
	origin := flag.String("origin", "", "let pages of this `origin` use the server over HTTP, such as http://app.example.com")
	url := flag.String("client", "", "play the client of the suite's scenario, with the server at this `URL`")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *address, *origin, *url); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address, origin, url string) error {
	if url == "" {
		return serve(ctx, address, origin)
	}
	told := scenario.Scenario{
		Name:     os.Getenv("MCP_CONFORMANCE_SCENARIO"),
		Revision: os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION"),
		Context:  os.Getenv("MCP_CONFORMANCE_CONTEXT"),
	}
	return scenario.Run(ctx, told, url)
}

func serve(ctx context.Context, address, origin string) error {
	srv := everything.New(mcp.Options{UnaskedAnswers: true})
	if address == "" {
		return stdio.Serve(ctx, srv)
	}
	o := mcphttp.Options{SSE: true}
	if origin != "" {
		o.AllowedOrigins = []string{origin}
	}
	return mcphttp.ListenAndServe(ctx, address, "/mcp", mcphttp.NewHandler(srv, o))
}
