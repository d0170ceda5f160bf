// Package peerlog logs what peers do wrong. A peer can do that as often as it likes and with any
// text, so the rate of records is limited, and text of a peer is cut and escaped.
package peerlog

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"
	"weak"
)

// The limits of records about peers.
const (
	Burst  = 8                // records with the same message in one window
	Window = 10 * time.Second // after which there may be as many again
)

// Logger limits the rate of the records that it forwards. It is safe for concurrent use.
type Logger struct {
	out *slog.Logger

	mu    sync.Mutex
	kinds map[string]*kind // by message; messages are constants, so they are few
}

// kind counts the records with one message.
type kind struct {
	since   time.Time // begin of the window
	logged  int       // in the window
	omitted int       // since the last record
}

// loggers holds the Logger of each [slog.Logger] as long as that is alive: sessions that share a
// logger share its limits.
var loggers sync.Map // of *Logger by weak.Pointer[slog.Logger]

// For returns the Logger that forwards to log. It is the same one for each call.
func For(log *slog.Logger) *Logger {
	key := weak.Make(log)
	if l, ok := loggers.Load(key); ok {
		return l.(*Logger)
	}
	own := &Logger{out: slog.New(log.Handler()), kinds: make(map[string]*kind)} // a new one, which does not keep log alive
	l, found := loggers.LoadOrStore(key, own)
	if !found {
		runtime.AddCleanup(log, func(key weak.Pointer[slog.Logger]) { loggers.Delete(key) }, key)
	}
	return l.(*Logger)
}

// Debug logs at level debug, without a limit, since debug logs should be complete. Texts and errors
// in args are escaped.
func (l *Logger) Debug(msg string, args ...any) {
	if l.out.Enabled(context.Background(), slog.LevelDebug) {
		l.out.Debug(msg, clean(args)...)
	}
}

// Warn logs at level warn, at most [Burst] records with the same message in a [Window]. The next
// record after that says how many were omitted. Texts and errors in args are escaped.
func (l *Logger) Warn(msg string, args ...any) { l.logLimited(slog.LevelWarn, msg, args) }

// Error logs at level error, with the limits of Warn. It is for faults of the program itself that a
// peer can repeat as often as it likes.
func (l *Logger) Error(msg string, args ...any) { l.logLimited(slog.LevelError, msg, args) }

// logLimited logs at a limited rate.
func (l *Logger) logLimited(level slog.Level, msg string, args []any) {
	ctx := context.Background()
	if !l.out.Enabled(ctx, level) {
		return
	}
	omitted, ok := l.admit(msg)
	if !ok {
		return
	}
	args = clean(args)
	if omitted > 0 {
		args = append(args, "omitted", omitted)
	}
	l.out.Log(ctx, level, msg, args...)
}

// admit reports whether a record may be logged now, and how many records with its message were
// omitted before.
func (l *Logger) admit(msg string) (omitted int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.kinds[msg]
	if k == nil {
		k = new(kind)
		l.kinds[msg] = k
	}
	if now := time.Now(); now.Sub(k.since) >= Window || now.Before(k.since) {
		k.since, k.logged = now, 0
	}
	if k.logged >= Burst {
		k.omitted++
		return 0, false
	}
	omitted, k.omitted = k.omitted, 0
	k.logged++
	return omitted, true
}
