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
