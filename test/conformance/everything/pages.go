package everything

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	conformance "github.com/rpcgen-go/rpcgen/test/conformance/rpc"
)

// ShowPage reports whether the client shows its page.
func (*server) ShowPage(ctx context.Context) (conformance.ShowPageOutput, error) {
	return conformance.ShowPageOutput{Shown: mcp.ClientOf(ctx).Capabilities.Apps()}, nil
}

func (s *server) PageClicked(context.Context) (conformance.PageClickedOutput, error) {
	return conformance.PageClickedOutput{Clicks: s.clicks.Add(1)}, nil
}

func (*server) ReadPage(context.Context) (string, error) {
	return "<!doctype html><title>A page</title><button>Click</button>", nil
}
