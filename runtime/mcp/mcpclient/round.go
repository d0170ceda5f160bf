package mcpclient

import (
	"context"
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// nextRound answers what a server wants to know, and returns what the next round says beside (basic/patterns/mrtr).
func (c *Client) nextRound(ctx context.Context, q *ask, out *outcome) ([]byte, error) {
	var b []byte
	if out.requests != nil {
		b = append(b, `,"inputResponses":`...)
		start := len(b)
		for key, asked := range wire.PeekAt(out.requests).Members() {
			b = append(wire.AppendString(append(b, ','), key), ':')
			var err error
			if b, err = c.answer(ctx, b, embedded(key, asked)); err != nil {
				return nil, fmt.Errorf("%s: what the server asks cannot be answered: %w", q.title(), err)
			}
		}
		b = wire.CloseObject(b, start)
	}
	if out.hasState {
		b = wire.AppendString(append(b, `,"requestState":`...), out.state)
	}
	if b == nil {
		return nil, &runtime.ResponseError{Method: q.title(), What: "it requires input, and says none"}
	}
	return b, nil
}

// embedded returns the question that is a member of inputRequests.
func embedded(key string, p wire.Peek) Question {
	asked := Question{Key: key, Params: wire.RawOf([]byte("{}"))}
	asked.Method, _ = p.In("method").Text()
	if params, err := wire.ParseRaw(p.In("params").JSON()); err == nil {
		asked.Params = params
	}
	return asked
}
