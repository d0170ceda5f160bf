package websocket

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// BenchmarkRoundTrip compares a typical call, both ends rpcgen's, with a message of its size and its echo between two bare connections.
func BenchmarkRoundTrip(b *testing.B) {
	b.Run("rpcgen", func(b *testing.B) {
		h := NewHandler(weather.NewHandler(office()), Options{})
		s := httptest.NewServer(h)
		defer s.Close()
		defer h.Close()
		conn, err := Dial(b.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), nil, ClientOptions{})
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Wait()
		defer conn.Close()
		client := weather.NewClient(conn)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := client.Current(context.Background(), weather.CurrentParams{City: "Paris", Days: 1}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("echo", func(b *testing.B) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			for {
				kind, msg, err := c.Read(context.Background())
				if err != nil || c.Write(context.Background(), kind, msg) != nil {
					return
				}
			}
		}))
		defer s.Close()
		c, _, err := websocket.Dial(b.Context(), s.URL, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer c.CloseNow()
		msg := []byte(`{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Paris","days":1}}`)
		b.ReportAllocs()
		for b.Loop() {
			if c.Write(context.Background(), websocket.MessageText, msg) != nil {
				b.Fatal("not written")
			}
			if _, _, err := c.Read(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
