package runtime_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// connected is the handler of one session: it knows its connection, and what became of it.
type connected struct {
	calculator
	conn    runtime.Conn
	batches bool
	ended   atomic.Int32
	closed  atomic.Int32
	early   atomic.Bool // it was closed before it was told that the input had ended
}

func (*connected) Protocol() runtime.Protocol { return runtime.Protocol{OmitID: true} }

func (c *connected) Hooks() runtime.Hooks {
	return runtime.Hooks{
		InputEnded: func() { c.ended.Add(1) },
		Closed:     func() { c.early.Store(c.ended.Load() == 0); c.closed.Add(1) },
		AllowBatch: func() bool { return c.batches },
		MapError:   mapError,
	}
}

func mapError(o runtime.ErrorObject) runtime.ErrorObject {
	if o.Code == runtime.CodeMethodNotFound {
		return runtime.ErrorObject{Code: 5, Message: "mapped", HTTPStatus: 418}
	}
	return o
}

func (c *connected) Handle(ctx context.Context, call *runtime.Call) {
	if call.Method() == "same" && call.NoParams() {
		if runtime.PeerFrom(ctx) != c.conn {
			call.Fail(errors.New("the peer is another"))
			return
		}
		call.ReturnEmpty()
		return
	}
	if call.Method() == "drop" && call.NoParams() {
		call.ReturnEmpty()
		call.Drop()
		return
	}
	call.MethodNotFound("")
}

// opening opens one.
type opening struct {
	calculator
	opened *connected
}

func (o opening) Hooks() runtime.Hooks {
	return runtime.Hooks{Open: func(conn runtime.Conn) runtime.Handler {
		o.opened.conn = conn
		return wrapped{o.opened}
	}}
}

// wrapped passes on all that a handler is.
type wrapped struct{ runtime.Handler }

// TestHooks: a session serves what was opened for it, tells it what becomes of the connection, and asks it about batches and errors.
func TestHooks(t *testing.T) {
	own := &connected{}
	a, b := pipe.New(0)
	s := runtime.NewSession(t.Context(), b, wrapped{opening{opened: own}}, runtime.Options{Logger: quiet})
	if own.conn != runtime.Conn(s) {
		t.Error("it was opened with another connection")
	}
	for _, c := range []struct{ msg, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"same"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"other"}`, `{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"mapped"}}`},
		{`[{"jsonrpc":"2.0","id":3,"method":"same"}]`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}`},
	} {
		a.WriteFrame([]byte(c.msg))
		if got, _ := a.ReadFrame(); string(got) != c.want {
			t.Errorf("%s was answered %s, want %s", c.msg, got, c.want)
		}
	}
	own.batches = true
	a.WriteFrame([]byte(`[{"jsonrpc":"2.0","id":4,"method":"same"},{"jsonrpc":"2.0","id":5,"method":"drop"}]`))
	if got, _ := a.ReadFrame(); string(got) != `[{"jsonrpc":"2.0","id":4,"result":{}}]` {
		t.Errorf("a batch was answered %s", got)
	}
	a.WriteFrame([]byte(`{"jsonrpc":"2.0","id":6,"method":"drop"}`))
	a.CloseWrite()
	if got, err := a.ReadFrame(); err == nil {
		t.Errorf("what was dropped was answered %s", got)
	}
	s.Wait()
	a.Close()
	if own.ended.Load() != 1 || own.closed.Load() != 1 || own.early.Load() {
		t.Errorf("it was told %d times that the input had ended, and %d times of the end, before that: %t", own.ended.Load(), own.closed.Load(), own.early.Load())
	}
}

// TestOutcome: a transport learns how a message was answered, and gives calls their peer.
func TestOutcome(t *testing.T) {
	own := &connected{}
	peer, _ := pipe.New(0)
	s := runtime.NewSession(t.Context(), peer, nil, runtime.Options{Logger: quiet})
	defer s.Wait()
	defer s.Close()
	own.conn = s
	d := runtime.NewDispatcher(own, runtime.Options{Logger: quiet, CallContext: true})
	for msg, want := range map[string]transport.Outcome{
		`{"jsonrpc":"2.0","id":1,"method":"same"}`:  {},
		`{"jsonrpc":"2.0","id":2,"method":"other"}`: {Failed: true, Code: 5, HTTPStatus: 418},
		`{`: {Failed: true, Code: -32700},
		`{"jsonrpc":"1.0","id":2,"method":"other"}`: {Failed: true, Code: -32600},
	} {
		var got transport.Outcome
		d.Dispatch(transport.WithOutcome(transport.WithPeer(t.Context(), s), &got), nil, []byte(msg))
		if got != want {
			t.Errorf("%s: %+v, want %+v", msg, got, want)
		}
	}
}
