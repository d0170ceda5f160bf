package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount/mcpgo"
	"github.com/rpcgen-go/rpcgen/test/office"
)

var host = office.Host[*server.MCPServer]{
	New: func() *server.MCPServer {
		s := server.NewMCPServer("old", "1.0.0", server.WithLogging(), server.WithElicitation(), server.WithRoots())
		s.EnableSampling()
		booked := func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return sdk.NewToolResultStructured(map[string]bool{"booked": true}, "booked"), nil
		}
		for n := range 20 {
			s.AddTool(sdk.NewTool(fmt.Sprintf("old_%02d", n), sdk.WithDescription("An old tool."), sdk.WithString("room", sdk.Required()), sdk.WithArray("tags")), booked)
		}
		s.AddPrompt(sdk.NewPrompt("old_prompt"), nil)
		s.AddResource(sdk.NewResource("old://resource", "old"), nil)
		s.AddResourceTemplate(sdk.NewResourceTemplate("old://{name}", "old"), nil)
		return s
	},
	Tool:        func(s *server.MCPServer, name string) { s.AddTool(sdk.NewTool(name), nil) },
	Add:         mcpgo.Add,
	Dial:        mcpgo.Dial,
	Differences: "testdata/differences.txt",
	Inside:      "testdata/inside.txt",
}

func TestHost(t *testing.T) { host.Run(t) }

// TestUnwritable: a list that mcp-go cannot write is an error at once, and does not keep other calls waiting.
func TestUnwritable(t *testing.T) {
	s := host.New()
	s.AddTool(sdk.Tool{Name: "odd", RawInputSchema: json.RawMessage(`{`)}, nil)
	for _, revision := range office.Revisions {
		c := office.Connect(t, mcpgo.Dial(s), revision)
		for call, want := range map[string]string{"tools/list": "Internal error", "prompts/list": "old_prompt"} {
			if got := office.Answer(t, c, call, "{}"); !strings.Contains(got, want) {
				t.Errorf("%s, %s: %s", revision, call, got)
			}
		}
	}
}

// TestOddList: a tool whose schema has a member twice, which mcp-go lists as it is, makes a server that mounts it leave the list of tools out, and say so. The others
// are offered.
func TestOddList(t *testing.T) {
	for _, revision := range office.Revisions {
		s := host.New()
		s.AddTool(sdk.Tool{Name: "odd", RawInputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"a":{}}}`)}, nil)
		up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: office.Options.Logger}, mount.Upstream{Name: "sdk", Dial: mcpgo.Dial(s), Revisions: []string{revision}})
		if err != nil {
			t.Fatal(err)
		}
		inside := office.Front(up)
		t.Cleanup(func() { up.Close(); inside.Close() })
		if err := up.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		tools, prompts := office.Entries(t, mcpclient.InMemory(inside), revision, "tools"), office.Entries(t, mcpclient.InMemory(inside), revision, "prompts")
		if omitted := fmt.Sprint(up.Status()[0].Omitted); len(tools) != 0 || len(prompts) != 1 || !strings.Contains(omitted, "the list of tools is not valid") {
			t.Errorf("%s: %v, %v, and %s", revision, tools, prompts, omitted)
		}
	}
}

func TestGrowth(t *testing.T) { office.TestGrowth(t) }

func BenchmarkCalls(b *testing.B) { host.Bench(b) }
