package mcpcluster_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/workshop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestClusterFormer: calls in flight of a session that another replica has continued go on: they get the responses and the cancellations that
// the client sends to the new home.
func TestClusterFormer(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	session, l := all[0].asks("2025-06-18")
	waiting := make(chan workshop.Answer, 1)
	go func() { waiting <- all[0].Send("POST", workshop.SessionCall("2", "wait", ""), session...) }()
	<-all[0].Begun
	n.pause(all[0], true)
	all[1].Send("POST", echo, session...)
	await.Until(t, "the session moves", func() bool { return n.home(t, all, session) == all[1] && all[1].Sessions() == 1 })
	n.pause(all[0], false)
	if a := all[1].Send("POST", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ann"}}}`, session...); a.Status != 202 {
		t.Error(a)
	}
	l.Find("hello Ann")
	if a := all[1].Send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, session...); a.Status != 202 {
		t.Error(a)
	}
	if err := <-all[0].Cancelled; err == nil {
		t.Error("the call was not cancelled")
	}
	<-waiting
	await.Until(t, "the former home forgets the session", func() bool { return all[0].Sessions() == 0 })
	all[0].works(session)
}

// TestClusterResponseLost: a response that could not be passed on to a former home is asked for again; a former home that may have missed one does not wait
// for it, whether it knows that the session has moved or not, and a replica that is still the home waits on.
func TestClusterResponseLost(t *testing.T) {
	const accept = `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ann"}}}`
	for name, c := range map[string]struct{ moves, knows, mute, misses bool }{
		"passed on": {moves: true, knows: true}, "not passed on": {moves: true, knows: true, mute: true}, "missed": {moves: true, knows: true, misses: true},
		"missed with the move": {moves: true, misses: true}, "nothing missed": {misses: true},
	} {
		t.Run(name, func(t *testing.T) {
			n, all := fleet(t, 2, mcphttp.Options{})
			session, l := all[0].asks("2025-06-18")
			n.mu.Lock()
			n.killed[all[0].name], n.deaf[all[0].name] = c.moves, !c.knows
			n.mu.Unlock()
			all[1].works(session)
			n.mu.Lock()
			n.deaf[all[0].name] = c.misses
			if c.mute {
				n.mute = errors.New("mute")
			}
			n.mu.Unlock()
			if !c.moves {
				n.joined[0].Missed()
			}
			want := 202
			if c.mute {
				want = 503
			}
			if a := all[1].Send("POST", accept, session...); a.Status != want {
				t.Error(a)
			}
			for missed := c.moves && c.misses; missed; {
				missed = !strings.Contains(string(<-n.unheard), `"response"`)
			}
			n.mu.Lock()
			n.mute, n.deaf[all[0].name] = nil, false
			n.mu.Unlock()
			if c.mute {
				all[1].Send("POST", accept, session...)
			}
			if c.misses && c.moves {
				n.joined[0].Missed()
				l.Find("The tool failed")
			} else {
				l.Find("hello Ann")
			}
			l.End()
			left := 0
			if !c.moves {
				left = 1
			}
			await.Until(t, "only the home keeps the session", func() bool { return all[0].Sessions() == left })
		})
	}
}

// TestClusterBack: a replica that has continued a session which it had served before reaches its own calls of that time.
func TestClusterBack(t *testing.T) {
	for name, c := range map[string]struct{ method, msg, want string }{
		"response": {"POST", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ann"}}}`, "hello Ann"},
		"cancel":   {"POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `"id":1`}, "end": {"DELETE", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			n, all := fleet(t, 2, mcphttp.Options{})
			session, l := all[0].asks("2025-06-18")
			for i, s := range all {
				n.pause(s, true)
				await.Until(t, "the session moves", func() bool {
					all[1-i].Send("POST", echo, session...) // fails, and continues the session, once the replica knows that it is not the home
					return n.home(t, all, session) == all[1-i]
				})
				n.pause(s, false)
				all[1-i].works(session)
			}
			if a := all[0].Send(c.method, c.msg, session...); a.Status/100 != 2 {
				t.Error(a)
			}
			if c.want != "" {
				l.Find(c.want)
			}
			l.End()
			left := 1
			if c.method == "DELETE" {
				left = 0
			}
			await.Until(t, "the former session ends", func() bool { return all[0].Sessions() == left })
		})
	}
}

// TestClusterFormerEnds: a call at a former home that waits for the client ends with the session.
func TestClusterFormerEnds(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	session, _ := all[0].asks("2025-11-25")
	n.pause(all[0], true)
	all[1].Send("POST", echo, session...) // fails, and continues the session
	all[1].works(session)
	if all[0].Sessions() != 1 {
		t.Error("the call at the former home has ended with the move")
	}
	if a := all[1].Send("DELETE", "", session...); a.Status != 204 {
		t.Error(a)
	}
	await.Until(t, "the call at the former home ends", func() bool { return all[0].Sessions() == 0 })
}

// TestMissedOften: while records cannot be loaded, it does not multiply what is tried that messages were missed many times; it is found out once they can.
func TestMissedOften(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	session, l := all[0].asks("2025-06-18")
	n.mu.Lock()
	n.killed[all[0].name], n.deaf[all[0].name] = true, true
	n.mu.Unlock()
	all[1].works(session)
	n.set(errors.New("out of order"))
	before, began := n.loads.Load(), time.Now()
	for range 50 {
		n.joined[0].Missed()
	}
	await.Until(t, "it is tried again", func() bool { return n.loads.Load() >= before+2 })
	if tried, took := n.loads.Load()-before, time.Since(began); tried > 2+int64(took/time.Second) {
		t.Errorf("it was tried %d times in %s", tried, took)
	}
	n.set(nil)
	l.Find("The tool failed")
	l.End()
	await.Until(t, "the former home forgets the session", func() bool { return all[0].Sessions() == 0 })
}

// TestCancelLate: a cancellation that comes after the answer, and after the session has moved, does not cancel the next call with that id.
func TestCancelLate(t *testing.T) {
	n, all := fleet(t, 3, mcphttp.Options{})
	session := all[0].Begin("2025-06-18")
	cancel := func(s *site) {
		t.Helper()
		if a := s.Send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`, session...); a.Status != 202 {
			t.Error(a)
		}
	}
	all[0].works(session) // with id 5
	n.kill(all[0])
	cancel(all[1])
	for _, s := range all[1:] {
		s.works(session)
		cancel(s)
		s.works(session)
	}
}
