package natsrpc

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/buffer"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// worker answers messages. Each message has a goroutine of its own.
type worker struct {
	nc     *nats.Conn
	o      Options
	d      *runtime.Dispatcher
	log    *peerlog.Logger
	caller *caller // calls the peers of messages
	slots  chan struct{}
	ctx    context.Context // of all handlers
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	running map[string]*running // by reply subject

	ended    sync.WaitGroup // messages that are being served
	reported chan struct{}  // closed when report has ended
}

// running is a message that is being served.
type running struct {
	cancel context.CancelCauseFunc
	since  time.Time
}

// newWorker returns a worker for h, whose options have defaults.
func newWorker(ctx context.Context, nc *nats.Conn, h runtime.Handler, o Options, peers *caller) *worker {
	if largest := payload(nc); o.Runtime.MaxMessage <= 0 || o.Runtime.MaxMessage > largest {
		o.Runtime.MaxMessage = largest
	}
	if o.CallTimeout > 0 {
		h = timeoutHandler{h, o.CallTimeout}
	}
	w := &worker{
		nc: nc, o: o, d: runtime.NewDispatcher(h, o.Runtime), log: peerlog.For(o.Runtime.Logger), caller: peers,
		slots: make(chan struct{}, o.MaxCalls), running: make(map[string]*running), reported: make(chan struct{}),
	}
	w.ctx, w.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	go w.report()
	return w
}

// timeoutHandler is a handler whose calls may take no longer than a timeout.
type timeoutHandler struct {
	runtime.Handler
	timeout time.Duration
}

func (t timeoutHandler) Handle(ctx context.Context, c *runtime.Call) {
	t.Handler.Handle(c.WithTimeout(ctx, t.timeout), c)
}

// payload returns the maximum size of the data of a message without headers.
func payload(nc *nats.Conn) int {
	if n := nc.MaxPayload(); n > 0 {
		return int(n)
	}
	return 1 << 20 // not connected yet
}

// take serves a message in a goroutine of its own, or refuses it.
func (w *worker) take(m *nats.Msg) {
	select {
	case w.slots <- struct{}{}:
	default:
		w.log.Warn("a message was refused: there are too many calls", "max", w.o.MaxCalls)
		w.refuse(m, runtime.Condition{Kind: when.Overloaded, Limit: w.o.MaxCalls, InFlight: w.o.MaxCalls})
		return
	}
	w.ended.Go(func() {
		defer func() { <-w.slots }()
		w.serve(m)
	})
}

// serve serves a message and answers it.
func (w *worker) serve(m *nats.Msg) {
	if len(m.Data) > w.o.MaxMessage {
		w.refuse(m, runtime.Condition{Kind: when.MessageTooLarge, MaxSize: w.o.MaxMessage, Size: len(m.Data), Unit: "bytes"})
		return
	}
	ctx, cancel := context.WithCancelCause(w.ctx)
	defer cancel(context.Canceled)
	if m.Reply != "" {
		call := &running{cancel, time.Now()}
		w.add(m.Reply, call)
		defer w.remove(m.Reply, call)
	}
	if left, ok := timeLeft(m); ok {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, left)
		defer end()
	}
	if peer := m.Header.Get(peerHeader); peer != "" && checkSubject("the subject of a client", peer) == nil {
		ctx = transport.WithPeer(ctx, &conn{w.caller, clientTarget(peer)})
	}
	if w.o.Context != nil {
		known, err := w.o.Context(ctx, m)
		if err != nil || known == nil {
			w.log.Warn("a message was refused", "error", err)
			w.answer(m, refusal)
			return
		}
		ctx = known
	}
	w.dispatch(ctx, m)
}

// refusal answers a message that Options.Context has refused.
var refusal = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the caller may not use this service"}}`)

// dispatch calls the handler. A handler that ends its goroutine is answered for.
func (w *worker) dispatch(ctx context.Context, m *nats.Msg) {
	buf, returned := buffer.Get(), false
	defer func() {
		if !returned {
			w.answer(m, w.d.Unfinished(nil, m.Data))
		}
	}()
	ctx = context.WithValue(ctx, contextkey.Remote{}, true)
	ctx = transport.WithLate(ctx, func(answer []byte, _ transport.Outcome) { w.answer(m, answer) })
	answer := w.d.Dispatch(ctx, (*buf)[:0], m.Data)
	returned = true
	w.answer(m, answer) // which copies it
	buffer.Put(buf, answer)
}

func (w *worker) add(reply string, call *running) {
	w.mu.Lock()
	w.running[reply] = call
	w.mu.Unlock()
}

// remove undoes add. A peer may use a reply subject twice, so call says which message has ended.
func (w *worker) remove(reply string, call *running) {
	w.mu.Lock()
	if w.running[reply] == call {
		delete(w.running, reply)
	}
	w.mu.Unlock()
}

// errCancelled is the cause of the context of a call that its caller has given up.
var errCancelled = errors.New("the caller has given up the call")

// abandon cancels the call that a message on the subject of cancellations names. It is unknown if another server serves it.
func (w *worker) abandon(m *nats.Msg) {
	w.mu.Lock()
	call := w.running[string(m.Data)]
	w.mu.Unlock()
	if call != nil {
		call.cancel(errCancelled)
	}
}

// report tells the callers of calls that run for long that they are running.
func (w *worker) report() {
	defer close(w.reported)
	tick := time.NewTicker(w.o.interval)
	defer tick.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case now := <-tick.C:
			for _, reply := range w.long(now) {
				w.nc.PublishMsg(&nats.Msg{Subject: reply, Header: nats.Header{statusHeader: {working}}})
			}
		}
	}
}

// long returns the reply subjects of the calls that run for half an interval or longer, so that no caller waits for more than one and a half.
func (w *worker) long(now time.Time) (replies []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for reply, call := range w.running {
		if now.Sub(call.since) >= w.o.interval/2 {
			replies = append(replies, reply)
		}
	}
	return replies
}

// refuse answers a message that is not served with the error that the schema declares for cond.
func (w *worker) refuse(m *nats.Msg, cond runtime.Condition) {
	answer, _ := w.d.Refuse(nil, cond)
	w.answer(m, answer)
}

// answer answers a message. An answer that does not fit into a payload of NATS, which may have become smaller since the start, is
// answered with the condition MessageTooLarge.
func (w *worker) answer(m *nats.Msg, answer []byte) {
	if m.Reply == "" || len(answer) == 0 {
		return
	}
	err := w.nc.Publish(m.Reply, answer)
	if errors.Is(err, nats.ErrMaxPayload) {
		answer, _ = w.d.Refuse(nil, runtime.Condition{Kind: when.MessageTooLarge, MaxSize: payload(w.nc), Size: len(answer), Unit: "bytes"})
		err = w.nc.Publish(m.Reply, answer)
	}
	if err != nil {
		w.log.Warn("an answer could not be sent", "error", err)
	}
}

// stop waits until all handlers have returned. When ctx ends it cancels them, and waits for the shutdown timeout.
func (w *worker) stop(ctx context.Context) error {
	defer func() {
		w.cancel(context.Canceled)
		<-w.reported
	}()
	done := make(chan struct{})
	go func() {
		w.ended.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	w.cancel(ctx.Err())
	late := time.NewTimer(w.o.Runtime.ShutdownTimeout)
	defer late.Stop()
	select {
	case <-done:
		return ctx.Err()
	case <-late.C:
		w.log.Warn("handlers still run after the service has ended", "calls", len(w.slots))
		return runtime.ErrStillRunning
	}
}
