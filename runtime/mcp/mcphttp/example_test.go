package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// books serves a part of what toolbox declares.
type books struct{ toolbox.UnimplementedServer }

func (books) LookUp(ctx context.Context, in toolbox.Query) (map[string]string, error) {
	return map[string]string{"text": in.Text, "caller": mcp.PrincipalFrom(ctx)}, nil
}

// A handler serves an MCP server at a URL, and Dial connects to one.
func ExampleNewHandler() {
	ctx := context.Background()
	handler := mcphttp.NewHandler(toolbox.NewServer(books{}, mcp.Options{}), mcphttp.Options{})
	site := httptest.NewServer(handler)
	defer site.Close()

	conn, err := mcpclient.Connect(ctx, mcphttp.Dial(site.URL, mcphttp.ClientOptions{}), mcpclient.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	found, err := toolbox.NewClient(conn).LookUp(ctx, toolbox.Query{Text: "tea"})
	fmt.Println(found["text"], err)
	// Output:
	// tea <nil>
}

// With Auth, every request needs a bearer token.
func ExampleAuth() {
	ctx := context.Background()
	handler := mcphttp.NewHandler(toolbox.NewServer(books{}, mcp.Options{}), mcphttp.Options{Auth: &mcphttp.Auth{
		Resource:             "http://localhost/mcp",
		AuthorizationServers: []string{"https://auth.example.com"},
		Verify: func(_ context.Context, token string, _ *http.Request) (mcphttp.Principal, error) {
			name, ok := strings.CutPrefix(token, "secret-of-")
			if !ok {
				return mcphttp.Principal{}, errors.New("unknown token")
			}
			return mcphttp.Principal{ID: name}, nil
		},
	}})
	site := httptest.NewServer(handler)
	defer site.Close()

	for _, token := range []string{"secret-of-ann", "guessed"} {
		conn, err := mcpclient.Connect(ctx, mcphttp.Dial(site.URL, mcphttp.ClientOptions{
			Token: func(context.Context, *mcphttp.Challenge) (string, error) { return token, nil },
		}), mcpclient.Options{})
		if err != nil {
			status, _ := errors.AsType[*mcphttp.StatusError](err)
			fmt.Println(status.Status)
			continue
		}
		found, err := toolbox.NewClient(conn).LookUp(ctx, toolbox.Query{Text: "tea"})
		fmt.Println(found["caller"], err)
		conn.Close()
	}
	// Output:
	// ann <nil>
	// 401
}
