package mount_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/office"
	rpc "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

// asked returns a server with entries that have the names of those of the schemas, and the number of requests that it got for them.
func asked(t *testing.T) (*mcp.Server, *atomic.Int64) {
	set, n := mcpdynamic.New(mcpdynamic.Options{}), new(atomic.Int64)
	old := office.Front(set)
	t.Cleanup(func() { old.Close() })
	read := func(_ context.Context, uri string) (runtime.Appender, error) {
		n.Add(1)
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{&mcp.TextResourceContents{URI: uri, Text: "[]"}}}, nil
	}
	complete := func(context.Context, string, mcp.Completing) ([]string, error) {
		n.Add(1)
		return []string{"secret"}, nil
	}
	call := func(context.Context, runtime.Raw) (runtime.Appender, error) {
		n.Add(1)
		return mcpdynamic.Text("secret"), nil
	}
	get := func(context.Context, map[string]string) (runtime.Appender, error) {
		n.Add(1)
		return &mcp.GetPromptResult{}, nil
	}
	err := errors.Join(
		set.AddTools(mcpdynamic.Tool{Name: "draw", Unchecked: true, Call: call}, mcpdynamic.Tool{Name: "count_stock", Unchecked: true, Call: call}),
		set.AddPrompts(mcpdynamic.Prompt{Name: rpc.PromptInvite, Complete: complete, Get: get}),
		set.AddResources(mcpdynamic.Resource{Name: "plan", URI: "office://plan", Read: read}),
		set.ReplaceTemplates(nil, mcpdynamic.Template{Name: "room", URITemplate: rpc.TemplateRoom, Complete: complete, Read: read}))
	if err != nil {
		t.Fatal(err)
	}
	return old, n
}

// TestPassOnHidden: for a client that does not see the entries of a server, what is passed on is answered as if that server were not there, and the server is not
// asked. The client that sees them has its answers.
func TestPassOnHidden(t *testing.T) {
	old, n := asked(t)
	onlyAnn := func(ctx context.Context, from mount.Origin) bool {
		return from.Upstream != "old" || mcp.PrincipalFrom(ctx) == "ann"
	}
	serve := func(taskful bool, all ...mount.Upstream) string {
		up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: office.Options.Logger, Visible: onlyAnn}, all...)
		if err != nil {
			t.Fatal(err)
		}
		o := mcp.Options{Logger: office.Options.Logger, Dynamic: up, Middleware: []mcp.Middleware{up.PassOn}}
		var s *mcp.Server
		if taskful {
			o.Tasks = tasks()
			s = toolbox.NewServer(toolbox.UnimplementedServer{}, o)
		} else {
			s = rpc.NewServer(rpc.UnimplementedServer{}, o)
		}
		web := httptest.NewServer(mcphttp.NewHandler(s, mcphttp.Options{Auth: mcphttp.Tokens(map[string]string{"1": "ann", "2": "bob"})}))
		t.Cleanup(func() { s.Shutdown(context.Background()); web.Close(); up.Close(); s.Close() })
		ready(t, up)
		return web.URL
	}
	answers := func(url, token, revision string, taskful bool) (all []string) {
		c := office.Connect(t, mcphttp.Dial(url, mcphttp.ClientOptions{Header: http.Header{"Authorization": {"Bearer " + token}}}), revision)
		if taskful {
			task, err := c.StartTool(t.Context(), "count_stock", noArguments)
			if err != nil {
				return []string{err.Error()}
			}
			result, err := task.Wait(t.Context())
			return []string{fmt.Sprint(said(result), err)}
		}
		for _, call := range []struct{ method, params string }{
			{"tools/call", `{"name":"draw","arguments":{"room":"Bell"}}`},
			{"prompts/get", `{"name":"invite","arguments":{"to":"Ann"}}`},
			{"resources/read", `{"uri":"office://plan"}`},
			{"resources/read", `{"uri":"office://rooms/Bell"}`},
		} {
			all = append(all, office.Answer(t, c, call.method, call.params))
		}
		prompt, err := c.CompletePrompt(t.Context(), rpc.PromptInvite, "to", "a", nil)
		all = append(all, fmt.Sprint(prompt.Values, err))
		template, err := c.CompleteTemplate(t.Context(), rpc.TemplateRoom, "name", "a", nil)
		return append(all, fmt.Sprint(template.Values, err))
	}
	for _, taskful := range []bool{false, true} {
		with, without := serve(taskful, mount.Upstream{Name: "old", Dial: mcpclient.InMemory(old)}), serve(taskful)
		for _, revision := range []string{mcp.Revision20251125, mcp.Revision20260728} {
			before := n.Load()
			got, want := answers(with, "2", revision, taskful), answers(without, "2", revision, taskful)
			if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
				t.Errorf("%s: bob gets\n%s\nwant\n%s", revision, a, b)
			}
			if n.Load() != before {
				t.Errorf("%s: the server was asked for bob %d times", revision, n.Load()-before)
			}
			for i, one := range answers(with, "1", revision, taskful) {
				if one == want[i] {
					t.Errorf("%s: ann gets %s", revision, one)
				}
			}
			if got := n.Load() - before; got != int64(len(want)) {
				t.Errorf("%s: the server was asked for ann %d times, want %d", revision, got, len(want))
			}
		}
	}
}
