package mcpnats

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/test/cputime"
)

// processorTime has a benchmark report the time of processors that it has used until done is called.
func processorTime(b *testing.B) (done func()) {
	start := cputime.Used()
	return func() { b.ReportMetric(float64(cputime.Used()-start)/float64(b.N), "processor-ns/op") }
}

// BenchmarkSession measures a tools/call of a session at its home, and at another replica, which passes it on over NATS, each without keys and sealed.
func BenchmarkSession(b *testing.B) {
	for _, way := range []struct {
		name string
		at   int
		keys [][]byte
	}{{"home", 0, nil}, {"home sealed", 0, keysOf("k")}, {"elsewhere", 1, nil}, {"elsewhere sealed", 1, keysOf("k")}} {
		b.Run(way.name, func(b *testing.B) {
			f := newFleet(b, 2, Options{Keys: way.keys})
			session := post(f.all[0].handler, "", hello("n")).Header().Get("Mcp-Session-Id")
			var id atomic.Int64
			b.SetParallelism(8)
			b.ReportAllocs()
			b.ResetTimer()
			defer processorTime(b)()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					msg := `{"jsonrpc":"2.0","id":` + string(wire.AppendInt(nil, id.Add(1))) + `,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"x"}}}`
					if w := post(f.all[way.at].handler, session, msg); w.Code != http.StatusOK {
						b.Error(w.Code, w.Body)
						return
					}
				}
			})
		})
	}
}

// BenchmarkSeal measures what sealing adds to a call that is passed on: a request and its answer, each sealed and opened.
func BenchmarkSeal(b *testing.B) {
	s, err := newSealer("mcp", keysOf("k"), quiet)
	if err != nil {
		b.Fatal(err)
	}
	m := &nats.Msg{Subject: "mcp.ask.ABCDEFGHIJKLMNOPQRSTUVWXYZ", Reply: "mcp.answer.ABCDEFGHIJKLMNOPQRSTUVWXYZ.1", Header: nats.Header{saysHeader: {"1"}}}
	request, answer, out := make([]byte, 350), make([]byte, 450), []byte(nil)
	b.ReportAllocs()
	defer processorTime(b)()
	for b.Loop() {
		for _, text := range [][]byte{request, answer} {
			what := purposeOf(m.Subject, m.Reply, m.Header)
			out = s.appendSealed(out[:0], text, what[:])
			m.Data = out
			if _, ok := s.accept(m); !ok {
				b.Fatal("it is not opened")
			}
		}
	}
}

// BenchmarkHTTP measures a tools/call of a session over HTTP, for 16 callers with a session each: at a server without replicas, and at three replicas,
// with requests that come to the home of their session and with requests that come to each replica in turn.
func BenchmarkHTTP(b *testing.B) {
	lone := mcphttp.NewHandler(mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: quiet}), mcphttp.Options{Runtime: runtime.Options{Logger: quiet}})
	defer lone.Close()
	alone := httptest.NewServer(lone)
	defer alone.Close()
	f := newFleet(b, 3)
	var addresses []string
	for _, r := range f.all {
		s := httptest.NewServer(r.handler)
		defer s.Close()
		addresses = append(addresses, s.Listener.Addr().String())
	}
	for _, way := range []struct {
		name      string
		addresses []string
		balanced  bool
	}{{"alone", []string{alone.Listener.Addr().String()}, false}, {"home", addresses, false}, {"balanced", addresses, true}} {
		b.Run(way.name, func(b *testing.B) {
			var callers atomic.Int64
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				n := int(callers.Add(1))
				session, conns := begin(b, way.addresses[n%len(way.addresses)]), map[string]net.Conn{}
				for id := 1; pb.Next(); id++ {
					at := way.addresses[n%len(way.addresses)]
					if way.balanced {
						at = way.addresses[(n+id)%len(way.addresses)]
					}
					if conns[at] == nil {
						conn, err := net.Dial("tcp", at)
						if err != nil {
							b.Error(err)
							return
						}
						defer conn.Close()
						conns[at] = conn
					}
					body := `{"jsonrpc":"2.0","id":` + string(wire.AppendInt(nil, int64(id))) + `,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"x"}}}`
					if status := exchange(conns[at], session, body); status != "HTTP/1.1 200 OK" {
						b.Error(status)
						return
					}
				}
			})
		})
	}
}

// begin opens a session.
func begin(b *testing.B, address string) string {
	q, err := http.NewRequest(http.MethodPost, "http://"+address, strings.NewReader(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}`))
	if err != nil {
		b.Fatal(err)
	}
	q.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		b.Fatal(err)
	}
	r.Body.Close()
	return r.Header.Get("Mcp-Session-Id")
}

// exchange posts a message as cheaply as can be, and returns the first line of the response, whose last bytes are the end of its body.
func exchange(conn net.Conn, session, body string) string {
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"Mcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", session, len(body), body)
	buf, n := make([]byte, 4<<10), 0
	for {
		k, err := conn.Read(buf[n:])
		n += k
		if err != nil {
			return err.Error()
		}
		head, rest, found := bytes.Cut(buf[:n], []byte("\r\n\r\n"))
		_, length, sized := bytes.Cut(head, []byte("Content-Length: "))
		length, _, _ = bytes.Cut(length, []byte("\r\n"))
		if size, _ := strconv.Atoi(string(length)); found && (!sized || len(rest) == size) {
			line, _, _ := bytes.Cut(head, []byte("\r\n"))
			return string(line)
		}
	}
}
