package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// TestResourceUpdatedFor: a change for one principal reaches its clients in both eras, on this server and on another one that it is relayed
// to, and no client of another principal.
func TestResourceUpdatedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := newServer(""), newServer("")
		apply, stopThere := there.Relay(func([]byte) { t.Error("what was relayed was relayed again") })
		_, stopHere := here.Relay(apply)
		defer stopThere()
		defer stopHere()
		ctx, cancel := context.WithCancel(t.Context())
		type key struct{ server, era, principal string }
		clients := map[key]*listening{}
		for server, srv := range map[string]*mcp.Server{"here": here, "there": there} {
			for _, principal := range []string{"ann", "bob", ""} {
				as := mcp.WithPrincipal(ctx, principal)
				stateless, session := &listening{}, &listening{}
				clients[key{server, "stateless", principal}], clients[key{server, "session", principal}] = stateless, session
				listen(as, srv, stateless, func(string) {})
				h := srv.Open(session)
				defer h.Hooks().Closed()
				for _, msg := range []string{
					`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}`,
					`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a"}}`,
				} {
					if answer := dispatch(as, h, msg); strings.Contains(answer, `"error"`) {
						t.Fatal(answer)
					}
				}
			}
		}
		synctest.Wait()
		updates := func() map[key]int {
			synctest.Wait()
			n := map[key]int{}
			for k, l := range clients {
				n[k] = strings.Count(strings.Join(l.heard(), "\n"), `resources/updated`)
			}
			return n
		}
		for i, principal := range []string{"ann", ""} {
			before := updates()
			here.ResourceUpdatedFor(principal, "a")
			for k, n := range updates() {
				if heard := n - before[k]; heard != map[bool]int{true: 1}[k.principal == principal] {
					t.Errorf("%d: %+v heard %d updates for %q", i, k, heard, principal)
				}
			}
		}
		cancel()
		synctest.Wait()
	})
}

// TestOwnedForOlderServer: a version that does not know changes for one principal reads a change without a resource, which notifies
// of everything that a client subscribed to, so it does not show that this one has changed.
func TestOwnedForOlderServer(t *testing.T) {
	var sent []byte
	srv := newServer("")
	_, stop := srv.Relay(func(change []byte) { sent = change })
	defer stop()
	srv.ResourceUpdatedFor("ann", "a")
	var older struct{ Lists, URI json.RawMessage }
	if err := json.Unmarshal(sent, &older); err != nil || older.Lists != nil || older.URI != nil {
		t.Errorf("an older version reads %s (%v) from %s", older.URI, err, sent)
	}
}
