package mcp_test

import (
	"strings"
	"testing"
)

// TestInitializeWithoutSession: where there are no sessions, initialize is answered with the revisions that are served there.
func TestInitializeWithoutSession(t *testing.T) {
	for server, want := range map[string]string{
		"":          `"supported":["2026-07-28"],"requested":"2025-11-25"`,
		"modern":    `"supported":["2026-07-28"],"requested":"2025-11-25"`,
		"handshake": "has no sessions",
	} {
		answer := dispatch(t.Context(), newServer(server), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if !strings.Contains(answer, want) || strings.Contains(answer, `"result"`) {
			t.Errorf("%q: got %s", server, answer)
		}
	}
}

// TestSuggestions: a method that does not exist gets the closest name of MCP's methods that the server has, and of its own.
func TestSuggestions(t *testing.T) {
	for server, cases := range map[string]map[string]string{
		"":     {"tools/lst": "tools/list", "subscriptions/lisen": "subscriptions/listen", "tasks/gt": "", "shop/eco": ""},
		"own":  {"tools/lst": "tools/list", "subscriptions/lisen": "subscriptions/listen", "tasks/gt": "", "shop/eco": "shop/echo"},
		"bare": {"tools/lst": "", "server/discove": "server/discover"},
	} {
		for method, want := range cases {
			answer := dispatch(t.Context(), newServer(server), request(method, ""))
			if !strings.Contains(answer, `"code":-32601`) || strings.Contains(answer, `"suggestion":"`+want+`"`) != (want != "") || strings.Contains(answer, "suggestion") != (want != "") {
				t.Errorf("%s of %q: got %s, want %q", method, server, answer, want)
			}
		}
	}
}
