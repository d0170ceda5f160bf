package rpchttp

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/tap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/unwrap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// anyType is the Accept header of a request whose response may be a stream.
var anyType = []string{web.JSON + ", " + web.EventStream}

func init() {
	tap.ExchangeOf = func(conn any) tap.Exchange {
		outer, _ := conn.(runtime.Conn)
		if c, ok := unwrap.As[*Conn](outer); ok {
			return c.stream
		}
		return nil
	}
}

// stream is the [tap.Exchange] of a connection. The request is sent once: a stream that was cut off has ended.
func (c *Conn) stream(ctx context.Context, id int64, msg []byte, item func(msg []byte)) ([]byte, error) {
	a, err := c.post(ctx, msg, 0, func(msg []byte) bool {
		p := wire.PeekAt(msg)
		over := !p.Has("method") && (answers(p, id) || isError(p))
		if !over {
			item(msg)
		}
		return over
	})
	if err != nil {
		return nil, err
	}
	return a.response(id)
}

// readEvents reads a stream until take reports true for an event, and returns that.
func readEvents(r io.Reader, most int, take func(event []byte) bool) ([]byte, error) {
	for events := web.NewEventReader(r, most); ; {
		msg, err := events.Next()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err == nil {
			err = wire.Check(msg, wire.MaxDepth)
		}
		if err != nil {
			return nil, fmt.Errorf("rpchttp: the stream was cut off: %w", err)
		}
		if take(msg) {
			return msg, nil
		}
	}
}
