package websocket

import (
	"testing"

	jsonrpc "github.com/rpcgen-go/rpcgen/test/jsonrpc/rpc"
	"github.com/rpcgen-go/rpcgen/test/jsonrpc/section7"
)

// TestSpecification holds the examples of JSON-RPC 2.0, section 7.
func TestSpecification(t *testing.T) {
	s := newSite(t, jsonrpc.NewHandler(section7.Service{}), Options{})
	section7.Run(t, func(t *testing.T, messages []string, want int) (answers []string) {
		c, err := connect(t.Context(), s.url, ClientOptions{}.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for _, m := range messages {
			if err := c.WriteFrame([]byte(m)); err != nil {
				t.Fatal(err)
			}
		}
		for range want {
			answer, err := c.ReadFrame()
			if err != nil {
				t.Fatal(err)
			}
			answers = append(answers, string(answer))
		}
		return answers
	})
}
