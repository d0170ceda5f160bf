package stdio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// echo declares a server with one tool, which returns its arguments, waits to be cancelled, or dies.
type echo struct{ revisions []string }

func (e echo) Info() *mcp.Info {
	return &mcp.Info{Name: "echo", Version: "1", Revisions: e.revisions, Tools: `[{"name":"echo","inputSchema":{"type":"object"}}]`}
}

func (echo) CallTool(ctx context.Context, c *mcp.ToolCall) {
	var text []byte
	for c.Arguments() {
		text = c.Reader().Text()
	}
	if wire.PeekAt(text).Has("wait") {
		fmt.Fprintln(os.Stderr, "waiting")
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "cancelled:", context.Cause(ctx))
	}
	if wire.PeekAt(text).Has("die") {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(3)
	}
	c.Return(append(c.Structured(), text...))
}
func (echo) ReadResource(context.Context, *mcp.ResourceCall) {}
func (echo) GetPrompt(context.Context, *mcp.PromptCall)      {}
func (echo) Complete(context.Context, *mcp.CompleteCall)     {}
func (echo) Condition(runtime.Condition) error               { return nil }
func (echo) Methods() runtime.Handler                        { return nil }

// serveEcho serves both eras, or that of the revisions alone.
func serveEcho(revisions ...string) {
	Serve(context.Background(), mcp.NewServer(echo{revisions}, mcp.Options{Logger: quiet}), WithOptions(runtime.Options{Logger: quiet}))
}

// hostile answers the handshake, and everything before it as the kind of server does.
func hostile(kind string) {
	shaken := false
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		m := wire.PeekAt(in.Bytes())
		method, _ := m.In("method").Text()
		id := m.In("id").JSON()
		switch {
		case method == "initialize":
			shaken = true
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"old","version":"0"}}}`+"\n", id)
		case !shaken && kind == "mortal":
			fmt.Fprintln(os.Stderr, "expected initialize")
			os.Exit(1)
		case !shaken && kind == "silent":
		case kind == "garbage":
			fmt.Println(`hello, {"I":"log`)
			fmt.Println(`{"jsonrpc":"2.0","id":"unheard","result":{}}`)
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", id)
		case kind == "nonsense":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":[`+"\n", id)
		case id != nil:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"first initialize"}}`+"\n", id)
		}
	}
}

// dial connects to this test as a program of the given kind.
func dial(t *testing.T, kind string, o mcpclient.Options, opts ...Option) (*mcpclient.Client, error) {
	o.Logger = quiet
	return mcpclient.Connect(t.Context(), Dial(program(t, kind), append(opts, WithGrace(time.Minute), WithOptions(runtime.Options{Logger: quiet}))...), o)
}

// TestDialEras: a client finds out what a program speaks, whatever the program does with the question.
func TestDialEras(t *testing.T) {
	for kind, revision := range map[string]string{
		"echo": mcp.Revision20260728, "echo modern": mcp.Revision20260728, "echo handshake": mcp.Revision20250618,
		"mortal": mcp.Revision20241105, "silent": mcp.Revision20241105, "refusing": mcp.Revision20241105, "garbage": mcp.Revision20241105,
		"nonsense": mcp.Revision20241105,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			probe := time.Minute // others answer or end, however long a process takes to start
			if kind == "silent" || kind == "garbage" || kind == "nonsense" {
				probe = time.Second
			}
			c, err := dial(t, kind, mcpclient.Options{ProbeTimeout: probe})
			if err != nil {
				t.Fatal(err)
			}
			if c.Revision() != revision {
				t.Errorf("it speaks %s, want %s", c.Revision(), revision)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDialCalls(t *testing.T) {
	c, err := dial(t, "echo", mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	arguments, _ := wire.ParseRaw([]byte(`{"n":9007199254740993}`))
	result, err := c.CallTool(t.Context(), "echo", arguments)
	if got, _ := result.StructuredContent.Get(); err != nil || got != arguments {
		t.Errorf("got %s, %v", got, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.CallTool(t.Context(), "echo", arguments); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// heard is what a program writes to its standard error.
type heard struct {
	strings.Builder
	waits func() // is called when a call waits
}

func (h *heard) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "waiting") {
		h.waits()
	}
	return h.Builder.Write(p)
}

// TestDialCancels: the program hears that a call is cancelled, and goes on.
func TestDialCancels(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stderr := heard{waits: cancel}
	c, err := dial(t, "echo", mcpclient.Options{}, WithStderr(&stderr))
	if err != nil {
		t.Fatal(err)
	}
	wait, _ := wire.ParseRaw([]byte(`{"wait":1}`))
	if _, err := c.CallTool(ctx, "echo", wait); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := c.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(stderr.String(), "cancelled: the request was cancelled: context canceled") {
		t.Errorf("the program wrote %q", stderr.String())
	}
}

// TestDialProgramDies: the call ends, later ones fail at once, and closing returns what the program wrote.
func TestDialProgramDies(t *testing.T) {
	c, err := dial(t, "echo", mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	die, _ := wire.ParseRaw([]byte(`{"die":1}`))
	for range 2 {
		if _, err := c.CallTool(t.Context(), "echo", die); !errors.Is(err, runtime.ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true}); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if e, ok := errors.AsType[*ExitError](c.Close()); !ok || e.Stderr != "out of memory" {
		t.Errorf("got %v", e)
	}
}

// TestDialFails: errors contain what the program wrote.
func TestDialFails(t *testing.T) {
	if _, err := dial(t, "fail", mcpclient.Options{}); err == nil || !strings.Contains(err.Error(), "cannot start: no weather") {
		t.Errorf("got %v", err)
	}
}
