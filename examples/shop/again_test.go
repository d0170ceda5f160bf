package main

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

const place = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"place_order","arguments":{"sku":"HAM-0001","count":2},ANSWER` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}`

var (
	state   = regexp.MustCompile(`"requestState":"[^"]*"`)
	orderID = regexp.MustCompile(`ORD-[A-Z2-7]{8}`)
)

// TestLastRoundAgain: a stateless client that got no answer sends its last round again, also to a server that was started in between:
// the order is placed once.
func TestLastRoundAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.db")
	send := func(msg string) string {
		server, closeAll := openServer(t, file) // a new one, every time
		defer closeAll()
		return dispatch(t.Context(), server, msg)
	}
	confirmed := func() string {
		asked := send(strings.Replace(place, "ANSWER", "", 1))
		if !strings.Contains(asked, "Claw hammer") || state.FindString(asked) == "" {
			t.Fatal(asked)
		}
		return strings.Replace(place, "ANSWER", `"inputResponses":{"confirm":{"action":"accept","content":{"ok":true}}},`+state.FindString(asked)+`,`, 1)
	}
	msg := confirmed()
	first := orderID.FindString(send(msg))
	for range 3 {
		if again := orderID.FindString(send(msg)); first == "" || again != first {
			t.Errorf("order %q, and when the last round is sent again %q", first, again)
		}
	}
	if other := orderID.FindString(send(confirmed())); other == "" || other == first {
		t.Errorf("a second order is %q, the first one %q", other, first)
	}
}

func dispatch(ctx context.Context, server *mcp.Server, msg string) string {
	return string(runtime.NewDispatcher(server, runtime.Options{Logger: quiet}).Dispatch(ctx, nil, []byte(msg)))
}
