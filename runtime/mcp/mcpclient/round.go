package mcpclient

import (
	"context"
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// nextRound answers the questions of a server, and returns the members that the next round adds to
// the params (basic/patterns/mrtr).
func (o *Options) nextRound(ctx context.Context, q *outgoing, out *outcome) ([]byte, error) {
	var b []byte
	if out.requests != nil {
		b = append(b, `,"inputResponses":`...)
		start := len(b)
		for key, asked := range wire.PeekAt(out.requests).Members() {
			b = append(wire.AppendString(append(b, ','), key), ':')
			var err error
			if b, err = o.answer(ctx, b, embeddedQuestion(key, asked)); err != nil {
				return nil, fmt.Errorf("%s: a question of the server cannot be answered: %w", q.title(), err)
			}
		}
		b = wire.CloseObject(b, start)
	}
	if out.hasState {
		b = wire.AppendString(append(b, `,"requestState":`...), out.state)
	}
	if b == nil {
		return nil, &runtime.ResponseError{Method: q.title(), What: "it requires input but asks for none"}
	}
	return b, nil
}

// embeddedQuestion returns the question in a member of inputRequests.
func embeddedQuestion(key string, p wire.Peek) Question {
	asked := Question{Key: key, Params: wire.RawOf([]byte("{}"))}
	asked.Method, _ = p.In("method").Text()
	if params, err := wire.ParseRaw(p.In("params").JSON()); err == nil {
		asked.Params = params
	}
	return asked
}
