package peers

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"testing"

	"github.com/sourcegraph/jsonrpc2"
)

func streamOf(c net.Conn, headers bool) jsonrpc2.ObjectStream {
	if headers {
		return jsonrpc2.NewBufferedStream(c, jsonrpc2.VSCodeObjectCodec{})
	}
	return jsonrpc2.NewPlainObjectStream(c)
}

func paramsOf(r *jsonrpc2.Request) []byte {
	if r.Params == nil {
		return nil
	}
	return *r.Params
}

func dialSourcegraph(headers bool) func(*testing.T, string, func(string, []byte)) client {
	return func(t *testing.T, address string, note func(string, []byte)) client {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		handler := jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
			note(r.Method, paramsOf(r))
			return struct{}{}, nil
		})
		c := jsonrpc2.NewConn(context.Background(), streamOf(conn, headers), handler)
		t.Cleanup(func() { c.Close() })
		return client{
			call: func(ctx context.Context, method string, params, result any) error {
				return c.Call(ctx, method, params, result)
			},
			notify: func(ctx context.Context, method string, params any) error { return c.Notify(ctx, method, params) },
			coded: func(err error, code int64) bool {
				e, ok := errors.AsType[*jsonrpc2.Error](err)
				return ok && e.Code == code
			},
		}
	}
}

func serveSourcegraph(headers bool) func(*testing.T, net.Listener, answer) {
	return func(t *testing.T, l net.Listener, answer answer) {
		handler := jsonrpc2.HandlerWithError(func(ctx context.Context, c *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
			notify := func(method string, params any) error { return c.Notify(ctx, method, params) }
			result, refused := answer(r.Method, paramsOf(r), notify)
			if refused == nil {
				return result, nil
			}
			data, err := json.Marshal(refused.data)
			if err != nil {
				return nil, err
			}
			return nil, &jsonrpc2.Error{Code: refused.code, Message: refused.message, Data: (*json.RawMessage)(&data)}
		})
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				c := jsonrpc2.NewConn(context.Background(), streamOf(conn, headers), jsonrpc2.AsyncHandler(handler))
				t.Cleanup(func() { c.Close() })
			}
		}()
		t.Cleanup(func() { l.Close() })
	}
}
