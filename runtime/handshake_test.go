package runtime_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// house is a service whose sessions have to be opened.
type house struct {
	calculator
	way      runtime.Protocol
	declared bool          // errors for the conditions of the handshake are declared
	open     func() error  // handles open
	seen     chan string   // the notifications that were handled
	stay     chan struct{} // until it is closed or the call is cancelled, stay does not return
}

func newHouse() *house {
	return &house{
		way:  runtime.Protocol{Batch: true, InitializeMethod: "open", ShutdownMethod: "close", ExitMethod: "leave"},
		open: func() error { return nil }, seen: make(chan string, 16), stay: make(chan struct{}),
	}
}

func (h *house) Protocol() runtime.Protocol { return h.way }

func (h *house) Condition(cond runtime.Condition) error {
	codes := map[when.Kind]int64{when.NotInitialized: -32002, when.AlreadyInitialized: -32003, when.ShutDown: -32004}
	if code := codes[cond.Kind]; h.declared && code != 0 {
		return runtime.Answer(code, cond.Method, wire.Raw{})
	}
	return nil
}

func (h *house) Handle(ctx context.Context, c *runtime.Call) {
	if !c.NoParams() {
		return
	}
	switch c.Method() {
	case "open":
		if err := h.open(); err != nil {
			c.Fail(err)
			return
		}
	case "stay":
		select {
		case <-ctx.Done():
			c.Fail(ctx.Err())
			return
		case <-h.stay:
		}
	}
	if c.IsNotification() {
		h.seen <- c.Method()
	}
	c.ReturnEmpty()
}

func ask(id, method string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}`
}

func tell(method string) string { return `{"jsonrpc":"2.0","method":"` + method + `"}` }

func good(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

func bad(id, code, message string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"` + message + `"}}`
}

// TestHandshake sends what each phase of a session forbids.
func TestHandshake(t *testing.T) {
	h := newHouse()
	p := newPeer(t, h, runtime.Options{})
	p.send(ask("1", "work"))
	p.expect(bad("1", "-32600", "Not initialized"))
	p.send(tell("early"))
	p.send(`{"jsonrpc":"2.0","id":2,"method":"work","params":7}`)
	p.expect(bad("2", "-32600", "Invalid Request"))
	p.send(ask("3", "close"))
	p.expect(bad("3", "-32600", "Not initialized"))
	p.send(ask("4", "open"))
	p.expect(good("4"))
	p.send(ask("5", "open"))
	p.expect(bad("5", "-32600", "Already initialized"))
	p.send(tell("hello"))
	p.send(ask("6", "work"))
	p.expect(good("6"))
	p.send(ask("7", "close"))
	p.expect(good("7"))
	for _, method := range []string{"work", "open", "close"} {
		p.send(ask("8", method))
		p.expect(bad("8", "-32600", "Shut down"))
	}
	p.send(tell("late"))
	p.send(tell("leave"))
	if err := p.s.Wait(); err != nil {
		t.Error(err)
	}
	close(h.seen)
	var seen []string
	for s := range h.seen {
		seen = append(seen, s)
	}
	if len(seen) != 2 || seen[0] != "hello" || seen[1] != "leave" {
		t.Error(seen)
	}
}

// TestHandshakeConditions: the errors are those that the schema declares.
func TestHandshakeConditions(t *testing.T) {
	h := newHouse()
	h.declared = true
	p := newPeer(t, h, runtime.Options{})
	p.send(ask("1", "work"))
	p.expect(bad("1", "-32002", "work"))
	p.send(ask("2", "open"))
	p.expect(good("2"))
	p.send(ask("3", "open"))
	p.expect(bad("3", "-32003", "open"))
	p.send(ask("4", "close"))
	p.expect(good("4"))
	p.send(ask("5", "work"))
	p.expect(bad("5", "-32004", "work"))
	p.end()
}

// TestHandshakeFails: until a handshake has succeeded, others are refused, and it may be tried again.
func TestHandshakeFails(t *testing.T) {
	h := newHouse()
	fault := errors.New("no")
	begun, release := make(chan bool), make(chan bool)
	h.open = func() error {
		begun <- true
		<-release
		return fault
	}
	p := newPeer(t, h, runtime.Options{})
	p.send(ask("1", "open"))
	<-begun
	p.send(ask("2", "work"))
	p.expect(bad("2", "-32600", "Not initialized"))
	p.send(ask("3", "open"))
	p.expect(bad("3", "-32600", "Already initialized"))
	release <- true
	p.expect(bad("1", "-32603", "Internal error"))
	h.open = func() error { panic("no") }
	p.send(ask("4", "open"))
	p.expect(bad("4", "-32603", "Internal error"))
	h.open = func() error { return nil }
	p.send(ask("5", "open"))
	p.expect(good("5"))
	p.send(ask("6", "work"))
	p.expect(good("6"))
	p.end()
}

// TestHandshakeInBatches: each message of a batch is judged on its own.
func TestHandshakeInBatches(t *testing.T) {
	h := newHouse()
	p := newPeer(t, h, runtime.Options{BatchCalls: 1})
	p.send("[" + ask("1", "work") + "," + tell("early") + "," + ask("2", "open") + "]")
	p.expect("[" + bad("1", "-32600", "Not initialized") + "," + good("2") + "]")
	p.send("[" + ask("3", "open") + "," + ask("4", "work") + "]")
	p.expect("[" + bad("3", "-32600", "Already initialized") + "," + good("4") + "]")
	p.send("[" + ask("5", "close") + "]")
	p.expect("[" + good("5") + "]")
	p.send("[" + tell("leave") + "]")
	if err := p.s.Wait(); err != nil || <-h.seen != "leave" {
		t.Error(err)
	}
}

// TestExit: the exit notification ends a session in any phase, cancels its calls, and says whether it was shut down before.
func TestExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, newHouse(), runtime.Options{})
		p.send(tell("leave"))
		if err := p.s.Wait(); err != runtime.ErrNotShutDown {
			t.Error("before the handshake:", err)
		}
		p = newPeer(t, newHouse(), runtime.Options{})
		p.send(ask("1", "open"))
		p.expect(good("1"))
		p.send(ask("2", "stay"))
		synctest.Wait()
		begin := time.Now()
		p.send(tell("leave"))
		p.expect(bad("2", "-32800", "Request cancelled"))
		if err := p.s.Wait(); err != runtime.ErrNotShutDown || time.Since(begin) != 0 {
			t.Error("with a call in flight:", err, time.Since(begin))
		}
		h := newHouse()
		h.way.ShutdownMethod = ""
		p = newPeer(t, h, runtime.Options{})
		p.send(tell("leave"))
		if err := p.s.Wait(); err != nil {
			t.Error("without a shutdown method:", err)
		}
		p = newPeer(t, newHouse(), runtime.Options{})
		p.send(ask("1", "leave")) // a request ends nothing
		p.expect(bad("1", "-32600", "Not initialized"))
		p.end()
	})
}

// TestHandshakeOfDispatcher: a transport without sessions serves every message.
func TestHandshakeOfDispatcher(t *testing.T) {
	d := runtime.NewDispatcher(newHouse(), runtime.Options{Logger: quiet})
	if got := string(d.Dispatch(t.Context(), nil, []byte(ask("1", "work")))); got != good("1") {
		t.Error(got)
	}
}
