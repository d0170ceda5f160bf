package runtime

import (
	"context"
	"errors"
	"log/slog"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// LogFailure logs an error that is not sent to the peer. Normally that is an error of this program, and is logged at level error. If the peer caused
// it, the level is lower, so that peers cannot fill the log: debug if the call was cancelled, and warn, limited in rate, if the handler needed a
// connection that was closed.
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
