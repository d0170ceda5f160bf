package peer_test

import (
	"context"
	"encoding/json"
	"net"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"

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

// BenchmarkSession is a session of rpcgen over memory, with messages as frames.
func BenchmarkSession(b *testing.B) {
	plain, tools := peer.RPCGenSession(), peer.RPCGenToolsSession()
	b.Cleanup(plain.Stop)
	b.Cleanup(tools.Stop)
	run := func(name string, d peer.Dispatcher, msg []byte) {
		buf := make([]byte, 0, 256<<10)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = d.Dispatch(b.Context(), buf[:0], msg)
			}
		})
	}
	for _, m := range work.Messages() {
		if m.Order == "" || m.Order == "Go" {
			run(m.Name(), plain, m.Bytes)
		}
	}
	for _, m := range work.ToolMessages() {
		run(m.Name(), tools.Dispatcher, m.Bytes)
	}
}

// BenchmarkLarge is a list of objects there and back: bytes to bytes, and from the generated client to the generated server.
func BenchmarkLarge(b *testing.B) {
	for _, size := range []struct {
		name  string
		items int
	}{{"1KB", 3}, {"100KB", 320}, {"10MB", 30_000}} {
		p := rpc.CatalogCopyParams{}
		for i := range size.items {
			p.Items = append(p.Items, rpc.Item(work.Items[i%len(work.Items)]))
		}
		ctx, o := context.Background(), runtime.Options{Logger: peer.Quiet}
		b.Run("dispatch/"+size.name, func(b *testing.B) {
			msg := append(p.AppendJSON([]byte(`{"jsonrpc":"2.0","id":42,"method":"catalog/copy","params":`)), '}')
			d, buf := runtime.NewDispatcher(peer.Handler(), o), make([]byte, 0, 1<<10)
			b.ReportAllocs()
			for b.Loop() {
				buf = d.Dispatch(ctx, buf[:0], msg)
			}
			b.ReportMetric(float64(len(buf)), "answer-B")
		})
		typed := func(name string, connect func(b *testing.B) runtime.Conn) {
			b.Run(name+"/"+size.name, func(b *testing.B) {
				client := rpc.NewClient(connect(b))
				b.ReportAllocs()
				for b.Loop() {
					if got, err := client.CatalogCopy(ctx, p); err != nil || len(got.Items) != len(p.Items) {
						b.Fatal(err)
					}
				}
			})
		}
		session := func(b *testing.B, near, far frame.Conn) runtime.Conn {
			server := runtime.NewSession(ctx, far, peer.Handler(), o)
			client := runtime.NewSession(ctx, near, nil, o)
			b.Cleanup(func() {
				client.Close()
				server.Wait()
			})
			return client
		}
		typed("memory", func(b *testing.B) runtime.Conn {
			near, far := pipe.New(16 << 20)
			return session(b, near, far)
		})
		for name, framing := range map[string]frame.Framing{"lines": frame.Lines, "headers": frame.Headers} {
			typed(name, func(b *testing.B) runtime.Conn {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					b.Fatal(err)
				}
				defer l.Close()
				dialed, err := net.Dial("tcp", l.Addr().String())
				if err != nil {
					b.Fatal(err)
				}
				accepted, err := l.Accept()
				if err != nil {
					b.Fatal(err)
				}
				framed := func(c net.Conn) frame.Conn {
					return frame.NewConn(framing.NewReader(c, 0), framing.NewWriter(c, 0), c.Close)
				}
				return session(b, framed(dialed), framed(accepted))
			})
		}
	}
}

// BenchmarkHTTP is a call from the generated client to the generated server over HTTP.
func BenchmarkHTTP(b *testing.B) {
	for _, c := range peer.Transports() {
		if c.Name != peer.OverHTTP {
			c.Close()
			continue
		}
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
