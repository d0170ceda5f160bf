package peers

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
)

func channelOf(c net.Conn, headers bool) channel.Channel {
	if headers {
		return channel.LSP(c, c)
	}
	return channel.Line(c, c)
}

func dialJRPC2(headers bool) func(*testing.T, string, func(string, []byte)) client {
	return func(t *testing.T, address string, note func(string, []byte)) client {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		c := jrpc2.NewClient(channelOf(conn, headers), &jrpc2.ClientOptions{OnNotify: func(r *jrpc2.Request) { note(r.Method(), []byte(r.ParamString())) }})
		t.Cleanup(func() { c.Close() })
		return client{
			call: func(ctx context.Context, method string, params, result any) error {
				if result == nil {
					_, err := c.Call(ctx, method, params)
					return err
				}
				return c.CallResult(ctx, method, params, result)
			},
			notify: c.Notify,
			coded: func(err error, code int64) bool {
				e, ok := errors.AsType[*jrpc2.Error](err)
				return ok && int64(e.Code) == code
			},
		}
	}
}

func serveJRPC2(headers bool) func(*testing.T, net.Listener, answer) {
	return func(t *testing.T, l net.Listener, answer answer) {
		handle := func(ctx context.Context, r *jrpc2.Request) (any, error) {
			notify := func(method string, params any) error { return jrpc2.ServerFromContext(ctx).Notify(ctx, method, params) }
			result, refused := answer(r.Method(), []byte(r.ParamString()), notify)
			if refused == nil {
				return result, nil
			}
			err := jrpc2.Errorf(jrpc2.Code(refused.code), "%s", refused.message)
			if refused.data == nil {
				return nil, err
			}
			return nil, err.WithData(refused.data)
		}
		methods := handler.Map{"weather/current": handle, "weather/watch": handle}
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				s := jrpc2.NewServer(methods, &jrpc2.ServerOptions{AllowPush: true}).Start(channelOf(conn, headers))
				t.Cleanup(s.Stop)
			}
		}()
		t.Cleanup(func() { l.Close() })
	}
}
