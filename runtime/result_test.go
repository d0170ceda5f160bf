package runtime_test

import (
	"context"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// answering answers more than once.
type answering struct{ calculator }

func (answering) Handle(_ context.Context, c *runtime.Call) {
	if c.NoParams() {
		c.Return(append(c.Result(), `"the first answer"`...))
	}
	c.Return(append(c.Result(), `{"a":"second answer, which is ignored"}`...))
	c.ReturnEmpty()
}

// TestOneAnswer: what is returned after an answer, or after a refusal, leaves that as it is.
func TestOneAnswer(t *testing.T) {
	d := runtime.NewDispatcher(answering{}, runtime.Options{Logger: quiet})
	for msg, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"x"}`:     `{"jsonrpc":"2.0","id":1,"result":"the first answer"}`,
		`{"jsonrpc":"2.0","id":1,"method":"x",}`:    `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
		`{"jsonrpc":"2.0","method":"x","params":[}`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
	} {
		if got := string(d.Dispatch(t.Context(), []byte("kept "), []byte(msg))); got != "kept "+want {
			t.Errorf("%s was answered %s", msg, got)
		}
	}
}

// editing answers and then edits the answer.
type editing struct{ calculator }

func (editing) Handle(_ context.Context, c *runtime.Call) {
	switch c.Method() {
	case "result":
		c.NoParams()
		c.Return(append(c.Result(), `{"a":1}`...))
	default:
		c.MethodNotFound("result")
	}
	c.EditResult(func(b, result []byte) []byte { return append(append(append(b, '['), result...), ']') })
}

// TestEditResult: results are edited, and errors are not.
func TestEditResult(t *testing.T) {
	d := runtime.NewDispatcher(editing{}, runtime.Options{Logger: quiet})
	for msg, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"x","method":"result"}`: `{"jsonrpc":"2.0","id":"x","result":[{"a":1}]}`,
		`{"jsonrpc":"2.0","id":1,"method":"y"}`:        `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`,
		`{"jsonrpc":"2.0","method":"result"}`:          ``,
	} {
		if got := string(d.Dispatch(t.Context(), nil, []byte(msg))); got != want {
			t.Errorf("%s was answered %s", msg, got)
		}
	}
}

// looking records what the call is before it reads the params.
type looking struct{ calculator }

func (looking) Handle(_ context.Context, c *runtime.Call) {
	kind := "a request"
	if c.IsNotification() {
		kind = "a notification"
	}
	c.Fail(runtime.Answer(1, kind, runtime.Raw{}))
}

// TestIsNotification: an id counts wherever it stands.
func TestIsNotification(t *testing.T) {
	d := runtime.NewDispatcher(looking{}, runtime.Options{Logger: quiet})
	for msg, want := range map[string]string{
		`{"jsonrpc":"2.0","id":0,"method":"x","params":{}}`:                 `{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"a request"}}`,
		`{"method":"x","params":{"id":7},"jsonrpc":"2.0","id":0}`:           `{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"a request"}}`,
		`{"method":"x","params":[{}], "jsonrpc":"2.0", "\u0069d" : "last"}`: `{"jsonrpc":"2.0","id":"last","error":{"code":1,"message":"a request"}}`,
		`{"method":"x","params":{"id":7},"jsonrpc":"2.0"}`:                  ``,
	} {
		if got := string(d.Dispatch(t.Context(), nil, []byte(msg))); got != want {
			t.Errorf("%s was answered %s", msg, got)
		}
	}
}
