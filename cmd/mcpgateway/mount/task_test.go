package mount_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// stock is counted by a tool that can run as a task. With a colour, it is counted until the task is cancelled.
type stock struct {
	toolbox.UnimplementedServer
	ended chan error
}

func (s stock) CountStock(ctx context.Context, in toolbox.CountStockInput) (out toolbox.CountStockOutput, err error) {
	if err = mcp.Progress(ctx, 3, 100, "counting"); err != nil || in.Colour.IsSet() {
		<-ctx.Done()
		s.ended <- ctx.Err()
		return out, ctx.Err()
	}
	r, err := mcp.Elicit(ctx, "sure", mcp.ElicitRequestFormParams{Message: "Sure?"})
	if err == nil && r.Action == "accept" {
		out.Counted = 7
	}
	return out, err
}

// TestTasks: a tool that runs as a task of the gateway runs as a task of its server, for each pair of revisions with tasks. Progress, a question,
// the result and a cancellation pass, and others than the principal who has started the task do not find it.
func TestTasks(t *testing.T) {
	ended := make(chan error, 1)
	srv := toolbox.NewServer(stock{ended: ended}, mcp.Options{Logger: quiet, Tasks: mcptask.New(mcptask.Options{PollInterval: 10 * time.Millisecond})})
	back := httptest.NewServer(mcphttp.NewHandler(srv, mcphttp.Options{}))
	t.Cleanup(func() { srv.Close(); back.Close() })
	revisions := []string{mcp.Revision20251125, mcp.Revision20260728}
	for _, upstream := range revisions {
		g := start(t, config(t, "servers: {up: {url: "+back.URL+", revisions: ["+upstream+"]}}\nprincipals: {ann: {token: token-of-ann, allow: ['*']}, bob: {token: token-of-bob, allow: ['*']}}"), mount.Options{})
		front := httptest.NewServer(g.HTTP(mcphttp.Options{}))
		t.Cleanup(front.Close)
		for _, downstream := range revisions {
			t.Run(upstream+"/"+downstream, func(t *testing.T) {
				as := func(token string) *mcpclient.Client {
					return connect(t, mcphttp.Dial(front.URL, mcphttp.ClientOptions{Token: mcphttp.StaticToken(token)}), mcpclient.Options{Revisions: []string{downstream},
						OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
							return mcp.ElicitResult{Action: "accept"}, nil
						}})
				}
				ann, bob := as("token-of-ann"), as("token-of-bob")
				task, err := ann.StartTool(t.Context(), "up_count_stock", mcpdynamic.JSON(`{}`))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := bob.ToolTask("up_count_stock", task.ID()).Status(t.Context()); err == nil {
					t.Error("bob finds the task of ann")
				}
				if result, err := task.Wait(t.Context()); err != nil || !strings.Contains(said(result), `{"counted":7}`) {
					t.Error(said(result), err)
				}
				task, err = ann.StartTool(t.Context(), "up_count_stock", mcpdynamic.JSON(`{"colour":"red"}`))
				if err != nil {
					t.Fatal(err)
				}
				await.Until(t, "the progress is in the state of the task", func() bool {
					state, err := task.Status(t.Context())
					return err == nil && state.Message == "counting (3 of 100)"
				})
				if err := task.Cancel(t.Context()); err != nil {
					t.Error(err)
				}
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Error("the task of the server has ended with", err)
				}
				if _, err := task.Wait(t.Context()); !errors.Is(err, mcpclient.ErrTaskCancelled) {
					t.Error(err)
				}
			})
		}
	}
}
