package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/shop"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// thirty is a server of thirty tools.
func thirty() *mcp.Server {
	tools := make([]string, 30)
	for i := range tools {
		tools[i] = strings.Replace(strings.TrimSuffix(shop.Tools[1:strings.Index(shop.Tools, `,{"name":"place_order"`)], ","), "search_items", fmt.Sprint("search_", i), 1)
	}
	return mcp.NewServer(&shop.Shop{Change: func(i *mcp.Info) { i.Tools = "[" + strings.Join(tools, ",") + "]" }}, mcp.Options{Logger: shop.Quiet})
}

var (
	callMessage = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"red shoes","limit":5},` + statelessMeta + `}}`
	listMessage = request("tools/list", "")
)

func benchmark(b *testing.B, srv *mcp.Server, msg string) {
	d := runtime.NewDispatcher(srv, runtime.Options{Logger: shop.Quiet})
	dst, in := make([]byte, 0, 64<<10), []byte(msg)
	ctx := b.Context()
	dst = d.Dispatch(ctx, dst[:0], in)
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		dst = d.Dispatch(ctx, dst[:0], in)
	}
}

func BenchmarkToolsCall(b *testing.B) { benchmark(b, newServer(""), callMessage) }

// BenchmarkToolsList lists thirty tools; BenchmarkToolsListCopied copies the answer, which is the least that can be done.
func BenchmarkToolsList(b *testing.B) { benchmark(b, thirty(), listMessage) }

func BenchmarkToolsListCopied(b *testing.B) {
	answer := []byte(dispatch(b.Context(), thirty(), listMessage))
	dst := make([]byte, 0, 64<<10)
	b.SetBytes(int64(len(answer)))
	for b.Loop() {
		dst = append(dst[:0], answer...)
	}
}

// BenchmarkSession calls a tool over a connection in memory, one call after the other.
func BenchmarkSession(b *testing.B) {
	there, here := pipe.New(0)
	s := runtime.NewSession(b.Context(), here, newServer(""), runtime.Options{Logger: shop.Quiet})
	msg := []byte(callMessage)
	b.ReportAllocs()
	for b.Loop() {
		if err := there.WriteFrame(msg); err != nil {
			b.Fatal(err)
		}
		if _, err := there.ReadFrame(); err != nil {
			b.Fatal(err)
		}
	}
	there.Close()
	s.Wait()
}
