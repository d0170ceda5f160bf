package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/test/port"
)

// build builds what is tested, into the cache.
func (b *bench) build(ctx context.Context) error {
	for _, p := range []struct{ folder, path, name string }{
		{".", "./test/conformance", "conformance"},
		{".", "./test/conformance/cmd/visit", "visit"},
		{"examples/shop", ".", "shop"},
		{".", "./examples/weather/server", "weather"},
		{".", "./examples/weather/client", "weatherclient"},
		{"examples/websocket", "./server", "weatherws"},
		{".", "./examples/editor/server", "editor"},
		{"cmd/mcpgateway", ".", "gateway"},
		{"test/cluster", ".", "cluster"},
		{"test/cluster", "./replica", "replica"},
	} {
		cmd := exec.CommandContext(ctx, "go", "build", "-o", b.cache(p.name), p.path)
		cmd.Dir = filepath.Join(b.root, p.folder)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", p.name, err, out)
		}
	}
	return nil
}

// command returns a command that runs in the cache, with Node.js of the right version, and gets a port in place of {port}. It is killed when ctx ends.
func (b *bench) command(ctx context.Context, port string, words ...string) *exec.Cmd {
	words = slices.Clone(words)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "{port}", port)
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = b.cache()
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(b.node())+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.WaitDelay = time.Second
	return cmd
}

// server is a program that serves MCP over HTTP, or plain JSON-RPC.
type server struct {
	url    string
	cmd    *exec.Cmd
	cancel context.CancelFunc
	output bytes.Buffer
}

// serve starts a server on a free port of this machine, which the arguments, or else the variable PORT of the environment, tell it in
// place of {port}, and waits until it accepts connections.
func (b *bench) serve(ctx context.Context, command ...string) (*server, error) {
	free := strconv.Itoa(port.Free())
	s := &server{url: "http://127.0.0.1:" + free + "/mcp"}
	ctx, s.cancel = context.WithCancel(ctx)
	s.cmd = b.command(ctx, free, command...)
	s.cmd.Env = append(s.cmd.Env, "PORT="+free)
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) }
	s.cmd.WaitDelay = 5 * time.Second
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if err := reachable(ctx, "127.0.0.1:"+free); err != nil {
		s.stop()
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, &s.output)
	}
	return s, nil
}

// at is the URL of another path of the server; empty: /mcp.
func (s *server) at(path string) string {
	if path == "" {
		return s.url
	}
	return strings.TrimSuffix(s.url, "/mcp") + path
}

// stop ends the server, which has a moment to end what it has started.
func (s *server) stop() {
	s.cancel()
	s.cmd.Wait()
}

// reachable waits until somebody accepts connections at the address.
func reachable(ctx context.Context, address string) (err error) {
	for end := time.Now().Add(time.Minute); ctx.Err() == nil && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var conn net.Conn
		if conn, err = net.Dial("tcp", address); err == nil {
			return conn.Close()
		}
	}
	return errors.Join(ctx.Err(), err)
}
