package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

// box is the server that the commands tools and call talk to.
type box struct{ toolbox.UnimplementedServer }

func (box) SearchItems(ctx context.Context, in toolbox.SearchItemsInput) (toolbox.SearchItemsOutput, error) {
	mcp.Progress(ctx, 1, 2, "searching")
	region, _ := in.Region.Get()
	colour, _ := in.Colour.Get()
	name := fmt.Sprintf("%s %d %s %s", in.Query, in.Limit, region, colour)
	return toolbox.SearchItemsOutput{Items: []toolbox.Item{{Sku: "ABC-0001", Name: name}}}, nil
}

func (box) PlaceOrder(ctx context.Context, in toolbox.PlaceOrderInput) (toolbox.PlaceOrderOutput, error) {
	var out toolbox.PlaceOrderOutput
	if in.Sku == "ABC-0003" {
		return out, &toolbox.OutOfStockError{Sku: in.Sku}
	}
	form, err := toolbox.AskPlaceOrderConfirm(ctx, in)
	if err != nil {
		return out, err
	}
	colour, _ := form.Wrapping.Get()
	out.OrderID = fmt.Sprintf("%s-%v-%s-%s-%v", in.Sku, form.Ok, form.Note, colour, form.Extras)
	return out, nil
}

func (box) CountStock(context.Context, toolbox.CountStockInput) (toolbox.CountStockOutput, error) {
	return toolbox.CountStockOutput{Counted: 7}, nil
}

func (box) Introduce(ctx context.Context, in toolbox.Choice) ([]mcp.ContentBlock, error) {
	if err := mcp.Progress(ctx, 1, 2, "asking around"); err != nil {
		return nil, err
	}
	if in.Sku == "ABC-0004" {
		return nil, errors.New("it is not known")
	}
	return []mcp.ContentBlock{&mcp.TextContent{Text: "This is " + string(in.Sku)}}, nil
}

func (box) Picture(_ context.Context, in toolbox.PictureInput) (mcp.CallToolResult, error) {
	return mcp.CallToolResult{Content: []mcp.ContentBlock{
		&mcp.TextContent{Text: string(in.Sku)}, &mcp.ImageContent{Data: []byte{1, 2, 3}, MimeType: "image/png"},
	}}, nil
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func newToolbox() *mcp.Server { return toolbox.NewServer(box{}, mcp.Options{Logger: quiet}) }

// serveToolbox is the program toolbox.
func serveToolbox() {
	fmt.Fprintln(os.Stderr, "the toolbox is open")
	if err := stdio.Serve(context.Background(), newToolbox(), stdio.WithOptions(runtime.Options{Logger: quiet})); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// toolboxOverHTTP returns the URL of a toolbox that serves as long as the test.
func toolboxOverHTTP(t *testing.T) string {
	h := mcphttp.NewHandler(newToolbox(), mcphttp.Options{})
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		server.Close()
	})
	return server.URL
}

// toolboxOverSSE returns the URL of a toolbox that only serves the transport HTTP+SSE.
func toolboxOverSSE(t *testing.T) string {
	h := mcphttp.NewHandler(newToolbox(), mcphttp.Options{SSE: true})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.RawQuery == "" {
			http.Error(w, "open a stream first", http.StatusMethodNotAllowed)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		h.Close()
		server.Close()
	})
	return server.URL
}
