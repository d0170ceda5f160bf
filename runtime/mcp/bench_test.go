package mcp_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
)

func benchmark(b *testing.B, msg string) {
	d := runtime.NewDispatcher(newServer(""), runtime.Options{Logger: quiet})
	dst, in := make([]byte, 0, 64<<10), []byte(msg)
	ctx := b.Context()
	dst = d.Dispatch(ctx, dst[:0], in)
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		dst = d.Dispatch(ctx, dst[:0], in)
	}
}

func BenchmarkToolsCall(b *testing.B) {
	benchmark(b, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"red shoes","limit":5},`+statelessMeta+`}}`)
}

func BenchmarkToolsList(b *testing.B) {
	benchmark(b, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+statelessMeta+`}}`)
}
