package gosdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rpcgen-go/rpcgen/runtime/gen/scope"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount/gosdk"
	"github.com/rpcgen-go/rpcgen/test/office"
)

var host = office.Host[*sdk.Server]{
	New: func() *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1.0.0"}, nil)
		for n := range 20 {
			type in struct {
				Room  string   `json:"room" jsonschema:"the name of the room"`
				Seats int      `json:"seats,omitempty"`
				Tags  []string `json:"tags"`
			}
			type out struct {
				Booked bool `json:"booked"`
			}
			sdk.AddTool(s, &sdk.Tool{Name: fmt.Sprintf("old_%02d", n), Description: "An old tool."},
				func(context.Context, *sdk.CallToolRequest, in) (*sdk.CallToolResult, out, error) {
					return nil, out{true}, nil
				})
		}
		s.AddPrompt(&sdk.Prompt{Name: "old_prompt"}, nil)
		s.AddResource(&sdk.Resource{URI: "old://resource", Name: "old"}, nil)
		s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "old://{name}", Name: "old"}, nil)
		return s
	},
	Tool: func(s *sdk.Server, name string) {
		s.AddTool(&sdk.Tool{Name: name, Description: "An old tool.", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	},
	Add:         gosdk.Add,
	Dial:        gosdk.Dial,
	Differences: "testdata/differences.txt",
	Inside:      "testdata/inside.txt",
}

func TestHost(t *testing.T) { host.Run(t) }

// TestPrincipals: handlers see the user whose token the SDK has verified.
func TestPrincipals(t *testing.T) {
	users := map[string]string{"one": "ann", "two": "bob"}
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		if users[token] == "" {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: users[token], Expiration: time.Now().Add(time.Hour)}, nil
	}
	s := host.Mounted(t)
	for _, revision := range office.Revisions {
		handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: revision == mcp.Revision20260728})
		served := httptest.NewServer(auth.RequireBearerToken(verify, nil)(handler))
		t.Cleanup(served.Close) // after the clients
		var calling sync.WaitGroup
		for token, user := range users {
			c := office.Connect(t, mcphttp.Dial(served.URL, mcphttp.ClientOptions{Token: mcphttp.StaticToken(token)}), revision)
			for range 20 {
				calling.Go(func() {
					if got, want := office.Answer(t, c, "tools/call", `{"name":"whoami"}`), fmt.Sprintf(`"structuredContent":{"client":"user","user":%q}`, user); !strings.Contains(got, want) {
						t.Errorf("%s gets %s", user, got)
					}
				})
			}
		}
		calling.Wait()
	}
}

// TestOddList: a tool whose schema has a member twice, which go-sdk lists as it is, makes a server that mounts it leave the list of tools out, and say so. The others
// are offered.
func TestOddList(t *testing.T) {
	for _, revision := range office.Revisions {
		s := host.New()
		s.AddTool(&sdk.Tool{Name: "odd", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"a":{}}}`)}, nil)
		up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: office.Options.Logger}, mount.Upstream{Name: "sdk", Dial: gosdk.Dial(s), Revisions: []string{revision}})
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

// TestScopes: tools that are mounted need the scopes of the token that the SDK has verified.
func TestScopes(t *testing.T) {
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: "ann", Scopes: []string{token}, Expiration: time.Now().Add(time.Hour)}, nil
	}
	change := func(i *mcp.Info) { i.Permit = scope.Needs{Tools: map[string][]string{"search_items": {"look"}}}.Tool }
	s := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1.0.0"}, nil)
	if err := gosdk.Add(s, mcp.NewServer(&shop.Shop{Change: change}, mcp.Options{Logger: office.Options.Logger}), mount.Options{Only: []string{"search_items"}}); err != nil {
		t.Fatal(err)
	}
	for _, revision := range office.Revisions {
		handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: revision == mcp.Revision20260728})
		served := httptest.NewServer(auth.RequireBearerToken(verify, nil)(handler))
		t.Cleanup(served.Close) // after the clients
		for token, want := range map[string]string{"other": `"missing":["look"]`, "look": `"structuredContent"`} {
			c := office.Connect(t, mcphttp.Dial(served.URL, mcphttp.ClientOptions{Token: mcphttp.StaticToken(token)}), revision)
			if got := office.Answer(t, c, "tools/call", `{"name":"search_items","arguments":{"query":"tea"}}`); !strings.Contains(got, want) {
				t.Errorf("%s, with the scope %s: %s", revision, token, got)
			}
		}
	}
}
