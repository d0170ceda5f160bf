package mcp_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// wrapper is a handler around another one, as a middleware of users is.
type wrapper struct{ runtime.Handler }

// continuation returns what a session is continued from, which a wrapper passes on.
func continuation(h runtime.Handler) protocol.Continuation {
	return wrapper{h}.Hooks().Continuation()
}

// TestChangeBeforeReady: lists change after the handshake, and before notifications/initialized is handled, as calls and notifications are
// handled side by side: the client is notified as soon as it may be, here and in another process that continues the session.
func TestChangeBeforeReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const (
			begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}`
			ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		)
		srv, client := newServer(""), &listening{}
		first := srv.Open(client)
		srv.PromptsChanged() // before there is a client
		dispatch(t.Context(), first, begin)
		srv.ToolsChanged()
		synctest.Wait()
		if got := client.heard(); got != nil {
			t.Errorf("before the client is ready it heard %q", got)
		}
		state := continuation(first).State()
		for range 2 {
			dispatch(t.Context(), first, ready)
			synctest.Wait()
			if got := client.heard(); len(got) != 1 || !strings.Contains(got[0], "tools/list_changed") {
				t.Errorf("heard %q", got)
			}
		}

		later := &listening{}
		second := newServer("").Open(later)
		if err := continuation(second).Restore(t.Context(), state); err != nil {
			t.Fatal(err)
		}
		dispatch(t.Context(), second, ready)
		synctest.Wait()
		if got := later.heard(); len(got) != 3 {
			t.Errorf("continued elsewhere, it heard %q", got)
		}
		second.Hooks().Closed()
		first.Hooks().Closed()
		dispatch(t.Context(), first, ready) // after the end
	})
}

// TestRestore: another process continues a session: what the client said of itself, its level and what it subscribed to; and the client
// is notified of all that it may have missed.
func TestRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := newServer("").Open(&listening{})
		versions := []uint64{continuation(first).StateVersion()}
		if versions[0] != 0 || continuation(first).State() != nil {
			t.Error("there is a state before the handshake")
		}
		for _, msg := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{},"x":[1]},"clientInfo":{"name":"n","version":"1","title":"T"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"error"}}`,
			`{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"a"}}`,
			`{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"b"}}`,
			`{"jsonrpc":"2.0","id":5,"method":"resources/unsubscribe","params":{"uri":"a"}}`,
		} {
			if answer := dispatch(t.Context(), first, msg); strings.Contains(answer, `"error"`) {
				t.Fatal(answer)
			}
			v := continuation(first).StateVersion()
			if v <= versions[len(versions)-1] {
				t.Errorf("%s left the version at %d", msg, v)
			}
			versions = append(versions, v)
		}
		state := continuation(first).State()
		later := strings.Replace(string(state), "{", `{"colour":"red",`, 1) // of a later version

		client := &listening{}
		srv := newServer("")
		second := srv.Open(client)
		if err := continuation(second).Restore(t.Context(), []byte(later)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := strings.Join(client.heard(), "\n"); strings.Count(got, "\n") != 3 || !strings.Contains(got, "tools/list_changed") || !strings.Contains(got, `"uri":"b"`) {
			t.Errorf("the client heard\n%s", got)
		}
		if answer := dispatch(t.Context(), second, `{"jsonrpc":"2.0","id":6,"method":"initialize","params":{}}`); !strings.Contains(answer, "Already initialized") {
			t.Error(answer)
		}
		var was, is map[string]any
		if json.Unmarshal([]byte(later), &was) != nil || json.Unmarshal(continuation(second).State(), &is) != nil || !reflect.DeepEqual(was, is) || is["colour"] != "red" {
			t.Errorf("the state was\n%s\nand is\n%s", later, continuation(second).State())
		}
		srv.ResourceUpdated("a")
		srv.ResourceUpdated("b")
		synctest.Wait()
		if got := client.heard(); len(got) != 5 || !strings.Contains(got[4], `"uri":"b"`) {
			t.Errorf("the client heard %q", got)
		}
		second.Hooks().Closed()
		for _, bad := range []string{``, `[]`, `{"revision":"2026-07-28"}`, `{"revision":"none"}`} {
			if err := continuation(newServer("").Open(&listening{})).Restore(t.Context(), []byte(bad)); err == nil {
				t.Errorf("%q was taken for a state", bad)
			}
		}
	})
}

// TestRelay: changes reach the clients of another server once, and missed changes are all changes.
func TestRelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := newServer(""), newServer("")
		apply, stopThere := there.Relay(func([]byte) { t.Error("what was relayed was relayed again") })
		_, stopHere := here.Relay(apply)
		near, far := &listening{}, &listening{}
		ctx, cancel := context.WithCancel(t.Context())
		listen(ctx, here, near, func(string) {})
		listen(ctx, there, far, func(string) {})
		synctest.Wait()
		here.ToolsChanged()
		here.ResourceUpdated("a")
		here.ResourceUpdated("elsewhere")
		synctest.Wait()
		for name, l := range map[string]*listening{"near": near, "far": far} {
			if got := l.heard(); len(got) != 3 || !strings.Contains(got[1], "tools/list_changed") || !strings.Contains(got[2], `"uri":"a"`) {
				t.Errorf("%s heard %q", name, got)
			}
		}
		apply(nil)
		synctest.Wait()
		if got := far.heard(); len(got) != 8 { // three lists and two resources
			t.Errorf("after missed changes: %q", got)
		}
		apply([]byte("[")) // of a version that is not understood
		synctest.Wait()
		if got := far.heard(); len(got) != 13 {
			t.Errorf("after a change that is not understood: %q", got)
		}
		stopHere()
		stopThere()
		here.PromptsChanged()
		synctest.Wait()
		if got := far.heard(); len(got) != 13 {
			t.Errorf("after the end: %q", got)
		}
		cancel()
		synctest.Wait()
	})
}

// TestStateKeys: keys are replaced without a round that fails: every key signs what the others accept, until it is removed.
func TestStateKeys(t *testing.T) {
	old, next := []byte("the old key"), []byte("the new key")
	server := func(keys ...[]byte) *mcp.Server {
		return mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet, StateKeys: keys})
	}
	send := func(srv *mcp.Server, responses, state string) string {
		return dispatch(t.Context(), srv, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"place_order","arguments":{"sku":"A-1"},`+responses+state+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`)
	}
	const answers = `"inputResponses":{"confirm":{"action":"accept","content":{"name":"Ann"}}},`
	before, adding, moved, after := server(old), server(old, next), server(nil, next, old), server(next)
	for _, one := range []struct {
		name       string
		from, to   *mcp.Server
		understood bool
	}{
		{"old to adding", before, adding, true}, {"adding to old", adding, before, true},
		{"adding to moved", adding, moved, true}, {"moved to adding", moved, adding, true},
		{"moved to new", moved, after, true}, {"new to moved", after, moved, true},
		{"old to new", before, after, false}, {"random to random", server(), server(), false},
	} {
		state := stateMember.FindString(send(one.from, "", ""))
		if state == "" {
			t.Fatal("there is no state")
		}
		answer := send(one.to, answers, state+",")
		if placed := strings.Contains(answer, `"orderedBy":"Ann"`); placed != one.understood || !placed && !strings.Contains(answer, "it was not made by this server") {
			t.Errorf("%s: %s", one.name, answer)
		}
	}
	if !after.SharesState() || server().SharesState() || server(nil).SharesState() {
		t.Error("SharesState does not say whether there are keys")
	}
}
