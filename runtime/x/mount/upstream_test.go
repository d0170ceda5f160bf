package mount_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/office"
	rpc "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

// front returns a server without entries of its own that offers those of others.
func front(t *testing.T, o mount.UpstreamOptions, all ...mount.Upstream) (*mcp.Server, *mount.Upstreams) {
	t.Helper()
	if o.Logger == nil {
		o.Logger = office.Options.Logger
	}
	up, err := mount.NewUpstreams(o, all...)
	if err != nil {
		t.Fatal(err)
	}
	s := office.Front(up)
	t.Cleanup(func() { up.Close(); s.Close() })
	return s, up
}

// ready waits for the upstreams.
func ready(t *testing.T, up *mount.Upstreams) {
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
		s, up := front(t, mount.UpstreamOptions{ClientName: "user"}, mount.Upstream{Name: "old", Dial: mcpclient.InMemory(old), Revisions: []string{revision}})
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
	s, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: mcpclient.InMemory(old), Prefix: "old."})
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
		up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: office.Options.Logger, ClientName: "user"}, mount.Upstream{Name: "old", Dial: mcpclient.InMemory(old), Revisions: []string{revision}})
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
	up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: office.Options.Logger}, mount.Upstream{Name: "old", Dial: mcpclient.InMemory(office.New(office.Options))})
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
		up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: office.Options.Logger}, mount.Upstream{Name: "old", Dial: mcpclient.InMemory(old)})
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
	up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: office.Options.Logger, Explain: func(err error) string { return "it is " + err.Error() }},
		mount.Upstream{Name: "old", Dial: func(context.Context, runtime.Handler) (runtime.Conn, error) { return nil, errors.New("away") }})
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
	for want, all := range map[string][]mount.Upstream{
		`the upstream "": its name has 1 to 64`:                               {{Dial: dial}},
		`the upstream "a b": its name has 1 to 64`:                            {{Name: "a b", Dial: dial}},
		`the upstream "a": Dial is missing`:                                   {{Name: "a"}},
		`the upstream "a": its prefix "a/" has other characters`:              {{Name: "a", Dial: dial, Prefix: "a/"}},
		`the upstream "a": its timeout is negative`:                           {{Name: "a", Dial: dial, Timeout: -1}},
		`the upstream "a": there is another one with this name`:               {{Name: "a", Dial: dial}, {Name: "a", Dial: dial, Prefix: "b"}},
		`the upstream "b": "a" has the same prefix "": give one of them anot`: {{Name: "a", Dial: dial}, {Name: "b", Dial: dial}},
	} {
		if _, err := mount.NewUpstreams(mount.UpstreamOptions{}, all...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestNotReady: a server that cannot be reached is named, with the reason, as soon as the first attempt has failed; its calls fail, and those of others
// do not.
func TestNotReady(t *testing.T) {
	s, up := front(t, mount.UpstreamOptions{},
		mount.Upstream{Name: "gone", Dial: stdio.Dial(exec.Command("/no/such/program")), Prefix: "gone."},
		mount.Upstream{Name: "ends", Dial: stdio.Dial(exec.Command("sh", "-c", "read line; echo no token >&2; exit 3")), Prefix: "ends."},
		mount.Upstream{Name: "works", Dial: mcpclient.InMemory(office.New(office.Options))})
	began := time.Now()
	err := up.Ready(t.Context())
	for _, want := range []string{`the server "gone" is not connected: `, "no such file", `the server "ends" is not connected: `, "exit status 3", "no token"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if took := time.Since(began); took > time.Minute {
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

// TestDeclared: an entry that the schema declares is not replaced by one of an upstream, whose others are mounted; the log names it.
func TestDeclared(t *testing.T) {
	old := newChanging(t)
	old.add(t, "book", func(context.Context) (string, error) { return "of the old server", nil })
	old.add(t, "other", func(context.Context) (string, error) { return "of the old server", nil })
	var log strings.Builder
	up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))},
		mount.Upstream{Name: "old", Dial: mcpclient.InMemory(old.server)})
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

// sendsNoChanges is a server that ends a subscription at once, because it sends no changes.
const sendsNoChanges = `while read -r line; do
	id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
	case $line in
	*'"server/discover"'*) result='"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"' ;;
	*'"tools/list"'*) result='"tools":[{"name":"greet","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"private"' ;;
	*'"subscriptions/listen"'*)
		printf '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":{}}}\n' "$id"
		result='"_meta":{"io.modelcontextprotocol/subscriptionId":'$id'}' ;;
	*) continue ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s}}\n' "$id" "$result"
done`

func TestNoListChanges(t *testing.T) {
	_, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: stdio.Dial(exec.Command("sh", "-c", sendsNoChanges)), Revisions: []string{"2026-07-28"}})
	ready(t, up)
	for range 20 {
		if s := up.Status()[0]; s.Err != nil || len(s.Tools) != 1 {
			t.Fatal(s)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// tokens counts the messages to a server that ask for progress.
type tokens struct {
	closing
	asked *atomic.Int32
}

func (c tokens) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	if bytes.Contains(msg, []byte(`"progressToken"`)) {
		c.asked.Add(1)
	}
	return c.closing.Call(ctx, id, msg)
}

type closing interface {
	runtime.Conn
	Close() error
}

// TestProgressUnasked: an upstream is asked for progress for those calls whose client has asked for it.
func TestProgressUnasked(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := newChanging(t)
		old.add(t, "hello", func(context.Context) (string, error) { return "hello", nil })
		var asked atomic.Int32
		s, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "old", Revisions: []string{revision},
			Dial: func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
				conn, err := mcpclient.InMemory(old.server)(ctx, inbound)
				return tokens{conn.(closing), &asked}, err
			}})
		ready(t, up)
		c := office.Connect(t, mcpclient.InMemory(s), client)
		for i, ctx := range []context.Context{t.Context(), mcpclient.WithProgress(t.Context(), func(mcpclient.ProgressReport) {})} {
			if _, err := c.CallTool(ctx, "hello", runtime.Raw{}); err != nil || asked.Load() != int32(i) {
				t.Errorf("%d messages have asked, want %d; %v", asked.Load(), i, err)
			}
		}
	})
}
