package mcp

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Log sends data to the client of the request whose context ctx is, if the client wants messages of that level (server/utilities/logging):
// a stateless one says so with each request, one of a session by logging/setLevel, and gets those from info on until it does. An empty logger
// has no name.
func Log(ctx context.Context, severity LoggingLevel, logger string, data runtime.Raw) error {
	l := protocol.LevelOf(string(severity))
	if l == protocol.NoLevel {
		return errors.New("mcp: there is no log level " + string(severity))
	}
	wanted, err := logs(ctx, l)
	if !wanted {
		return err
	}
	return send(ctx, l, logger, data.String())
}

// logs reports whether the client wants messages of a level. An error says that there is no request to it any more.
func logs(ctx context.Context, l protocol.Level) (bool, error) {
	s, err := acquire(ctx)
	if err == errNoRequest {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	least := s.request.level
	if shake := s.request.shake; shake != nil {
		least = protocol.Level(shake.level.Load())
	}
	return least != protocol.NoLevel && l >= least, nil
}

// send sends a message with data, which is JSON.
func send(ctx context.Context, l protocol.Level, logger, data string) error {
	conn := runtime.PeerFrom(ctx)
	if conn == nil {
		return nil
	}
	b := append([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"`), l.String()...)
	b = append(b, '"')
	if logger != "" {
		b = wire.AppendString(append(b, `,"logger":`...), logger)
	}
	b = append(append(b, `,"data":`...), data...)
	return conn.Notify(ctx, append(b, "}}"...))
}

// Logger returns a logger whose records go to the client of the request whose context ctx is, as [Log] does: each is an object with msg and
// the attributes. Levels between those of package slog are notice, and beyond error critical, alert and emergency, in steps of 4.
func Logger(ctx context.Context) *slog.Logger {
	out := &records{ctx: ctx}
	o := &slog.HandlerOptions{Level: slog.LevelDebug - 1<<10, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
			return slog.Attr{}
		}
		return a
	}}
	return slog.New(&logHandler{slog.NewJSONHandler(out, o), out})
}

// logHandler sends records to a client; inner writes them as JSON.
type logHandler struct {
	inner slog.Handler
	out   *records
}

// records takes the lines of JSON that inner writes, one a record.
type records struct {
	ctx   context.Context
	mu    sync.Mutex
	level protocol.Level // of the record that is being written
}

// Write sends one record.
func (r *records) Write(line []byte) (int, error) {
	data := line[:len(line)-1] // without the newline
	return len(line), send(r.ctx, r.level, "", string(data))
}

// Enabled implements [slog.Handler].
func (h *logHandler) Enabled(_ context.Context, l slog.Level) bool {
	wanted, _ := logs(h.out.ctx, fromSlog(l))
	return wanted
}

// Handle implements [slog.Handler].
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	h.out.level = fromSlog(r.Level)
	return h.inner.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.inner.WithAttrs(attrs), h.out}
}

// WithGroup implements [slog.Handler].
func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.inner.WithGroup(name), h.out}
}

// fromSlog returns the level for a level of package slog: those between its own are notice and, above error, the higher ones.
func fromSlog(l slog.Level) protocol.Level {
	steps := [...]slog.Level{slog.LevelInfo, slog.LevelInfo + 2, slog.LevelWarn, slog.LevelError, slog.LevelError + 4,
		slog.LevelError + 8, slog.LevelError + 12}
	n := 0
	for n < len(steps) && l >= steps[n] {
		n++
	}
	return protocol.Level(n)
}
