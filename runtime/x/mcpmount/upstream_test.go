package mcpmount_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	rpc "github.com/rpcgen-go/rpcgen/generated/office"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpmount"
	"github.com/rpcgen-go/rpcgen/test/office"
)

// front returns a server without entries of its own that offers those of others.
func front(t *testing.T, o mcpmount.UpstreamOptions, all ...mcpmount.Upstream) (*mcp.Server, *mcpmount.Upstreams) {
	t.Helper()
	if o.Logger == nil {
		o.Logger = office.Options.Logger
	}
	up, err := mcpmount.NewUpstreams(o, all...)
	if err != nil {
		t.Fatal(err)
	}
	s := office.Front(up)
	t.Cleanup(func() { up.Close(); s.Close() })
	return s, up
}

// ready waits for the upstreams.
func ready(t *testing.T, up *mcpmount.Upstreams) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := up.Ready(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestUpstream: a server offers the entries of another one byte for byte, and answers each call as that does, whatever revisions are spoken on both
// sides.
func TestUpstream(t *testing.T) {
	for _, revision := range office.Revisions {
		old := office.New(office.Options)
		s, up := front(t, mcpmount.UpstreamOptions{ClientName: "user"}, mcpmount.Upstream{Name: "old", Dial: mcpclient.InMemory(old), Revisions: []string{revision}})
		ready(t, up)
		for _, list := range []string{"tools", "prompts", "resources", "resourceTemplates"} {
			for _, client := range office.Revisions {
				was, is := office.Entries(t, mcpclient.InMemory(old), client, list), office.Entries(t, mcpclient.InMemory(s), client, list)
				if len(was) == 0 || !maps.Equal(was, is) {
					t.Errorf("%s of %s for %s: %v, want %v", list, revision, client, is, was)
				}
			}
		}
		if d := office.Differences(t, mcpclient.InMemory(old), mcpclient.InMemory(s)); d != "" {
			t.Errorf("%s upstream:\n%s", revision, d)
		}
	}
}

// TestPrefix: with a prefix, entries differ in their name alone, which stands where it stood.
func TestPrefix(t *testing.T) {
	old := office.New(office.Options)
	s, up := front(t, mcpmount.UpstreamOptions{}, mcpmount.Upstream{Name: "old", Dial: mcpclient.InMemory(old), Prefix: "old."})
	ready(t, up)
	for _, list := range []string{"tools", "prompts"} {
		was, is := office.Entries(t, mcpclient.InMemory(old), mcp.Revision20260728, list), office.Entries(t, mcpclient.InMemory(s), mcp.Revision20260728, list)
		for name, entry := range was {
			if want := strings.Replace(entry, `"name":"`+name, `"name":"old.`+name, 1); is["old."+name] != want {
				t.Errorf("%s, want %s", is["old."+name], want)
			}
		}
	}
	c := office.Connect(t, mcpclient.InMemory(s), mcp.Revision20260728)
	if got := office.Answer(t, c, "tools/call", `{"name":"old.book","arguments":{"room":"Bell"}}`); !strings.Contains(got, "9007199254740993") {
		t.Error(got)
	}
}

// TestPassOn: a server of the same schema without handlers answers as the one does that its calls are passed on to, and the handlers that it has
// come first.
func TestPassOn(t *testing.T) {
	for _, revision := range office.Revisions {
		old := office.New(office.Options)
		up, err := mcpmount.NewUpstreams(mcpmount.UpstreamOptions{Logger: office.Options.Logger, ClientName: "user"}, mcpmount.Upstream{Name: "old", Dial: mcpclient.InMemory(old), Revisions: []string{revision}})
		if err != nil {
			t.Fatal(err)
		}
		s := rpc.NewServer(rpc.UnimplementedServer{}, mcp.Options{Logger: office.Options.Logger, Dynamic: up, Middleware: []mcp.Middleware{up.PassOn}})
		t.Cleanup(func() { up.Close(); s.Close() })
		ready(t, up)
		if d := office.Differences(t, mcpclient.InMemory(old), mcpclient.InMemory(s)); d != "" {
			t.Errorf("%s upstream:\n%s", revision, d)
		}
		for _, list := range []string{"tools", "prompts", "resources", "resourceTemplates"} {
			was, is := office.Entries(t, mcpclient.InMemory(old), revision, list), office.Entries(t, mcpclient.InMemory(s), revision, list)
			if len(was) == 0 || !maps.Equal(was, is) {
				t.Errorf("%s: %v, want %v", list, is, was)
			}
		}
	}
}

// written has one handler.
type written struct{ rpc.UnimplementedServer }

func (written) Book(context.Context, rpc.BookInput) (rpc.BookOutput, error) {
	return rpc.BookOutput{ID: 7, Room: rpc.Room{Name: "Own", Seats: 1}}, nil
}

// TestPassOnPart: a handler that is written answers, and one that is not passes the call on.
func TestPassOnPart(t *testing.T) {
	up, err := mcpmount.NewUpstreams(mcpmount.UpstreamOptions{Logger: office.Options.Logger}, mcpmount.Upstream{Name: "old", Dial: mcpclient.InMemory(office.New(office.Options))})
	if err != nil {
		t.Fatal(err)
	}
	s := rpc.NewServer(written{}, mcp.Options{Logger: office.Options.Logger, Dynamic: up, Middleware: []mcp.Middleware{up.PassOn}})
	t.Cleanup(func() { up.Close(); s.Close() })
	for _, revision := range office.Revisions {
		c := office.Connect(t, mcpclient.InMemory(s), revision)
		for call, want := range map[string]string{
			`{"name":"book","arguments":{"room":"Bell"}}`:  `{"id":7,`,
			`{"name":"book","arguments":{"room":"Bell1"}}`: `{"id":7,`,
			`{"name":"book","arguments":{}}`:               "are invalid",
			`{"name":"draw","arguments":{"room":"Bell"}}`:  "image/png",
			`{"name":"break"}`:                             `"isError":true`,
			`{"name":"nothing"}`:                           "Unknown tool",
		} {
			if got := office.Answer(t, c, "tools/call", call); !strings.Contains(got, want) {
				t.Errorf("%s %s: %s, want %s", revision, call, got, want)
			}
		}
	}
}

// TestPassOnCompletions: prompts and templates of the schema have the completions of the server that calls are passed on to.
func TestPassOnCompletions(t *testing.T) {
	set, complete := mcpdynamic.New(mcpdynamic.Options{}), func(_ context.Context, argument string, c mcp.Completing) ([]string, error) {
		if c.Value == "?" {
			return nil, nil
		}
		return []string{argument + " " + c.Value + c.Arguments["tone"]}, nil
	}
	old := office.Front(set)
	err := errors.Join(
		set.AddPrompts(mcpdynamic.Prompt{Name: rpc.PromptInvite, Complete: complete, Get: func(context.Context, map[string]string) (runtime.Appender, error) { return &mcp.GetPromptResult{}, nil }}),
		set.ReplaceTemplates(nil, mcpdynamic.Template{Name: "room", URITemplate: rpc.TemplateRoom, Complete: complete, Read: func(context.Context, string) (runtime.Appender, error) { return nil, mcp.ErrNotFound }}))
	if err != nil {
		t.Fatal(err)
	}
	for _, passes := range []bool{true, false} {
		up, err := mcpmount.NewUpstreams(mcpmount.UpstreamOptions{Logger: office.Options.Logger}, mcpmount.Upstream{Name: "old", Dial: mcpclient.InMemory(old)})
		if err != nil {
			t.Fatal(err)
		}
		o := mcp.Options{Logger: office.Options.Logger, Dynamic: up}
		if passes {
			o.Middleware = []mcp.Middleware{up.PassOn}
		}
		s := rpc.NewServer(rpc.UnimplementedServer{}, o)
		t.Cleanup(func() { up.Close(); s.Close() })
		ready(t, up)
		for _, revision := range office.Revisions {
			c := office.Connect(t, mcpclient.InMemory(s), revision)
			for text, want := range map[string]string{"a": "to akind", "?": ""} {
				got, err := c.CompletePrompt(t.Context(), rpc.PromptInvite, "to", text, map[string]string{"tone": "kind"})
				if is := strings.Join(got.Values, ","); err != nil || passes && is != want || !passes && is != "" {
					t.Errorf("%s, passed on %t: got %q, %v", revision, passes, is, err)
				}
			}
			got, err := c.CompleteTemplate(t.Context(), rpc.TemplateRoom, "name", "a", nil)
			if is := strings.Join(got.Values, ","); err != nil || passes != (is == "name a") {
				t.Errorf("%s, passed on %t: got %q, %v", revision, passes, is, err)
			}
		}
	}
}

// TestPassOnUnreachable: what is passed on while there is no connection fails, in the form that tools, prompts and resources have.
func TestPassOnUnreachable(t *testing.T) {
	up, err := mcpmount.NewUpstreams(mcpmount.UpstreamOptions{Logger: office.Options.Logger, Explain: func(err error) string { return "it is " + err.Error() }},
		mcpmount.Upstream{Name: "old", Dial: func(context.Context, runtime.Handler) (runtime.Conn, error) { return nil, errors.New("away") }})
	if err != nil {
		t.Fatal(err)
	}
	s := rpc.NewServer(written{}, mcp.Options{Logger: office.Options.Logger, Dynamic: up, Middleware: []mcp.Middleware{up.PassOn}})
	t.Cleanup(func() { up.Close(); s.Close() })
	if err := up.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), `the server "old" is not connected: away`) {
		t.Error(err)
	}
	up.Close() // so that no call waits for a connection
	for _, revision := range office.Revisions {
		c := office.Connect(t, mcpclient.InMemory(s), revision)
		for _, call := range []struct{ method, params, want string }{
			{"tools/call", `{"name":"book","arguments":{"room":"Bell"}}`, `{"id":7,`},
			{"tools/call", `{"name":"draw","arguments":{"room":"Bell"}}`, `The server \"old\" cannot be used at present: it is `},
			{"prompts/get", `{"name":"invite","arguments":{"to":"Ann"}}`, `The server "old" cannot be used at present: it is `},
			{"resources/read", `{"uri":"office://plan"}`, `The server "old" cannot be used at present: it is `},
		} {
			if got := office.Answer(t, c, call.method, call.params); !strings.Contains(got, call.want) {
				t.Errorf("%s %s: %s, want %s", revision, call.params, got, call.want)
			}
		}
	}
}

// TestUpstreamFaults: what is wrong with the settings is an error.
func TestUpstreamFaults(t *testing.T) {
	dial := mcpclient.InMemory(office.New(office.Options))
	for want, all := range map[string][]mcpmount.Upstream{
		`the upstream "": its name has 1 to 64`:                               {{Dial: dial}},
		`the upstream "a b": its name has 1 to 64`:                            {{Name: "a b", Dial: dial}},
		`the upstream "a": Dial is missing`:                                   {{Name: "a"}},
		`the upstream "a": its prefix "a/" has other characters`:              {{Name: "a", Dial: dial, Prefix: "a/"}},
		`the upstream "a": its timeout is negative`:                           {{Name: "a", Dial: dial, Timeout: -1}},
		`the upstream "a": there is another one with this name`:               {{Name: "a", Dial: dial}, {Name: "a", Dial: dial, Prefix: "b"}},
		`the upstream "b": "a" has the same prefix "": give one of them anot`: {{Name: "a", Dial: dial}, {Name: "b", Dial: dial}},
	} {
		if _, err := mcpmount.NewUpstreams(mcpmount.UpstreamOptions{}, all...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestNotReady: a server that cannot be reached is named, with the reason, as soon as the first attempt has failed; its calls fail, and those of others
// do not.
func TestNotReady(t *testing.T) {
	s, up := front(t, mcpmount.UpstreamOptions{},
		mcpmount.Upstream{Name: "gone", Dial: stdio.Dial(exec.Command("/no/such/program")), Prefix: "gone."},
		mcpmount.Upstream{Name: "ends", Dial: stdio.Dial(exec.Command("sh", "-c", "read line; echo no token >&2; exit 3")), Prefix: "ends."},
		mcpmount.Upstream{Name: "works", Dial: mcpclient.InMemory(office.New(office.Options))})
	began := time.Now()
	err := up.Ready(t.Context())
	for _, want := range []string{`the server "gone" is not connected: `, "no such file", `the server "ends" is not connected: `, "exit status 3", "no token"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	if strings.Contains(fmt.Sprint(err), "works") {
		t.Error(err)
	}
	c := office.Connect(t, mcpclient.InMemory(s), mcp.Revision20260728)
	if got := office.Answer(t, c, "tools/call", `{"name":"book","arguments":{"room":"Bell"}}`); !strings.Contains(got, "9007199254740993") {
		t.Error(got)
	}
	for _, one := range up.Status() {
		if (one.Name == "works") != (one.Err == nil) || (one.Name == "works") != slices.Contains(one.Tools, "book") {
			t.Errorf("%+v", one)
		}
	}
}

// changing is a server whose tools a test adds and removes.
type changing struct {
	*mcpdynamic.Set
	server *mcp.Server
}

func newChanging(t *testing.T) *changing {
	c := &changing{Set: mcpdynamic.New(mcpdynamic.Options{})}
	c.server = office.Front(c.Set)
	t.Cleanup(func() { c.server.Close() })
	return c
}

func (c *changing) add(t *testing.T, name string, call func(ctx context.Context) (string, error)) {
	t.Helper()
	err := c.AddTools(mcpdynamic.Tool{Name: name, Call: func(ctx context.Context, _ runtime.Raw) (runtime.Appender, error) {
		text, err := call(ctx)
		return mcpdynamic.Text(text), err
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 2000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: not within 20 seconds", what)
}

// ways runs a test for each pair of revisions, of the upstream and of the client.
func ways(t *testing.T, test func(t *testing.T, up, client string)) {
	for _, up := range office.Revisions {
		for _, client := range office.Revisions {
			t.Run(up+"/"+client, func(t *testing.T) { test(t, up, client) })
		}
	}
}

// TestChangedDuringCall: the list of an upstream changes while a call of it runs, even by the tool that is called. The call has its answer, and clients
// are told of the change and find the list as it is now.
func TestChangedDuringCall(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := newChanging(t)
		release := make(chan struct{})
		old.add(t, "replaced", func(ctx context.Context) (string, error) {
			if err := old.RemoveTools("replaced"); err != nil {
				return "", err
			}
			old.add(t, "fresh", func(context.Context) (string, error) { return "new", nil })
			select {
			case <-release:
			case <-ctx.Done():
			}
			return "the old answer", ctx.Err()
		})
		s, up := front(t, mcpmount.UpstreamOptions{}, mcpmount.Upstream{Name: "old", Dial: mcpclient.InMemory(old.server), Revisions: []string{revision}, Concurrent: true})
		ready(t, up)
		var told atomic.Int32
		c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), mcpclient.Options{Revisions: []string{client}, OnListChanged: func(context.Context, mcpclient.List) { told.Add(1) }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if _, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true}); err != nil {
			t.Fatal(err)
		}
		answered := make(chan string, 1)
		go func() {
			result, err := c.CallTool(t.Context(), "replaced", runtime.Raw{})
			answered <- fmt.Sprint(said(result), err)
		}()
		eventually(t, "the fresh tool is listed and called, during the call", func() bool {
			result, err := c.CallTool(t.Context(), "fresh", runtime.Raw{})
			return err == nil && said(result) == "new"
		})
		if _, err := c.CallTool(t.Context(), "replaced", runtime.Raw{}); err == nil {
			t.Error("the tool that was removed is called")
		}
		close(release)
		if got := <-answered; got != "the old answer<nil>" {
			t.Error(got)
		}
		if told.Load() == 0 {
			t.Error("the client is not told of the change")
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

// dying is a connection to a server that a test ends.
type dying struct {
	dial mcpclient.Dialer
	mu   sync.Mutex
	conn runtime.Conn
	made int
}

func (d *dying) Dial(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
	conn, err := d.dial(ctx, inbound)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conn, d.made = conn, d.made+1
	return conn, err
}

func (d *dying) die() {
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	conn.(interface{ Close() error }).Close()
}

// TestLostDuringCall: the connection to an upstream ends during a call: the call fails and says so, is not repeated, and a later one is made over the
// next connection.
func TestLostDuringCall(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := newChanging(t)
		begun := make(chan struct{}, 8)
		var calls atomic.Int32
		old.add(t, "wait", func(ctx context.Context) (string, error) {
			calls.Add(1)
			begun <- struct{}{}
			<-ctx.Done()
			return "", ctx.Err()
		})
		old.add(t, "quick", func(context.Context) (string, error) { return "done", nil })
		d := &dying{dial: mcpclient.InMemory(old.server)}
		s, up := front(t, mcpmount.UpstreamOptions{}, mcpmount.Upstream{Name: "old", Dial: d.Dial, Revisions: []string{revision}})
		ready(t, up)
		c := office.Connect(t, mcpclient.InMemory(s), client)
		go func() {
			<-begun
			d.die()
		}()
		if got := office.Answer(t, c, "tools/call", `{"name":"wait"}`); !strings.Contains(got, `The server \"old\" cannot be reached at present. Try again later.`) {
			t.Error(got)
		}
		if n := calls.Load(); n != 1 {
			t.Errorf("the call was made %d times", n)
		}
		if got := office.Answer(t, c, "tools/call", `{"name":"quick"}`); !strings.Contains(got, "done") {
			t.Error(got)
		}
		if d.made < 2 {
			t.Errorf("%d connections", d.made)
		}
	})
}

// TestAskedAfterReconnect: after the connection has been lost, questions of both eras and progress still reach the client whose call they belong to.
func TestAskedAfterReconnect(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := office.New(office.Options)
		d := &dying{dial: mcpclient.InMemory(old)}
		s, up := front(t, mcpmount.UpstreamOptions{}, mcpmount.Upstream{Name: "old", Dial: d.Dial, Revisions: []string{revision}})
		ready(t, up)
		direct, through := office.Connect(t, mcpclient.InMemory(old), client), office.Connect(t, mcpclient.InMemory(s), client)
		for range 2 {
			for _, call := range []string{`{"name":"confirm"}`, `{"name":"consult"}`, `{"name":"folders"}`, `{"name":"clean"}`} {
				if want, got := office.Answer(t, direct, "tools/call", call), office.Answer(t, through, "tools/call", call); got != want {
					t.Errorf("%s: %s, want %s", call, got, want)
				}
			}
			d.die()
		}
	})
}

// TestCancelledDuringQuestion: a client gives up a call whose question it has not answered. The handler of the upstream ends, and the next call is not
// affected.
func TestCancelledDuringQuestion(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := newChanging(t)
		ended := make(chan error, 8)
		old.add(t, "ask", func(ctx context.Context) (string, error) {
			r, err := mcp.Elicit(ctx, "sure", mcp.ElicitRequestFormParams{Message: "Sure?"})
			ended <- err
			return string(r.Action), err
		})
		s, up := front(t, mcpmount.UpstreamOptions{}, mcpmount.Upstream{Name: "old", Dial: mcpclient.InMemory(old.server), Revisions: []string{revision}})
		ready(t, up)
		var asked atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), mcpclient.Options{Revisions: []string{client}, OnElicit: func(asking context.Context, _ mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
			if asked.Add(1) == 1 {
				cancel()
				<-asking.Done()
				return mcp.ElicitResult{}, asking.Err()
			}
			return mcp.ElicitResult{Action: "accept"}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if _, err := c.CallTool(ctx, "ask", runtime.Raw{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatal("the handler of the upstream goes on")
		}
		if result, err := c.CallTool(t.Context(), "ask", runtime.Raw{}); err != nil || said(result) != "accept" {
			t.Error(said(result), err)
		}
	})
}

// TestDeclared: an entry that the schema declares is not replaced by one of an upstream, whose others are mounted; the log names it.
func TestDeclared(t *testing.T) {
	old := newChanging(t)
	old.add(t, "book", func(context.Context) (string, error) { return "of the old server", nil })
	old.add(t, "other", func(context.Context) (string, error) { return "of the old server", nil })
	var log strings.Builder
	up, err := mcpmount.NewUpstreams(mcpmount.UpstreamOptions{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))},
		mcpmount.Upstream{Name: "old", Dial: mcpclient.InMemory(old.server)})
	if err != nil {
		t.Fatal(err)
	}
	s := rpc.NewServer(written{}, mcp.Options{Logger: office.Options.Logger, Dynamic: up})
	ready(t, up)
	c := office.Connect(t, mcpclient.InMemory(s), mcp.Revision20260728)
	if got := office.Answer(t, c, "tools/call", `{"name":"book","arguments":{"room":"Bell"}}`); !strings.Contains(got, `{"id":7,`) {
		t.Error(got)
	}
	if got := office.Answer(t, c, "tools/call", `{"name":"other"}`); !strings.Contains(got, "of the old server") {
		t.Error(got)
	}
	up.Close()
	s.Close()
	if !strings.Contains(log.String(), "names=[book]") {
		t.Error(log.String())
	}
}
