package mcp

import (
	"context"
	"log/slog"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// Handler serves one request, whose context ctx is. The error is what the request is going to be answered with: it has not been
// answered yet, so that middleware may put another error in its place. For a tool, that includes errors that the model is
// told as a result. Without an error, the request has been answered; methods of the schema's own answer their errors themselves.
type Handler func(ctx context.Context, q *Request) error

// Middleware stands around the handler of every request, once it is known to be a request that the server serves. It may look at the
// request, change the context, and answer with an error of its own without calling next.
type Middleware func(next Handler) Handler

// chain returns h with the middleware around it.
func chain(h Handler, all []Middleware) Handler {
	for i := len(all) - 1; i >= 0; i-- {
		h = all[i](h)
	}
	return h
}

// logged has every request logged at the level debug. What is the server's own fault is logged as an error where it is answered.
func logged(log *slog.Logger) Middleware {
	return func(next Handler) Handler {
		return func(ctx context.Context, q *Request) error {
			if !log.Enabled(ctx, slog.LevelDebug) {
				return next(ctx, q)
			}
			start := time.Now()
			err := next(ctx, q)
			attrs := []slog.Attr{
				slog.String("method", peerlog.Text(q.Method())), slog.String("name", peerlog.Text(q.Name())), slog.String("revision", peerlog.Text(q.Revision())),
				slog.Duration("took", time.Since(start)),
			}
			if err != nil {
				attrs = append(attrs, slog.Any("error", peerlog.Error(err)))
			}
			log.LogAttrs(ctx, slog.LevelDebug, "served a request", attrs...)
			return err
		}
	}
}
