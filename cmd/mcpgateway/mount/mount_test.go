package mount_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/test/await"
	"github.com/rpcgen-go/rpcgen/test/conformance/everything"
	"github.com/rpcgen-go/rpcgen/test/port"
)

var quiet = slog.New(slog.DiscardHandler)

// TestMain lets the test binary be a server on standard input and output as well.
func TestMain(m *testing.M) {
	if os.Getenv("GATEWAY_TEST_SERVER") != "" {
		if err := stdio.Serve(context.Background(), everything.New(mcp.Options{Logger: quiet})); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// gateway returns a gateway, which is not closed.
func gateway(t *testing.T, c *mount.Config, o mount.Options) *mount.Gateway {
	t.Helper()
	g, err := mount.New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// start starts a gateway and waits until all servers are connected.
func start(t *testing.T, c *mount.Config, o mount.Options) *mount.Gateway {
	t.Helper()
	o.Logger = quiet
	g := gateway(t, c, o)
	t.Cleanup(func() { g.Close() })
	if err := g.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g
}

func config(t *testing.T, text string) *mount.Config {
	t.Helper()
	c, err := mount.ParseConfig([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func connect(t *testing.T, dial mcpclient.Dialer, o mcpclient.Options) *mcpclient.Client {
	t.Helper()
	o.Logger = quiet
	c, err := mcpclient.Connect(t.Context(), dial, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// routes runs a test for every pair of revisions, of the client and of the server, with servers that
// are programs and servers at URLs.
func routes(t *testing.T, test func(t *testing.T, direct, through func(o mcpclient.Options) *mcpclient.Client)) {
	web := httptest.NewServer(mcphttp.NewHandler(everything.New(mcp.Options{Logger: quiet}), mcphttp.Options{}))
	t.Cleanup(web.Close)
	revisions := []string{mcp.Revision20250618, mcp.Revision20260728}
	for kind, reached := range map[string]string{
		"stdio": "command: [" + os.Args[0] + "], env: {GATEWAY_TEST_SERVER: yes}",
		"http":  "url: " + web.URL,
	} {
		for _, upstream := range revisions {
			g := start(t, config(t, "servers: {up: {"+reached+", revisions: ["+upstream+"], timeout: 20s}}"), mount.Options{})
			for _, downstream := range revisions {
				t.Run(kind+"/"+upstream+"/"+downstream, func(t *testing.T) {
					direct := func(o mcpclient.Options) *mcpclient.Client {
						o.Revisions = []string{downstream}
						return connect(t, mcphttp.Dial(web.URL, mcphttp.ClientOptions{}), o)
					}
					through := func(o mcpclient.Options) *mcpclient.Client {
						o.Revisions = []string{downstream}
						return connect(t, mcpclient.InMemory(g.Server()), o)
					}
					test(t, direct, through)
				})
			}
		}
	}
}

// TestUnchanged compares results and errors of a server with those that come through the gateway.
func TestUnchanged(t *testing.T) {
	routes(t, func(t *testing.T, direct, through func(mcpclient.Options) *mcpclient.Client) {
		a, b := direct(mcpclient.Options{}), through(mcpclient.Options{})
		for _, call := range []struct{ method, params, prefixed string }{
			{"tools/call", `{"name":"test_simple_text"}`, `{"name":"up_test_simple_text"}`},
			{"tools/call", `{"name":"test_image_content"}`, `{"name":"up_test_image_content"}`},
			{"tools/call", `{"name":"test_embedded_resource"}`, `{"name":"up_test_embedded_resource"}`},
			{"tools/call", `{"name":"test_multiple_content_types"}`, `{"name":"up_test_multiple_content_types"}`},
			{"tools/call", `{"name":"test_error_handling"}`, `{"name":"up_test_error_handling"}`},
			{"tools/call", `{"name":"test_sampling","arguments":{"prompt":1}}`, `{"name":"up_test_sampling","arguments":{"prompt":1}}`},
			{"tools/call", `{"name":"test_x_mcp_header","arguments":{"nonsense":true}}`, `{"name":"up_test_x_mcp_header","arguments":{"nonsense":true}}`},
			{"resources/read", `{"uri":"test://static-text"}`, ""},
			{"resources/read", `{"uri":"test://static-binary"}`, ""},
			{"resources/read", `{"uri":"test://template/17/data"}`, ""},
			{"resources/read", `{"uri":"test://no such thing"}`, ""},
			{"prompts/get", `{"name":"test_simple_prompt"}`, `{"name":"up_test_simple_prompt"}`},
			{"prompts/get", `{"name":"test_prompt_with_arguments","arguments":{"arg1":"x","arg2":"y"}}`, `{"name":"up_test_prompt_with_arguments","arguments":{"arg1":"x","arg2":"y"}}`},
			{"completion/complete", `{"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"p"}}`,
				`{"ref":{"type":"ref/prompt","name":"up_test_prompt_with_arguments"},"argument":{"name":"arg1","value":"p"}}`},
		} {
			if call.prefixed == "" {
				call.prefixed = call.params
			}
			want, wantErr := mcpclient.Call(t.Context(), a, call.method, mcpdynamic.JSON(call.params))
			got, err := mcpclient.Call(t.Context(), b, call.method, mcpdynamic.JSON(call.prefixed))
			if plain(got) != plain(want) {
				t.Errorf("%s %s:\ngot  %s\nwant %s", call.method, call.params, plain(got), plain(want))
			}
			if text(err) != text(wantErr) {
				t.Errorf("%s %s: got the error %v, want %v", call.method, call.params, text(err), text(wantErr))
			}
		}
	})
}

// plain returns a result without what each server says about itself and about caching.
func plain(result runtime.Raw) string {
	var all []string
	for name, value := range wire.PeekAt([]byte(result.String())).Members() {
		if name == "_meta" {
			for key, member := range value.Members() {
				if key != "io.modelcontextprotocol/serverInfo" {
					all = append(all, "_meta "+key+string(member.JSON()))
				}
			}
			continue
		}
		if name != "ttlMs" && name != "cacheScope" {
			all = append(all, name+string(value.JSON()))
		}
	}
	slices.Sort(all)
	return strings.ReplaceAll(strings.Join(all, "\n"), "up_test", "test")
}

func text(err error) string {
	if e, ok := errors.AsType[*runtime.Error](err); ok {
		return e.Error() + e.Data.String()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestConversation passes progress, log messages and questions through.
func TestConversation(t *testing.T) {
	routes(t, func(t *testing.T, _, through func(mcpclient.Options) *mcpclient.Client) {
		progress, logged := make(chan float64, 64), make(chan string, 64)
		c := through(mcpclient.Options{
			LogLevel:   "debug",
			OnLog:      func(_ context.Context, m mcpclient.LogMessage) { logged <- m.Level },
			OnProgress: func(_ context.Context, p mcpclient.ProgressReport) { progress <- p.Done },
			OnElicit: func(_ context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
				if !strings.Contains(p.Message, "who are you") || len(p.RequestedSchema.Properties) == 0 {
					t.Errorf("asked %v", p)
				}
				return mcp.ElicitResult{Action: "decline"}, nil
			},
			OnSample: func(_ context.Context, _ mcp.CreateMessageRequestParams) (mcp.CreateMessageResult, error) {
				return mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "sampled"}}, nil
			},
		})
		if _, err := c.CallTool(t.Context(), "up_test_tool_with_progress", runtime.Raw{}); err != nil || len(progress) == 0 {
			t.Errorf("%v, %d reports of progress", err, len(progress))
		}
		if _, err := c.CallTool(t.Context(), "up_test_tool_with_logging", runtime.Raw{}); err != nil {
			t.Error(err)
		}
		select {
		case <-logged:
		case <-time.After(time.Minute): // a busy machine takes less
			t.Error("no log message arrives")
		}
		result, err := c.CallTool(t.Context(), "up_test_elicitation", mcpdynamic.JSON(`{"message":"who are you"}`))
		if err != nil || !strings.Contains(said(result), "decline") {
			t.Errorf("elicitation: %v, %v", said(result), err)
		}
		result, err = c.CallTool(t.Context(), "up_test_sampling", mcpdynamic.JSON(`{"prompt":"say it"}`))
		if err != nil || !strings.Contains(said(result), "sampled") {
			t.Errorf("sampling: %v, %v", said(result), err)
		}
	})
}

func said(r mcp.CallToolResult) string {
	var all []string
	for _, block := range r.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	return strings.Join(all, " ")
}

// dynamicServer returns a server to whose set the test adds tools.
func dynamicServer(t *testing.T) (*mcp.Server, *mcpdynamic.Set) {
	set := mcpdynamic.New(mcpdynamic.Options{})
	srv := everything.New(mcp.Options{Logger: quiet, Dynamic: set})
	t.Cleanup(func() { srv.Close() })
	return srv, set
}

func names(t *testing.T, c *mcpclient.Client) (all []string) {
	t.Helper()
	for tool, err := range c.ListTools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tool.Name)
	}
	return all
}

func reply(text string) func(context.Context, runtime.Raw) (wire.Appender, error) {
	return func(context.Context, runtime.Raw) (wire.Appender, error) { return mcpdynamic.Text(text), nil }
}

// TestListChanges adds a tool to a mounted server: the clients of the gateway get the notification and
// find the tool.
func TestListChanges(t *testing.T) {
	for _, revision := range []string{mcp.Revision20250618, mcp.Revision20260728} {
		srv, set := dynamicServer(t)
		g := start(t, config(t, "servers: {up: {url: http://memory, prefix: '', revisions: ["+revision+"]}}"), mount.Options{
			Dial: func(string, mount.Server) mcpclient.Dialer { return mcpclient.InMemory(srv) },
		})
		changed := make(chan mcpclient.List, 16)
		c := connect(t, mcpclient.InMemory(g.Server()), mcpclient.Options{OnListChanged: func(_ context.Context, l mcpclient.List) { changed <- l }})
		listening, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true})
		if err != nil {
			t.Fatal(err)
		}
		defer listening.Close()
		if err := set.AddTools(mcpdynamic.Tool{Name: "fresh", Call: reply("new")}); err != nil {
			t.Fatal(err)
		}
		await.Until(t, "the new tool is listed", func() bool { return slices.Contains(names(t, c), "fresh") })
		select {
		case <-changed:
		case <-time.After(time.Minute): // a busy machine takes less
			t.Error("there is no notification")
		}
		if result, err := c.CallTool(t.Context(), "fresh", runtime.Raw{}); err != nil || said(result) != "new" {
			t.Errorf("got %v, %v", result, err)
		}
		if err := set.RemoveTools("fresh"); err != nil {
			t.Fatal(err)
		}
		await.Until(t, "the tool is gone", func() bool { return !slices.Contains(names(t, c), "fresh") })
	}
}

// TestCancelled cancels a call: the server learns of it.
func TestCancelled(t *testing.T) {
	for _, revision := range []string{mcp.Revision20250618, mcp.Revision20260728} {
		srv, set := dynamicServer(t)
		begun, ended := make(chan bool, 100), make(chan error, 100)
		err := set.AddTools(mcpdynamic.Tool{Name: "wait", Call: func(ctx context.Context, _ runtime.Raw) (wire.Appender, error) {
			begun <- true
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		}})
		if err != nil {
			t.Fatal(err)
		}
		g := start(t, config(t, "servers: {up: {url: http://memory, timeout: 300ms, revisions: ["+revision+"]}, slow: {url: http://memory, timeout: 1m, revisions: ["+revision+"]}}"), mount.Options{
			Dial: func(string, mount.Server) mcpclient.Dialer { return mcpclient.InMemory(srv) },
		})
		c := connect(t, mcpclient.InMemory(g.Server()), mcpclient.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-begun
			cancel()
		}()
		if _, err := c.CallTool(ctx, "slow_wait", runtime.Raw{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		var cancelled *mcp.CancelledError
		if err := <-ended; !errors.As(err, &cancelled) {
			t.Errorf("the server's call ended with %v", err)
		}
		await.Until(t, "a call arrives", func() bool { // the time of some may be up before they are sent
			result, err := c.CallTool(t.Context(), "up_wait", runtime.Raw{}) // the timeout of the gateway
			if err != nil || !result.IsError.Or(false) || !strings.Contains(said(result), "300ms") {
				t.Errorf("got %v, %v", result, err)
			}
			return len(begun) > 0
		})
		<-ended
	}
}

// TestPrincipals: what a principal may not use is not listed and cannot be called.
func TestPrincipals(t *testing.T) {
	srv, set := dynamicServer(t)
	if err := set.AddTools(mcpdynamic.Tool{Name: "who", Call: reply("it is me")}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BOB_TOKEN", "token-of-bob")
	g := start(t, config(t, `
servers: {one: {url: http://memory}, two: {url: http://memory}}
principals:
  ann: {token: token-of-ann, allow: ["*"]}
  bob: {token: $BOB_TOKEN, allow: [two/who, "two/test_simple_*"]}
`), mount.Options{Dial: func(string, mount.Server) mcpclient.Dialer { return mcpclient.InMemory(srv) }})
	web := httptest.NewServer(g.HTTP(mcphttp.Options{}))
	t.Cleanup(web.Close)
	for _, revision := range []string{mcp.Revision20250618, mcp.Revision20260728} {
		as := func(token string) *mcpclient.Client {
			return connect(t, mcphttp.Dial(web.URL, mcphttp.ClientOptions{Header: http.Header{"Authorization": {"Bearer " + token}}}), mcpclient.Options{Revisions: []string{revision}})
		}
		ann, bob := as("token-of-ann"), as("token-of-bob")
		if all := names(t, ann); !slices.Contains(all, "one_who") || !slices.Contains(all, "two_test_image_content") {
			t.Errorf("ann sees %v", all)
		}
		if all := names(t, bob); !slices.Equal(all, []string{"gateway_status", "two_test_simple_text", "two_who"}) {
			t.Errorf("bob sees %v", all)
		}
		if result, err := bob.CallTool(t.Context(), "two_who", runtime.Raw{}); err != nil || said(result) != "it is me" {
			t.Errorf("got %v, %v", result, err)
		}
		for _, name := range []string{"one_who", "two_test_image_content"} {
			_, err := bob.CallTool(t.Context(), name, runtime.Raw{})
			if err == nil || !strings.Contains(err.Error(), "Unknown tool") {
				t.Errorf("bob calls %s: %v", name, err)
			}
		}
		for _, uri := range []string{"test://static-text", "test://template/17/data"} {
			if _, err := bob.ReadResource(t.Context(), uri); !errors.Is(err, mcp.ErrNotFound) {
				t.Errorf("bob reads %s: %v", uri, err)
			}
			if _, err := ann.ReadResource(t.Context(), uri); err != nil {
				t.Errorf("ann cannot read %s: %v", uri, err)
			}
		}
		status, err := bob.CallTool(t.Context(), "gateway_status", runtime.Raw{})
		if structured, _ := status.StructuredContent.Get(); err != nil || structured.String() != `{"servers":[{"name":"two","connected":true,"tools":2}]}` {
			t.Errorf("bob is shown %s, %v", structured, err)
		}
	}
	if _, err := mcpclient.Connect(t.Context(), mcphttp.Dial(web.URL, mcphttp.ClientOptions{}), mcpclient.Options{}); err == nil {
		t.Error("a client without a token connects")
	}
}

// TestReconnects stops a server and starts it again.
func TestReconnects(t *testing.T) {
	srv, _ := dynamicServer(t)
	address := port.Address()
	web := serveAt(t, address, mcphttp.NewHandler(srv, mcphttp.Options{}))
	for _, revision := range []string{mcp.Revision20250618, mcp.Revision20260728} {
		g := start(t, config(t, "servers: {up: {url: "+web.URL+", revisions: ["+revision+"]}}"), mount.Options{})
		c := connect(t, mcpclient.InMemory(g.Server()), mcpclient.Options{})
		works := func() bool {
			result, err := c.CallTool(t.Context(), "up_test_simple_text", runtime.Raw{})
			if err != nil {
				t.Fatal(err)
			}
			return !result.IsError.Or(false)
		}
		if !works() {
			t.Fatal("the tool fails")
		}
		away(web)
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		if result, err := c.CallTool(short, "up_test_simple_text", runtime.Raw{}); err == nil && (!result.IsError.Or(false) || !strings.Contains(said(result), `"up" cannot be reached`)) {
			t.Errorf("got %v", said(result))
		}
		cancel()
		if !slices.Contains(names(t, c), "up_test_simple_text") {
			t.Error("the tool is not listed while its server is away")
		}
		web = serveAt(t, address, mcphttp.NewHandler(srv, mcphttp.Options{}))
		await.Until(t, "the tool works again", works)
		g.Close()
	}
	web.Close()
}

// serveAt serves a handler at an address, the same one after a restart.
func serveAt(t *testing.T, address string, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	await.Until(t, "the address can be listened at", func() (is bool) {
		l, err := net.Listen("tcp", address)
		s.Listener = l
		return err == nil
	})
	s.Start()
	return s
}

// away ends a server. It does not listen any more before its connections are closed: a client that connects again at once would keep it open.
func away(s *httptest.Server) {
	s.Listener.Close()
	s.CloseClientConnections()
	s.Close()
}

// TestPages: tools of pages pass through to hosts with MCP Apps, and are hidden from others.
func TestPages(t *testing.T) {
	routes(t, func(t *testing.T, _, through func(o mcpclient.Options) *mcpclient.Client) {
		for _, apps := range []bool{true, false} {
			o := mcpclient.Options{}
			if apps {
				o.Extensions = mcpclient.Apps()
			}
			c := through(o)
			if slices.Contains(names(t, c), "up_page_clicked") != apps || !slices.Contains(names(t, c), "up_show_page") {
				t.Errorf("apps: %t: got %s", apps, names(t, c))
			}
			if _, err := c.CallTool(t.Context(), "up_page_clicked", runtime.Raw{}); apps != (err == nil) {
				t.Errorf("apps: %t: got %v", apps, err)
			}
			page, err := c.ReadResource(t.Context(), "ui://conformance/page.html")
			if text, broken := wire.Marshal(&page); err != nil || broken != nil || !strings.Contains(string(text), "prefersBorder") {
				t.Errorf("apps: %t: got %s, %v", apps, text, err)
			}
		}
	})
}
