package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Within calls handle, the handler of a tool whose schema declares the timeout d, with a context
// that ends after d. If handle does not return in time, the error is the one that the schema
// declares for the condition Timeout, or by default a tool error for the model; the later result of
// handle is dropped. A panic of handle is passed on, or logged after the timeout. [Server.Shutdown]
// waits for handlers that exceed their timeout.
func Within[T any](ctx context.Context, t *ToolCall, d time.Duration, handle func(ctx context.Context) (T, error)) (T, error) {
	var none T
	s, tool := t.q.server, t.Name()
	if n := s.overdue.count(); n >= mostOverdue {
		return none, s.Condition(runtime.Condition{Kind: when.Overloaded, Method: tool, Limit: mostOverdue, InFlight: n})
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	var settled atomic.Bool // handle has returned, or the timeout has passed
	returned := make(chan outcome[T], 1)
	go run(ctx, handle, func(o outcome[T]) {
		cancel()
		if settled.CompareAndSwap(false, true) {
			returned <- o
			return
		}
		s.overdue.leave()
		if o.panicked != nil {
			s.log.Error("the tool panicked after its timeout", "tool", tool, "panic", o.panicked)
		}
	})
	late := time.NewTimer(d)
	defer late.Stop()
	var o outcome[T]
	select {
	case o = <-returned:
	case <-late.C:
		s.overdue.enter()
		if settled.CompareAndSwap(false, true) {
			s.log.Warn("the tool exceeded its timeout", "tool", tool, "timeout", d)
			return none, t.timedOut(d)
		}
		s.overdue.leave()
		o = <-returned
	}
	switch {
	case o.panicked != nil:
		panic(o.panicked)
	case errors.Is(o.err, context.DeadlineExceeded) && !errors.As(o.err, new(runtime.Coder)) && ctx.Err() == context.DeadlineExceeded:
		return none, t.timedOut(d)
	}
	return o.value, o.err
}

// outcome is the outcome of a handler.
type outcome[T any] struct {
	value    T
	err      error
	panicked *handlerPanic
}

// handlerPanic is the panic of a handler with its stack.
type handlerPanic struct {
	value any
	stack []byte
}

func (p *handlerPanic) String() string { return fmt.Sprintf("%v\n%s", p.value, p.stack) }

// run calls a handler and passes its outcome to done, even if the handler panics or ends its
// goroutine.
func run[T any](ctx context.Context, handle func(ctx context.Context) (T, error), done func(outcome[T])) {
	o := outcome[T]{err: errUnanswered}
	defer func() {
		if p := recover(); p != nil {
			o.panicked = &handlerPanic{p, debug.Stack()}
		}
		done(o)
	}()
	o.value, o.err = handle(ctx)
}

// timedOut returns the error for a call whose tool did not return within d.
func (t *ToolCall) timedOut(d time.Duration) error {
	return t.q.server.declaredError(runtime.Condition{Kind: when.Timeout, Method: t.Name(), Timeout: d}, &timeoutError{d})
}

// TimedOut is the name in [MetaError] of the error of a tool that exceeded its timeout. Its data is
// {"timeoutMs"}, in milliseconds.
const TimedOut = "Timeout"

// timeoutError means that a tool exceeded its timeout. It implements [ToolError].
type timeoutError struct{ timeout time.Duration }

func (e *timeoutError) Error() string {
	return "The tool did not answer within " + e.timeout.String() + "."
}

func (*timeoutError) ToolError() string { return TimedOut }

func (e *timeoutError) AppendData(b []byte) []byte {
	return append(strconv.AppendInt(append(b, `{"timeoutMs":`...), e.timeout.Milliseconds(), 10), '}')
}
