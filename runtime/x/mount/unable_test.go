package mount_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/office"
)

// TestUnable: a client that has not declared what a question of an upstream over HTTP needs is not asked. The handler of the upstream gets the error that
// it would get from such a client, its call ends as it would there, and the next call is answered.
func TestUnable(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := newChanging(t)
		errs := make(chan error, 8)
		for name, ask := range map[string]func(ctx context.Context) error{
			"elicit": func(ctx context.Context) error {
				_, err := mcp.Elicit(ctx, "a", mcp.ElicitRequestFormParams{Message: "Sure?"})
				return err
			},
			"sample": func(ctx context.Context) error {
				_, err := mcp.Sample(ctx, "a", mcp.CreateMessageRequestParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{}})
				return err
			},
			"roots": func(ctx context.Context) error {
				_, err := mcp.Roots(ctx, "a")
				return err
			},
		} {
			old.add(t, name, func(ctx context.Context) (string, error) {
				err := ask(ctx)
				errs <- err
				return "no error", err
			})
		}
		old.add(t, "quick", func(context.Context) (string, error) { return "done", nil })
		h := mcphttp.NewHandler(old.server, mcphttp.Options{Runtime: runtime.Options{Logger: office.Options.Logger}})
		served := httptest.NewServer(h)
		t.Cleanup(func() { h.Close(); served.CloseClientConnections(); served.Close() })
		d := &dying{dial: mcphttp.Dial(served.URL, mcphttp.ClientOptions{Runtime: runtime.Options{Logger: office.Options.Logger}})}
		s, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: d.Dial, Revisions: []string{revision}})
		ready(t, up)
		connect := func(dial mcpclient.Dialer) *office.User {
			c, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Revisions: []string{client}, Logger: office.Options.Logger})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			return &office.User{Client: c}
		}
		direct, through := connect(mcpclient.InMemory(old.server)), connect(mcpclient.InMemory(s))
		for _, name := range []string{"elicit", "sample", "roots"} {
			call := fmt.Sprintf(`{"name":%q}`, name)
			want, lacks := office.Answer(t, direct, "tools/call", call), fmt.Sprint(<-errs)
			got := office.Answer(t, through, "tools/call", call)
			switch err := fmt.Sprint(<-errs); { // the handler has returned, too
			case revision != mcp.Revision20260728 && err != lacks, revision == mcp.Revision20260728 && !strings.HasPrefix(err, "the client has to answer first"):
				t.Errorf("%s: the handler got %s, want %s", name, err, lacks)
			case revision == client || revision == mcp.Revision20260728:
				if got != want {
					t.Errorf("%s: got %s, want %s", name, got, want)
				}
			case !strings.Contains(got, `"name":"MissingCapability"`) || !strings.Contains(got, `"isError":true`):
				t.Errorf("%s: got %s", name, got)
			}
			if got := office.Answer(t, through, "tools/call", `{"name":"quick"}`); !strings.Contains(got, "done") {
				t.Error(got)
			}
		}
		if d.made != 1 {
			t.Errorf("%d connections", d.made)
		}
	})
}
