package mcp

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// Log sends a log message to the client of the request that ctx belongs to, if the client wants
// messages of that severity (server/utilities/logging). A stateless client says so in each request.
// The client of a session sets a level with logging/setLevel; until then the level is info. If
// logger is empty, the message has no logger name.
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

// logs reports whether the client wants messages of a level. It fails if the request has ended.
func logs(ctx context.Context, l protocol.Level) (bool, error) {
	s, err := acquire(ctx)
	if err == errNoRequest {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	least := s.request.meta.level
	if handshake := s.request.handshake; handshake != nil {
		least = protocol.Level(handshake.level.Load())
	}
	return least != protocol.NoLevel && l >= least, nil
}

// send sends a log message with data, which is JSON.
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

// Logger returns a logger whose records are sent to the client of the request that ctx belongs to,
// as by [Log]. A record is sent as an object with msg and the attributes. A level between two
// levels of package slog is notice, and levels above error are critical, alert and emergency, in
// steps of 4.
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

// logHandler sends records to a client. The handler inner writes them as JSON.
type logHandler struct {
	inner slog.Handler
	out   *records
}

// records receives the JSON that inner writes, one line per record.
type records struct {
	ctx   context.Context
	mu    sync.Mutex
	level protocol.Level // of the record that is being written
}

// Write sends one record.
func (r *records) Write(line []byte) (int, error) {
	data := line[:len(line)-1] // the line without the newline
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

// fromSlog returns the level for a level of package slog, see [Logger].
func fromSlog(l slog.Level) protocol.Level {
	steps := [...]slog.Level{slog.LevelInfo, slog.LevelInfo + 2, slog.LevelWarn, slog.LevelError, slog.LevelError + 4,
		slog.LevelError + 8, slog.LevelError + 12}
	n := 0
	for n < len(steps) && l >= steps[n] {
		n++
	}
	return protocol.Level(n)
}
