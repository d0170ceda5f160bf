package peers

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"testing"

	"golang.org/x/exp/jsonrpc2"
)

func dialExp(t *testing.T, address string, note func(string, []byte)) client {
	handler := jsonrpc2.HandlerFunc(func(_ context.Context, r *jsonrpc2.Request) (any, error) {
		note(r.Method, r.Params)
		return nil, nil
	})
	c, err := jsonrpc2.Dial(context.Background(), jsonrpc2.NetDialer("tcp", address, net.Dialer{}), jsonrpc2.ConnectionOptions{Handler: handler})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return client{
		call: func(ctx context.Context, method string, params, result any) error {
			return c.Call(ctx, method, params).Await(ctx, result)
		},
		notify: c.Notify,
		coded: func(err error, code int64) bool { // the type of its errors is not exported
			var object struct{ Code int64 }
			text, _ := json.Marshal(err)
			return json.Unmarshal(text, &object) == nil && object.Code == code
		},
	}
}

// accepted is a listener for package jsonrpc2.
type accepted struct{ net.Listener }

func (a accepted) Accept(context.Context) (io.ReadWriteCloser, error) { return a.Listener.Accept() }
func (accepted) Dialer() jsonrpc2.Dialer                              { return nil }

// binder gives each connection a handler that knows it.
type binder struct{ answer }

func (b binder) Bind(_ context.Context, c *jsonrpc2.Connection) (jsonrpc2.ConnectionOptions, error) {
	return jsonrpc2.ConnectionOptions{Handler: jsonrpc2.HandlerFunc(func(ctx context.Context, r *jsonrpc2.Request) (any, error) {
		notify := func(method string, params any) error { return c.Notify(ctx, method, params) }
		result, refused := b.answer(r.Method, r.Params, notify)
		if refused == nil {
			return result, nil
		}
		return nil, jsonrpc2.NewError(refused.code, refused.message)
	})}, nil
}

func serveExp(t *testing.T, l net.Listener, answer answer) {
	s, err := jsonrpc2.Serve(context.Background(), accepted{l}, binder{answer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		s.Wait() // its error is that the listener is closed
	})
}
