package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	foreign "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestPeers has the clients of others for Go make calls through the balancer, each request of which comes to another replica.
func TestPeers(t *testing.T) {
	c, err := start(t.Context(), "127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.stop()
	url := "http://" + c.http.Addr + "/mcp"
	for name, visit := range map[string]func(ctx context.Context, url string) error{"go-sdk": visitByGoSDK, "mcp-go": visitByMCPGo} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := visit(ctx, url); err != nil {
				t.Error(err)
			}
		})
	}
}

// calls is how many calls of a kind a client makes: each replica gets several. Questions are declined, which the tool answers by isError.
const calls = 12

func visitByGoSDK(ctx context.Context, url string) error {
	var asked, progressed atomic.Int64
	var changes = make(chan struct{}, 10)
	c := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked.Add(1)
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progressed.Add(1) },
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			changes <- struct{}{}
		},
	})
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	if tools, err := session.ListTools(ctx, nil); err != nil || len(tools.Tools) < 5 {
		return errors.Join(errors.New("the tools are not listed"), err)
	}
	for i := range calls {
		for _, tool := range []string{"test_simple_text", "test_elicitation", "test_tool_with_progress"} {
			p := &mcp.CallToolParams{Name: tool, Arguments: map[string]any{}}
			if tool == "test_elicitation" {
				p.Arguments = map[string]any{"message": "Who?"}
			}
			p.SetProgressToken(tool + string(rune('a'+i)))
			r, err := session.CallTool(ctx, p)
			if err != nil {
				return fmt.Errorf("the call of %s fails: %w", tool, err)
			}
			if text, _ := json.Marshal(r.Content); r.IsError != (tool == "test_elicitation") || len(r.Content) == 0 {
				return fmt.Errorf("the call of %s is answered by %s", tool, text)
			}
		}
	}
	if asked.Load() != calls || progressed.Load() == 0 {
		return errors.New("the client was not asked each time, or has no progress")
	}
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "test_trigger_tool_change", Arguments: map[string]any{}}); err != nil {
		return err
	}
	select {
	case <-changes:
		return nil
	case <-ctx.Done():
		return errors.New("the client does not hear that the list of tools has changed")
	}
}

// elicitor answers questions of the server.
type elicitor struct{ asked atomic.Int64 }

func (e *elicitor) Elicit(context.Context, foreign.ElicitationRequest) (*foreign.ElicitationResult, error) {
	e.asked.Add(1)
	return &foreign.ElicitationResult{ElicitationResponse: foreign.ElicitationResponse{Action: foreign.ElicitationResponseActionDecline}}, nil
}

func visitByMCPGo(ctx context.Context, url string) error {
	way, err := transport.NewStreamableHTTP(url, transport.WithContinuousListening())
	if err != nil {
		return err
	}
	e, changes := new(elicitor), make(chan struct{}, 10)
	c := client.NewClient(way, client.WithElicitationHandler(e))
	defer c.Close()
	c.OnNotification(func(n foreign.JSONRPCNotification) {
		if n.Method == foreign.MethodNotificationToolsListChanged {
			changes <- struct{}{}
		}
	})
	if err := c.Start(ctx); err != nil {
		return err
	}
	hello := foreign.InitializeRequest{}
	hello.Params.ProtocolVersion, hello.Params.ClientInfo = "2025-11-25", foreign.Implementation{Name: "mcp-go", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return err
	}
	if tools, err := c.ListTools(ctx, foreign.ListToolsRequest{}); err != nil || len(tools.Tools) < 5 {
		return errors.Join(errors.New("the tools are not listed"), err)
	}
	for range calls {
		for _, tool := range []string{"test_simple_text", "test_elicitation", "test_tool_with_progress"} {
			q := foreign.CallToolRequest{}
			q.Params.Name, q.Params.Arguments = tool, map[string]any{}
			if tool == "test_elicitation" {
				q.Params.Arguments = map[string]any{"message": "Who?"}
			}
			r, err := c.CallTool(ctx, q)
			if err != nil {
				return fmt.Errorf("the call of %s fails: %w", tool, err)
			}
			if text, _ := json.Marshal(r.Content); r.IsError != (tool == "test_elicitation") || len(r.Content) == 0 {
				return fmt.Errorf("the call of %s is answered by %s", tool, text)
			}
		}
	}
	if e.asked.Load() != calls {
		return errors.New("the client was not asked each time")
	}
	q := foreign.CallToolRequest{}
	q.Params.Name, q.Params.Arguments = "test_trigger_tool_change", map[string]any{}
	if _, err := c.CallTool(ctx, q); err != nil {
		return err
	}
	select {
	case <-changes:
		return nil
	case <-ctx.Done():
		return errors.New("the client does not hear that the list of tools has changed")
	}
}
