package runtime

import (
	"context"
	"errors"
	"log/slog"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// LogFailure logs an error that the peer is not told. It is an error of the server's own, and logged as one, unless the peer has caused it: at
// debug when the call was cancelled, and at warn, limited in rate, when a connection was closed that the handler needed.
func (c *Call) LogFailure(log *slog.Logger, msg string, err error, args ...any) {
	args = append(args, "error", err)
	switch {
	case c.ctx != nil && c.ctx.Err() != nil:
		peerlog.For(log).Debug(msg, args...)
	case errors.Is(err, ErrClosed):
		peerlog.For(log).Warn(msg, args...)
	default:
		args[len(args)-1] = peerlog.Error(err)
		log.Log(context.Background(), slog.LevelError, msg, args...)
	}
}
