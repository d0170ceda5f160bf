package mcphttp

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

var (
	_ mcpclient.CallCanceller = (*client)(nil)
	_ protocol.Canceller      = (*client)(nil)
	_ protocol.Canceller      = (*session)(nil)
	_ protocol.StreamCloser   = (*sessionCall)(nil)
)

func rawJSON(t *testing.T, text string) runtime.Raw {
	raw, err := wire.ParseRaw([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestClientOfMCP: the same program uses servers of either era, and of both, without knowing which it is; a wrapper of what serves the server
// changes nothing.
func TestClientOfMCP(t *testing.T) {
	for name, c := range map[string]struct {
		served []string
		era    mcp.Era
		want   string
	}{
		"both":                    {nil, 0, "2026-07-28"},
		"both, asked to shake":    {nil, mcp.Handshake, "2025-11-25"},
		"handshake only":          {[]string{"2025-03-26", "2025-06-18"}, 0, "2025-06-18"},
		"stateless only":          {[]string{"2026-07-28"}, 0, "2026-07-28"},
		"stateless only, known":   {[]string{"2026-07-28"}, mcp.Stateless, "2026-07-28"},
		"2025-11-25 only":         {[]string{"2025-11-25"}, 0, "2025-11-25"},
		"2025-11-25, no stranger": {[]string{"2025-11-25"}, mcp.Handshake, "2025-11-25"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, newWorkshop(c.served...), Options{Retry: 10 * time.Millisecond})
			var reports atomic.Int32
			changed := make(chan mcpclient.List, 9)
			dial := func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
				return Dial(s.HTTP.URL, ClientOptions{Runtime: runtime.Options{Logger: quiet}, CloseTimeout: 5 * time.Minute})(ctx, struct{ runtime.Handler }{inbound})
			}
			client, err := mcpclient.Connect(context.Background(), dial, mcpclient.Options{
				Logger: quiet, Era: c.era,
				OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
					return mcp.ElicitResult{Action: "decline"}, nil
				},
				OnProgress:    func(context.Context, mcpclient.ProgressReport) { reports.Add(1) },
				OnListChanged: func(_ context.Context, list mcpclient.List) { changed <- list },
			})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if got := client.Revision(); got != c.want {
				t.Error(got)
			}
			use(t, client)
			if reports.Load() != 3 {
				t.Error("reports:", reports.Load())
			}
			hear(t, s, client, changed)
			giveUp(t, s, client)
		})
	}
}

// use calls tools, one of which asks.
func use(t *testing.T, client *mcpclient.Client) {
	t.Helper()
	for tool, want := range map[string]string{"echo": `"said":"hi"`, "count": "counted", "ask": "decline", "panic": "Internal error"} {
		result, err := client.CallTool(context.Background(), tool, rawJSON(t, `{"text":"hi"}`))
		text, _ := wire.Marshal(&result)
		if err != nil {
			text = []byte(err.Error())
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

// hear listens to changes.
func hear(t *testing.T, s *site, client *mcpclient.Client, changed chan mcpclient.List) {
	t.Helper()
	sub, err := client.Listen(context.Background(), mcpclient.Changes{Tools: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Server.ToolsChanged()
	select {
	case <-changed:
	case <-time.After(time.Minute): // a busy machine takes less
		t.Error("the change was not heard of")
	}
	sub.Close()
}

// giveUp gives up a call, which the server hears of.
func giveUp(t *testing.T, s *site, client *mcpclient.Client) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-s.Begun
		cancel()
	}()
	if _, err := client.CallTool(ctx, "wait", rawJSON(t, `{}`)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-s.Cancelled
}
