package peer_test

import (
	"encoding/json"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"

	"github.com/rpcgen-go/rpcgen/test/bench/peer"
	"github.com/rpcgen-go/rpcgen/test/bench/rpc"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// BenchmarkDispatch is rpcgen alone, to be looked at with a profiler; cmd/measure compares.
func BenchmarkDispatch(b *testing.B) {
	d := peer.RPCGen()
	buf := make([]byte, 0, 256<<10)
	for _, m := range work.Messages() {
		b.Run(m.Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = d.Dispatch(b.Context(), buf[:0], m.Bytes)
			}
		})
	}
}

// BenchmarkText is the long texts by themselves.
func BenchmarkText(b *testing.B) {
	for _, name := range work.Texts {
		doc := work.TextDocument(name)
		var v rpc.TextEchoResult
		if err := json.Unmarshal(doc, &v); err != nil {
			b.Fatal(err)
		}
		b.Run("decode "+name, func(b *testing.B) {
			var r wire.Reader
			for b.Loop() {
				r.Reset(doc, 0, wire.MaxDepth)
				v.DecodeJSON(&r)
			}
		})
		b.Run("encode "+name, func(b *testing.B) {
			buf := make([]byte, 0, 256<<10)
			for b.Loop() {
				buf = v.AppendJSON(buf[:0])
			}
		})
	}
}

// BenchmarkCall is a call from the generated client to the generated server.
func BenchmarkCall(b *testing.B) {
	c := peer.RPCGenCaller()
	defer c.Close()
	exact := true
	p := work.CurrentParams{City: "San Francisco", Unit: "fahrenheit", Hours: 36, Exact: &exact}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Call(b.Context(), &p); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTools is the MCP server of rpcgen alone.
func BenchmarkTools(b *testing.B) {
	d := peer.RPCGenTools()
	buf := make([]byte, 0, 256<<10)
	for _, m := range work.ToolMessages() {
		b.Run(m.Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = d.Dispatch(b.Context(), buf[:0], m.Bytes)
			}
		})
	}
}
