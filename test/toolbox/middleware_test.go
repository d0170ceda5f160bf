package toolbox_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// audited notes what is ordered, around any server.
type audited struct {
	toolbox.Server
	log *slog.Logger
}

func (a audited) PlaceOrder(ctx context.Context, in toolbox.PlaceOrderInput) (toolbox.PlaceOrderOutput, error) {
	out, err := a.Server.PlaceOrder(ctx, in)
	if err == nil {
		a.log.InfoContext(ctx, "ordered", "sku", in.Sku, "count", in.Count, "order", out.OrderID)
	}
	return out, err
}

// TestTypedMiddleware: a server that embeds another stands around its tools, with their inputs and outputs.
func TestTypedMiddleware(t *testing.T) {
	for _, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
		var out bytes.Buffer
		srv := toolbox.NewServer(audited{box{}, slog.New(slog.NewTextHandler(&out, nil))}, mcp.Options{})
		conn, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), mcpclient.Options{
			Era: era,
			OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
				var r mcp.ElicitResult
				return r, r.UnmarshalJSON([]byte(`{"action":"accept","content":{"ok":true}}`))
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		c := toolbox.NewClient(conn)
		if _, err := c.PlaceOrder(t.Context(), toolbox.PlaceOrderInput{Sku: "ABC-0001", Count: 2}); err != nil {
			t.Error(err)
		}
		if _, err := c.PlaceOrder(t.Context(), toolbox.PlaceOrderInput{Sku: "ABC-0003", Count: 2}); err == nil {
			t.Error("it is out of stock")
		}
		if items, err := c.ReadCatalogue(t.Context()); err != nil || len(items) == 0 {
			t.Error("what is not wrapped is not what it was", items, err)
		}
		conn.Close()
		if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "msg=ordered sku=ABC-0001 count=2 order=ABC-0001-2-true-") {
			t.Errorf("%s: logged %s", era, got)
		}
	}
}

// TestDocumentedMiddleware: the example of docs/mcp-server.md is the one above.
func TestDocumentedMiddleware(t *testing.T) {
	docs, err := os.ReadFile("../../docs/mcp-server.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("middleware_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(docs), "```go\n// audited")
	example, _, found := strings.Cut(example, "```")
	if !found || !strings.Contains(string(here), "// audited"+example) {
		t.Errorf("docs/mcp-server.md has another example:\n%s", example)
	}
}
