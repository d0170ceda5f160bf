// Command issues is an MCP server whose tools call the HTTP API of an issue tracker. On standard input and output it serves one user, whose token is in
// TRACKER_TOKEN. With -http it serves all users of a file, each with a token of its own at the tracker.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/rpcgen-go/rpcgen/examples/issues/rpc"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
)

func main() {
	address := flag.String("http", "", "serve HTTP at this address, such as localhost:4000, in place of standard input and output")
	file := flag.String("users", "users.json", "with -http: the file of the users")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address, *file); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "issues:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address, file string) error {
	if address == "" {
		s, err := newServer(backend.Options{Credentials: backend.Env{"token": "TRACKER_TOKEN"}})
		if err != nil {
			return err
		}
		return stdio.Serve(ctx, s)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var all []user
	if err := json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	clients, tokens, err := known(ctx, all)
	if err != nil {
		return err
	}
	s, err := newServer(backend.Options{Credentials: tokens})
	if err != nil {
		return err
	}
	return mcphttp.ListenAndServe(ctx, address, "/mcp", mcphttp.NewHandler(s, mcphttp.Options{Auth: clients}))
}

// user is a user of the server.
type user struct {
	Name    string `json:"name"`
	Token   string `json:"token"`   // that the client sends to this server
	Tracker string `json:"tracker"` // that this server sends to the tracker
}

// known returns who may call the server, and what it sends to the tracker for each.
func known(ctx context.Context, all []user) (*mcphttp.Auth, backend.Credentials, error) {
	clients, tokens := map[string]string{}, new(backend.Memory)
	for _, u := range all {
		clients[u.Token] = u.Name
		if err := tokens.Save(ctx, backend.Owner{Principal: u.Name, Backend: "tracker", Scheme: "token"}, []byte(u.Tracker)); err != nil {
			return nil, nil, err
		}
	}
	return mcphttp.Tokens(clients), backend.PerPrincipal(tokens), nil
}

func newServer(o backend.Options) (*mcp.Server, error) {
	api, err := rpc.NewBackend(o)
	if err != nil {
		return nil, err
	}
	return rpc.NewServer(server{api}, mcp.Options{}), nil
}

// server answers the tools by calls to the tracker, but for what it does itself.
type server struct{ *rpc.Backend }

// byModel is the label of issues that models have written.
const byModel = "written-by-model"

// CreateIssue labels the issue, so that people find what models have written.
func (s server) CreateIssue(ctx context.Context, in rpc.CreateIssueInput) (rpc.Issue, error) {
	in.Title = strings.TrimSpace(in.Title)
	if !slices.Contains(in.Labels, byModel) {
		in.Labels = append(in.Labels, byModel)
	}
	return s.Backend.CreateIssue(ctx, in)
}
