package mount_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// bank is a server whose tool transfer goes on when its call was cancelled: it logs, and asks.
type bank struct {
	begun, release chan struct{}

	mu      sync.Mutex
	answers []string
}

func (b *bank) transfer(ctx context.Context, arguments runtime.Raw) (wire.Appender, error) {
	from, _ := wire.PeekAt([]byte(arguments.String())).In("from").Text()
	b.begun <- struct{}{}
	<-b.release // whatever ctx says
	mcp.Log(context.WithoutCancel(ctx), "error", "", mcpdynamic.JSON(`"the balance of `+from+` is 1234.56"`))
	answer, err := mcp.Elicit(context.WithoutCancel(ctx), "sure", mcp.ElicitRequestFormParams{Message: "Transfer 1000 from the account of " + from + "?"})
	b.mu.Lock()
	b.answers = append(b.answers, fmt.Sprint(from, " ", answer.Action, " ", err != nil))
	b.mu.Unlock()
	return mcpdynamic.Text("done"), err
}

// TestGivenUp: when a client has given up a call, what the server still has to say about it reaches no other client.
func TestGivenUp(t *testing.T) {
	for _, revision := range []string{mcp.Revision20250618, mcp.Revision20260728} {
		for _, how := range []string{"cancelled", "timeout"} {
			for _, concurrent := range []bool{false, true} {
				for _, over := range []string{"memory", "http"} {
					t.Run(fmt.Sprint(revision, "/", how, "/concurrent ", concurrent, "/", over), func(t *testing.T) {
						t.Parallel() // most of the time is a timeout that has to pass
						givenUp(t, revision, how, over, concurrent)
					})
				}
			}
		}
	}
}

func givenUp(t *testing.T, revision, how, over string, concurrent bool) {
	b := &bank{begun: make(chan struct{}, 100), release: make(chan struct{})}
	srv, set := dynamicServer(t)
	released := sync.OnceFunc(func() { close(b.release) })
	t.Cleanup(released)
	bobs := make(chan struct{})
	err := set.AddTools(
		mcpdynamic.Tool{Name: "transfer", InputSchema: mcpdynamic.JSON(`{"type":"object"}`), Call: b.transfer},
		mcpdynamic.Tool{Name: "balance", Call: func(context.Context, runtime.Raw) (wire.Appender, error) {
			released() // now the server says what it has to say about the call of Alice
			select {
			case <-bobs:
			case <-time.After(200 * time.Millisecond):
			}
			return mcpdynamic.Text("5"), nil
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(mcphttp.NewHandler(srv, mcphttp.Options{}))
	t.Cleanup(web.Close)
	dial := mcpclient.InMemory(srv)
	if over == "http" {
		dial = mcphttp.Dial(web.URL, mcphttp.ClientOptions{})
	}
	timeout := "10s"
	if how == "timeout" {
		timeout = "2s"
	}
	g := start(t, config(t, fmt.Sprintf("servers: {bank: {url: http://memory, prefix: '', timeout: %s, concurrent: %v, revisions: [%s]}}", timeout, concurrent, revision)), mount.Options{
		Dial: func(string, mount.Server) mcpclient.Dialer { return dial },
	})
	var mu sync.Mutex
	var heard []string
	client := func(name string) *mcpclient.Client {
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, name+" hears "+what)
			if name == "bob" {
				select {
				case bobs <- struct{}{}:
				default:
				}
			}
		}
		return connect(t, mcpclient.InMemory(g.Server()), mcpclient.Options{
			Revisions: []string{mcp.Revision20250618}, LogLevel: "debug",
			OnLog: func(_ context.Context, m mcpclient.LogMessage) { note(m.Data.String()) },
			OnElicit: func(_ context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
				note(p.Message)
				return mcp.ElicitResult{Action: "accept"}, nil
			},
		})
	}
	alice, bob := client("alice"), client("bob")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if how == "cancelled" {
		go func() {
			<-b.begun
			cancel()
		}()
	}
	await.Until(t, "a call of Alice arrives", func() bool { // the time of one may be up before it is sent
		result, err := alice.CallTool(ctx, "transfer", mcpdynamic.JSON(`{"from":"alice"}`))
		if how == "cancelled" && !errors.Is(err, context.Canceled) || how == "timeout" && !strings.Contains(said(result), "did not answer") {
			t.Fatal(said(result), err)
		}
		return how == "cancelled" || len(b.begun) > 0
	})
	await.Until(t, "a call of Bob is answered", func() bool {
		result, err := bob.CallTool(t.Context(), "balance", runtime.Raw{})
		if late := how == "timeout" && strings.Contains(said(result), "did not answer"); late { // this machine is slow
			return false
		}
		if err != nil || said(result) != "5" {
			t.Error(said(result), err)
		}
		return true
	})
	mu.Lock()
	defer mu.Unlock()
	for _, what := range heard {
		if strings.HasPrefix(what, "bob") {
			t.Error(what)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, answer := range b.answers {
		if strings.Contains(answer, "accept") && !slices.ContainsFunc(heard, func(what string) bool { return strings.HasPrefix(what, "alice hears Transfer") }) {
			t.Error("nobody was asked, and the call of Alice got an answer:", answer)
		}
	}
}

// TestOwnAfterGivenUp: a client that has given up a call goes on with the same connection, and is still asked.
func TestOwnAfterGivenUp(t *testing.T) {
	srv, set := dynamicServer(t)
	var connections, begun = make(chan struct{}, 8), make(chan struct{}, 1)
	err := set.AddTools(
		mcpdynamic.Tool{Name: "wait", Call: func(ctx context.Context, _ runtime.Raw) (wire.Appender, error) {
			begun <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}},
		mcpdynamic.Tool{Name: "ask", Call: func(ctx context.Context, _ runtime.Raw) (wire.Appender, error) {
			answer, err := mcp.Elicit(ctx, "sure", mcp.ElicitRequestFormParams{Message: "Sure?"})
			return mcpdynamic.Text(string(answer.Action)), err
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	dial := mcpclient.InMemory(srv)
	g := start(t, config(t, "servers: {up: {url: http://memory, prefix: '', revisions: ["+mcp.Revision20250618+"]}}"), mount.Options{
		Dial: func(string, mount.Server) mcpclient.Dialer {
			return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
				connections <- struct{}{}
				return dial(ctx, inbound)
			}
		},
	})
	accept := mcpclient.Options{OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
		return mcp.ElicitResult{Action: "accept"}, nil
	}}
	ann, bob := connect(t, mcpclient.InMemory(g.Server()), accept), connect(t, mcpclient.InMemory(g.Server()), accept)
	giveUp := func(c *mcpclient.Client) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-begun
			cancel()
		}()
		c.CallTool(ctx, "wait", runtime.Raw{})
	}
	asked := func(c *mcpclient.Client, made int) {
		t.Helper()
		if result, err := c.CallTool(t.Context(), "ask", runtime.Raw{}); err != nil || said(result) != "accept" {
			t.Error(said(result), err)
		}
		if len(connections) != made {
			t.Error(len(connections), "connections were made, not", made)
		}
	}
	handshake := accept
	handshake.Revisions = []string{mcp.Revision20250618}
	session := connect(t, mcpclient.InMemory(g.Server()), handshake)
	asked(ann, 1)
	giveUp(session)
	asked(session, 1)
	giveUp(session)
	asked(bob, 2)
	asked(session, 2)
	asked(ann, 2)
}

// TestPrefixes: a name belongs to the server with the longest prefix that it begins with.
func TestPrefixes(t *testing.T) {
	servers := map[string]*mcp.Server{}
	for name, tool := range map[string]string{"git": "private_push", "git_private": "push", "all": "git_private_push"} {
		srv, set := dynamicServer(t)
		if err := set.AddTools(mcpdynamic.Tool{Name: tool, Call: reply("of " + name)}); err != nil {
			t.Fatal(err)
		}
		servers[name] = srv
	}
	delayed := make(chan struct{})
	g := gateway(t, config(t, "servers: {git: {url: http://memory}, git_private: {url: http://memory}, all: {url: http://memory, prefix: ''}}"), mount.Options{
		Logger: quiet,
		Dial: func(name string, _ mount.Server) mcpclient.Dialer {
			dial := mcpclient.InMemory(servers[name])
			return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
				if name == "git_private" {
					<-delayed
				}
				return dial(ctx, inbound)
			}
		},
	})
	t.Cleanup(func() { g.Close() })
	c := connect(t, mcpclient.InMemory(g.Server()), mcpclient.Options{})
	await.Until(t, "the other servers are mounted", func() bool { return len(names(t, c)) > 2 })
	if _, err := c.CallTool(t.Context(), "git_private_push", runtime.Raw{}); err == nil {
		t.Error("the tool is that of another server")
	}
	close(delayed)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := g.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	if result, err := c.CallTool(t.Context(), "git_private_push", runtime.Raw{}); err != nil || said(result) != "of git_private" {
		t.Error(said(result), err)
	}
}

// TestUnread: log messages that their client does not read, and which therefore wait in the gateway, do not reach the client of the next call.
func TestUnread(t *testing.T) {
	srv, set := dynamicServer(t)
	begun, release := make(chan struct{}), make(chan struct{})
	err := set.AddTools(
		mcpdynamic.Tool{Name: "chatty", Call: func(ctx context.Context, _ runtime.Raw) (wire.Appender, error) {
			for range 200 { // more than a connection in memory takes without a reader
				mcp.Log(ctx, "error", "", mcpdynamic.JSON(`"a secret of alice"`))
			}
			return mcpdynamic.Text("done"), nil
		}},
		mcpdynamic.Tool{Name: "balance", Call: func(context.Context, runtime.Raw) (wire.Appender, error) {
			close(begun)
			<-release
			return mcpdynamic.Text("5"), nil
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	g := start(t, config(t, fmt.Sprintf("servers: {bank: {url: http://memory, prefix: '', revisions: [%s]}}", mcp.Revision20250618)), mount.Options{
		Dial: func(string, mount.Server) mcpclient.Dialer { return mcpclient.InMemory(srv) },
	})
	alice, far := pipe.New(0)
	runtime.NewSession(t.Context(), far, g.Server(), runtime.Options{Logger: quiet})
	t.Cleanup(func() { alice.Close() })
	send := func(message string) {
		if err := alice.WriteFrame([]byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"alice","version":"1"}}}`)
	if _, err := alice.ReadFrame(); err != nil {
		t.Fatal(err)
	}
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	bob := connect(t, mcpclient.InMemory(g.Server()), mcpclient.Options{
		Revisions: []string{mcp.Revision20250618}, LogLevel: "debug",
		OnLog: func(_ context.Context, m mcpclient.LogMessage) { t.Error("bob hears", m.Data) },
	})
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"chatty","arguments":{}}}`)
	if _, err := alice.ReadFrame(); err != nil { // the first log message: her call is in flight
		t.Fatal(err)
	}
	go func() {
		<-begun // the call of bob, the only one now
		defer close(release)
		for {
			if message, err := alice.ReadFrame(); err != nil || strings.Contains(string(message), `"result"`) {
				return
			}
		}
	}()
	if result, err := bob.CallTool(t.Context(), "balance", runtime.Raw{}); err != nil || said(result) != "5" {
		t.Error(said(result), err)
	}
}
