package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/test/port"
)

// logins has rpcgen's client log in at the authorization server of an SDK, at which it registers itself.
func (b *bench) logins(ctx context.Context, t *table) error {
	s, err := b.serve(ctx, b.node(), "oauth.mjs", "{port}", strconv.Itoa(port.Free()))
	if err != nil {
		return err
	}
	defer s.stop()
	client, server, result := "rpcgen's client", "sdk "+b.versions["@modelcontextprotocol/sdk"], "ok"
	if err := logInTwice(ctx, strings.Replace(s.url, "127.0.0.1", "localhost", 1)); err != nil {
		result = t.fault("%s logs in at %s: %v\n%s", client, server, err, strings.TrimSpace(s.output.String()))
	}
	t.logins = append(t.logins, []string{client, server, result})
	return nil
}

// logInTwice lists the tools of a server twice. Only the first client may need a login; the second one has the token from a file.
func logInTwice(ctx context.Context, url string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	folder, err := os.MkdirTemp("", "tokens-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	visits := 0
	open := func(ctx context.Context, page string) error {
		visits++
		go follow(ctx, page)
		return nil
	}
	for range 2 {
		auth, err := mcpauth.New(url, mcpauth.Options{Grant: &mcpauth.Login{Agent: &mcpauth.Loopback{Open: open}}, Store: mcpauth.Files(folder)})
		if err != nil {
			return err
		}
		if err := listTools(ctx, url, auth.Client()); err != nil {
			return err
		}
	}
	if visits != 1 {
		return fmt.Errorf("there were %d logins", visits)
	}
	return nil
}

// follow is a browser whose person has logged in before.
func follow(ctx context.Context, page string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return
	}
	if resp, err := http.DefaultClient.Do(r); err == nil {
		resp.Body.Close()
	}
}

// listTools lists the tools of a server.
func listTools(ctx context.Context, url string, client *http.Client) error {
	defer client.CloseIdleConnections()
	o := mcpclient.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	c, err := mcpclient.Connect(ctx, mcphttp.Dial(url, mcphttp.ClientOptions{HTTP: client}), o)
	if err != nil {
		return err
	}
	defer c.Close()
	for tool, err := range c.ListTools(ctx) {
		if err != nil || tool.Name == "greet" {
			return err
		}
	}
	return errors.New("there is no tool greet")
}
