package profiles_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/schema/hosts"
	profiles "github.com/rpcgen-go/rpcgen/test/profiles/rpc"
)

var quiet = slog.New(slog.DiscardHandler)

// canvas keeps the last input.
type canvas struct {
	profiles.UnimplementedServer
	drawn profiles.DrawInput
	raw   profiles.RawInput
}

func (c *canvas) Draw(_ context.Context, in profiles.DrawInput) (profiles.DrawOutput, error) {
	c.drawn = in
	return profiles.DrawOutput{Done: true}, nil
}

func (c *canvas) Raw(_ context.Context, in profiles.RawInput) error {
	c.raw = in
	return nil
}

var eras = map[string]mcp.Era{"stateless": mcp.Stateless, "handshake": mcp.Handshake}

// connect connects a client with a name to a server, in memory.
func connect(t *testing.T, s profiles.Server, name string, era mcp.Era, o mcp.Options) *mcpclient.Client {
	t.Helper()
	o.Logger = quiet
	server := profiles.NewServer(s, o)
	c, err := mcpclient.Connect(t.Context(), func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		a, b := pipe.New(0)
		session := runtime.NewSession(context.WithoutCancel(ctx), b, server, runtime.Options{Logger: quiet})
		t.Cleanup(func() {
			session.Close()
			_ = session.Wait()
		})
		return runtime.NewSession(context.WithoutCancel(ctx), a, inbound, runtime.Options{Logger: quiet}), nil
	}, mcpclient.Options{Name: name, Era: era, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// listed returns the entries of the tools that a client gets, joined.
func listed(t *testing.T, c *mcpclient.Client) string {
	t.Helper()
	var all []string
	for entry, err := range mcpclient.Entries(t.Context(), c, "tools") {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, entry.String())
	}
	return "[" + strings.Join(all, ",") + "]"
}

// lists returns the plain listing, and those of the profiles.
func lists(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	plain := connect(t, &canvas{}, "another", mcp.Stateless, mcp.Options{})
	all[""] = listed(t, plain)
	for _, p := range []string{"gemini", "openai-strict"} {
		c := connect(t, &canvas{}, "another", mcp.Stateless, mcp.Options{Profile: func(mcp.Caller) string { return p }})
		all[p] = listed(t, c)
	}
	if all[""] == all["gemini"] || all[""] == all["openai-strict"] || all["gemini"] == all["openai-strict"] || !strings.Contains(all["gemini"], `"nullable":true`) || !strings.Contains(all["openai-strict"], `["string","null"]`) {
		t.Fatal(all)
	}
	return all
}

// TestClients: a client of each host gets the listing of the API that the host sends tools to, in both eras, paged or not, and all others the plain one.
func TestClients(t *testing.T) {
	want := lists(t)
	clients := map[string]string{"gemini-cli-mcp-client": "gemini", "gemini-cli-mcp-client-office": "gemini", "codex-mcp-client": "openai-strict", "my-own": "", "": ""}
	for _, h := range hosts.Known().All() {
		for _, name := range h.Clients {
			if _, known := clients[name]; !known {
				clients[name] = "" // it sends tools to several APIs
			}
		}
	}
	if len(clients) < 8 {
		t.Fatal(clients)
	}
	for name, p := range clients {
		for era, e := range eras {
			for _, size := range []int{0, 1, 2} {
				if got := listed(t, connect(t, &canvas{}, name, e, mcp.Options{PageSize: size})); got != want[p] {
					t.Errorf("%s, %s, pages of %d: got\n%s, want that of %q", name, era, size, got, p)
				}
			}
		}
	}
}

// TestChoice: a function of the server decides, also for clients that are known. A name that is not that of a profile stands for the plain listing.
func TestChoice(t *testing.T) {
	want := lists(t)
	for chosen, p := range map[string]string{"gemini": "gemini", "openai-strict": "openai-strict", "": "", "another": ""} {
		for _, e := range eras {
			var asked mcp.Caller
			c := connect(t, &canvas{}, "gemini-cli-mcp-client", e, mcp.Options{Profile: func(client mcp.Caller) string { asked = client; return chosen }})
			if got := listed(t, c); got != want[p] || asked.Name != "gemini-cli-mcp-client" || asked.Era != e {
				t.Errorf("%q, for %+v: %s", chosen, asked, got)
			}
		}
	}
}

// TestDynamic: tools that are added follow in every listing, as they are; tools that a principal does not see are in none.
func TestDynamic(t *testing.T) {
	want := lists(t)
	for name, p := range map[string]string{"gemini-cli-mcp-client": "gemini", "codex-mcp-client": "openai-strict", "x": ""} {
		for era, e := range eras {
			for _, size := range []int{0, 1} {
				set := mcpdynamic.New(mcpdynamic.Options{Visible: func(_ context.Context, _ mcpdynamic.List, key string) bool { return key != "clear" }})
				c := connect(t, &canvas{}, name, e, mcp.Options{Dynamic: set, PageSize: size})
				err := set.AddTools(mcpdynamic.Tool{Name: "more", InputSchema: mcpdynamic.JSON(`{"type":"object","properties":{"a":{"const":1}}}`),
					Call: func(context.Context, runtime.Raw) (runtime.Appender, error) { return mcpdynamic.Text("done"), nil }})
				if err != nil {
					t.Fatal(err)
				}
				got := listed(t, c)
				var tools []struct{ Name string }
				if err := json.Unmarshal([]byte(got), &tools); err != nil || fmt.Sprint(tools) != "[{draw} {raw} {more}]" {
					t.Errorf("%s, %s: %v, %v", name, era, tools, err)
				}
				first, _, _ := strings.Cut(want[p], `,{"name":"clear"`)
				if !strings.HasPrefix(got, first) || !strings.Contains(got, `{"a":{"const":1}}`) {
					t.Errorf("%s, %s: got\n%s, want the beginning\n%s", name, era, got, first)
				}
				if out, err := c.CallTool(t.Context(), "more", mcpdynamic.JSON(`{"a":1}`)); err != nil || out.IsError.Or(false) {
					t.Error(out, err)
				}
			}
		}
	}
}

// TestCache: a result that differs from client to client is private.
func TestCache(t *testing.T) {
	for _, o := range []mcp.Options{{}, {Dynamic: mcpdynamic.New(mcpdynamic.Options{})}} {
		o.Logger = quiet
		d := runtime.NewDispatcher(profiles.NewServer(&canvas{}, o), runtime.Options{Logger: quiet})
		for _, name := range []string{"gemini-cli-mcp-client", "another"} {
			got := string(d.Dispatch(t.Context(), nil, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":%q,"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, name)))
			if !strings.Contains(got, `"cacheScope":"private"`) || strings.Contains(got, "public") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

// TestStrict: what a strict client sends becomes what the schema has: null is absent, unless it is a value, and lists of names and values are maps.
func TestStrict(t *testing.T) {
	const strict = `{"figure":{"kind":"square","side":2,"tags":[{"name":"a","value":"b"}]},"figures":[{"kind":"circle","radius":1,"label":null}],"shade":null,"level":3,
		"node":{"name":"top","weight":null,"below":[{"name":"leaf","weight":1,"below":null,"next":null}],"next":{"name":"other","weight":null,"below":null,"next":null}},
		"name":null,"link":null,"at":null,"sure":null,"either":"x","size":[1,2],"lengths":null,"colours":[{"name":"roof","value":"dark"},{"name":"a\"b","value":"light"}],
		"nested":[{"name":"a","value":[{"name":"b","value":2}]}],"note":null,"data":null}`
	const plain = `{"figure":{"kind":"square","side":2,"tags":{"a":"b"}},"figures":[{"kind":"circle","radius":1}],"level":3,
		"node":{"name":"top","below":[{"name":"leaf","weight":1,"next":null}],"next":{"name":"other","next":null}},
		"either":"x","size":[1,2],"colours":{"roof":"dark","a\"b":"light"},"nested":{"a":{"b":2}},"note":null,"data":null}`
	for era, e := range eras {
		want, got := &canvas{}, &canvas{}
		if out, err := connect(t, want, "another", e, mcp.Options{}).CallTool(t.Context(), "draw", mcpdynamic.JSON(plain)); err != nil || out.IsError.Or(false) {
			t.Fatal(out, err)
		}
		c := connect(t, got, "codex-mcp-client", e, mcp.Options{})
		if out, err := c.CallTool(t.Context(), "draw", mcpdynamic.JSON(strict)); err != nil || out.IsError.Or(false) {
			t.Fatal(era, out, err)
		}
		if !reflect.DeepEqual(got.drawn, want.drawn) || got.drawn.Name != "x" || got.drawn.Colours[`a"b`] != "light" {
			t.Errorf("%s: got\n%+v, want\n%+v", era, got.drawn, want.drawn)
		}
		got.drawn = profiles.DrawInput{}
		if out, err := c.CallTool(t.Context(), "draw", mcpdynamic.JSON(plain)); err != nil || out.IsError.Or(false) || !reflect.DeepEqual(got.drawn, want.drawn) {
			t.Errorf("%s: plain arguments of a strict client: %v, %v, %+v", era, out, err, got.drawn)
		}
		if out, err := connect(t, got, "another", e, mcp.Options{}).CallTool(t.Context(), "draw", mcpdynamic.JSON(strict)); err != nil || !out.IsError.Or(false) {
			t.Errorf("%s: strict arguments of another client: %v, %v", era, out, err)
		}
		for arguments, refused := range map[string]bool{`{"id":null,"name":"a","limit":5}`: false, `{"id":null,"name":"a","limit":5,"more":null}`: true, `{"id":5,"name":null,"limit":null}`: true} {
			out, err := c.CallTool(t.Context(), "raw", mcpdynamic.JSON(arguments))
			if err != nil || out.IsError.Or(false) != refused {
				t.Errorf("%s, %s: %v, %v", era, arguments, out, err)
			}
		}
		twice := strings.Replace(strict, `"name":"roof"`, `"name":"a\"b"`, 1)
		if out, err := c.CallTool(t.Context(), "draw", mcpdynamic.JSON(twice)); err != nil || !out.IsError.Or(false) {
			t.Errorf("%s: a name twice: %v, %v", era, out, err)
		}
	}
}
