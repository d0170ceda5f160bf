// Command visit goes with rpcgen's client to an MCP server of somebody else, and does there what a plan says: those of test/conformance/clients,
// which the clients of others go through too.
//
//	visit PLAN ERA URL
//	visit PLAN ERA COMMAND [ARGUMENT...]
//
// The era is handshake, stateless, or auto: the one that the server speaks. With sse it is handshake, and the transport HTTP+SSE.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

// eras are those that can be asked for; zero is found out.
var eras = map[string]mcp.Era{"auto": 0, "handshake": mcp.Handshake, "stateless": mcp.Stateless, "sse": mcp.Handshake}

func main() {
	if len(os.Args) < 4 {
		fail("use visit PLAN ERA URL, or visit PLAN ERA COMMAND [ARGUMENT...]")
	}
	era, known := eras[os.Args[2]]
	if !known {
		fail("the era is handshake, stateless, auto or sse, not " + os.Args[2])
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := visit(ctx, os.Args[1], era, dial(os.Args[3:], os.Args[2] == "sse")); err != nil {
		fail(err.Error())
	}
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, "visit:", text)
	os.Exit(1)
}

// visit does what the plan in the file says.
func visit(ctx context.Context, file string, era mcp.Era, dial mcpclient.Dialer) error {
	p, err := readPlan(file)
	if err != nil {
		return err
	}
	g := &guest{plan: p, changed: make(chan struct{}, 1), updated: make(chan struct{}, 1)}
	g.client, err = mcpclient.Connect(ctx, dial, mcpclient.Options{
		Name: "visit", Version: "1.0.0", Era: era, OnElicit: g.elicit, OnListChanged: g.listChanged, OnResourceUpdated: g.resourceUpdated,
	})
	if err != nil {
		return err
	}
	if err := g.doAll(ctx); err != nil {
		g.client.Close()
		return err
	}
	return g.client.Close()
}

// dial returns how a URL, or else a command, is connected to.
func dial(target []string, sse bool) mcpclient.Dialer {
	switch {
	case sse:
		return mcphttp.DialSSE(target[0], mcphttp.ClientOptions{})
	case strings.HasPrefix(target[0], "http"):
		return mcphttp.Dial(target[0], mcphttp.ClientOptions{})
	}
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		return stdio.Command(ctx, exec.Command(target[0], target[1:]...), inbound)
	}
}
