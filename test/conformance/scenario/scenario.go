// Package scenario is the client that the conformance suite of MCP wants to talk to: it does what the suite's scenarios for clients ask for.
package scenario

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// Scenario is what the suite tells a client in its environment.
type Scenario struct {
	Name     string // MCP_CONFORMANCE_SCENARIO
	Revision string // MCP_CONFORMANCE_PROTOCOL_VERSION; empty: any
	Context  string // MCP_CONFORMANCE_CONTEXT, JSON; empty: none
}

// play does what a scenario asks for.
type play func(ctx context.Context, c *mcpclient.Client, s Scenario) error

// plays are the scenarios that the client knows. In those whose names begin with auth/, it gets its tokens by OAuth.
var plays = map[string]play{
	"initialize":                          listTools,
	"tools_call":                          addNumbers,
	"elicitation-sep1034-client-defaults": callOf("test_client_elicitation_defaults"),
	"sse-retry":                           callOf("test_reconnection"),
	"json-schema-2020-12-preservation":    echoSchema,
	"request-metadata":                    listTools,
	"sep-2322-client-request-state":       callOf("test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"),
	"http-standard-headers":               useEverything,
	"http-custom-headers":                 callAsTold,
	"http-invalid-tool-headers":           callListed,
	"json-schema-ref-no-deref":            listTools,
}

// Run connects to the server at the URL, and does what the scenario asks for.
func Run(ctx context.Context, s Scenario, url string) error {
	do, known := plays[s.Name]
	var transport mcphttp.ClientOptions
	if strings.HasPrefix(s.Name, "auth/") {
		auth, err := authorization(url, s)
		if err != nil {
			return err
		}
		do, known, transport.HTTP = callOf("test-tool"), true, auth.Client()
	}
	if !known {
		return fmt.Errorf("the scenario %q is not known", s.Name)
	}
	c, err := mcpclient.Connect(ctx, mcphttp.Dial(url, transport), options(s.Revision))
	if err != nil {
		return err
	}
	defer c.Close()
	return do(ctx, c, s)
}

// options are those of a client of the revision. The era is found out, except where the scenarios are of the handshake era: their servers
// need not endure the question.
func options(revision string) mcpclient.Options {
	o := mcpclient.Options{Name: "rpcgen-conformance", Version: "1.0.0", ProbeTimeout: time.Minute, OnElicit: agree, OnSample: sample, OnRoots: noRoots}
	if revision < mcp.Revision20260728 {
		o.Era = mcp.Handshake
	}
	return o
}
