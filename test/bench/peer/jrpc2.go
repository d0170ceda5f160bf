package peer

import (
	"context"
	"encoding/json"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// JRPC2 is a server of creachadair/jrpc2 over a channel in memory, which is the only way to call it.
func JRPC2() Dispatcher {
	near, far := channel.Direct()
	server := jrpc2.NewServer(assigner{}, nil).Start(far)
	return Dispatcher{
		Name: "jrpc2",
		Dispatch: func(_ context.Context, dst, msg []byte) []byte {
			if near.Send(msg) != nil {
				return dst
			}
			answer, err := near.Recv()
			if err != nil {
				return dst
			}
			return append(dst, answer...)
		},
		Close: func() {
			near.Close()
			server.Wait()
		},
	}
}

// JRPC2Parts takes jrpc2's parser and params without its server: no goroutine has to be woken. The answer is written by hand.
func JRPC2Parts() Dispatcher {
	return Dispatcher{Name: "jrpc2, no server", Dispatch: jrpc2Parts}
}

func jrpc2Parts(_ context.Context, dst, msg []byte) []byte {
	requests, err := jrpc2.ParseRequests(msg)
	if err != nil {
		return dst
	}
	answers := make([]any, len(requests))
	for i, r := range requests {
		id := json.RawMessage(r.ID)
		result, failed := call(r.Method, r.ToRequest())
		if failed != nil {
			answers[i] = &failure[json.RawMessage]{"2.0", id, failed}
		} else {
			answers[i] = &reply[json.RawMessage, any]{"2.0", id, &result}
		}
	}
	var answer any = answers
	if !requests[0].Batch {
		answer = answers[0]
	}
	dst, err = appendStandard(dst, answer)
	if err != nil {
		return dst[:0]
	}
	return dst
}

// JRPC2Caller connects jrpc2's client to its server.
func JRPC2Caller() Caller {
	near, far := channel.Direct()
	server := jrpc2.NewServer(assigner{}, nil).Start(far)
	client := jrpc2.NewClient(near, nil)
	return checkingCaller("jrpc2", func(ctx context.Context, p *work.CurrentParams, r *work.Report) error {
		return client.CallResult(ctx, work.MethodCurrent, p, r)
	}, func() {
		client.Close()
		server.Wait()
	})
}

// assigner finds handlers; unknown methods get one that says so the way all contestants do.
type assigner struct{}

var (
	assigned = assign()
	unknown  = handler(func(r *jrpc2.Request) (any, *work.Failure) { return nil, work.MethodNotFound(r.Method()) })
)

func assign() map[string]jrpc2.Handler {
	all := map[string]jrpc2.Handler{}
	for name, m := range methods {
		all[name] = handler(func(r *jrpc2.Request) (any, *work.Failure) { return m(r) })
	}
	return all
}

func handler(m func(*jrpc2.Request) (any, *work.Failure)) jrpc2.Handler {
	return func(_ context.Context, r *jrpc2.Request) (any, error) {
		result, failed := m(r)
		if failed != nil {
			return nil, &jrpc2.Error{Code: jrpc2.Code(failed.Code), Message: failed.Message, Data: data(failed)}
		}
		return result, nil
	}
}

// Assign implements jrpc2.Assigner.
func (assigner) Assign(_ context.Context, name string) jrpc2.Handler {
	if h, ok := assigned[name]; ok {
		return h
	}
	return unknown
}
