package mcp

import (
	"context"
	"log/slog"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// logRequests logs every request at level debug. Errors of the server itself are logged as errors where
// they are answered.
func logRequests(log *slog.Logger) Middleware {
	return func(next Handler) Handler {
		return func(ctx context.Context, q *Request) error {
			if !log.Enabled(ctx, slog.LevelDebug) {
				return next(ctx, q)
			}
			start := time.Now()
			err := next(ctx, q)
			args := []any{
				"method", peerlog.Text(q.Method()), "name", peerlog.Text(q.Name()), "revision", peerlog.Text(q.Revision()), "took", time.Since(start),
			}
			if err != nil {
				args = append(args, "error", peerlog.Error(err))
			}
			log.Log(ctx, slog.LevelDebug, "served a request", args...)
			return err
		}
	}
}
