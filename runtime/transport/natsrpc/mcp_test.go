package natsrpc

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/office"
)

// TestUpstreamTooLarge: a stateless MCP server is an upstream of another one over NATS. A question, the answer of a client to it, or a result that is
// over the payload of NATS fails its call, which is carried out once at most, and the next one succeeds.
func TestUpstreamTooLarge(t *testing.T) {
	const most = 64 << 10
	for _, revision := range office.Revisions {
		s := newSite(t, func(o *server.Options) { o.MaxPayload = most })
		large, calls := "", 0
		pad := func(what string) string {
			if what == large {
				return strings.Repeat("x", 2*most)
			}
			return ""
		}
		set := mcpdynamic.New(mcpdynamic.Options{})
		s.serve(office.Front(set), Options{})
		if err := set.AddTools(mcpdynamic.Tool{Name: "ask", Call: func(ctx context.Context, _ runtime.Raw) (runtime.Appender, error) {
			r, err := mcp.Elicit(ctx, "sure", mcp.ElicitRequestFormParams{Message: "Sure?" + pad("question")})
			if err != nil {
				return nil, err
			}
			calls++
			return mcpdynamic.Text(string(r.Action) + pad("result")), nil
		}}); err != nil {
			t.Fatal(err)
		}
		dial := func(_ context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			return Dial(s.connect(), subject, inbound, ClientOptions{})
		}
		up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: quiet}, mount.Upstream{Name: "old", Dial: dial, Revisions: []string{mcp.Revision20260728}})
		if err != nil {
			t.Fatal(err)
		}
		front := office.Front(up)
		t.Cleanup(func() { up.Close(); front.Close() })
		if err := up.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(front), mcpclient.Options{Revisions: []string{revision}, Logger: quiet, OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
			return mcp.ElicitResult{Action: "accept", Content: map[string]mcp20260728.ElicitResultContentValue{"why": mcp20260728.ElicitResultContentValueString(pad("answer"))}}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		for _, tt := range []struct {
			large, want string
			calls       int
		}{
			{"question", "-32603", 0}, {"", "accept", 1}, {"answer", "65536 bytes", 0}, {"", "accept", 1}, {"result", "-32603", 1}, {"", "accept", 1},
		} {
			large, calls = tt.large, 0
			result, err := c.CallTool(t.Context(), "ask", runtime.Raw{})
			got := fmt.Sprint(err)
			for _, block := range result.Content {
				got += block.(*mcp.TextContent).Text
			}
			if calls != tt.calls || !strings.Contains(got, tt.want) || (err == nil && !result.IsError.Or(false)) != (tt.large == "") {
				t.Errorf("%s: a %s that is too large: %d calls, %.200s", revision, tt.large, calls, got)
			}
		}
	}
}
