package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// serveStateless serves a message that says all that has to be known about it. Its handler runs here, and is cancelled when the
// client closes the connection.
func (h *Handler) serveStateless(ctx context.Context, w http.ResponseWriter, r *http.Request, msg []byte) {
	x := &exchange{h: h, w: w}
	ctx = mcp.WithHTTP(ctx, r.Header)
	ctx = runtime.WithPeer(ctx, x)
	ctx = runtime.WithOutcome(ctx, &x.outcome)
	buf := getBuffer()
	returned := false
	defer func() {
		if !returned { // the handler has ended this goroutine, and the connection with it
			w.Header().Set("Connection", "close")
			x.outcome = runtime.Outcome{Failed: true, Code: runtime.CodeInternalError}
			x.end(h.stateless.Unfinished(nil, msg), msg)
		}
	}()
	answer := h.stateless.Dispatch(ctx, (*buf)[:0], msg)
	returned = true
	x.end(answer, msg)
	putBuffer(buf, answer)
}

// exchange is a stateless request, and the way back to its client while it is served: what is sent makes the answer a stream
// (basic/transports/streamable-http, Receiving Messages).
type exchange struct {
	h       *Handler
	w       http.ResponseWriter
	outcome runtime.Outcome

	mu    sync.Mutex
	out   *eventStream // nil: the answer is no stream yet
	over  bool
	err   error
	timer *time.Timer // of keep-alives
}

// errNoRequests is what a handler gets that calls the client of a stateless request.
var errNoRequests = errors.New("mcphttp: stateless clients are not sent requests")

// NextID implements [runtime.Conn].
func (*exchange) NextID(int) (int64, error) { return 0, errNoRequests }

// Call implements [runtime.Conn].
func (*exchange) Call(context.Context, int64, []byte) ([]byte, error) { return nil, errNoRequests }

// CallBatch implements [runtime.Conn].
func (*exchange) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, errNoRequests
}

// Notify sends a notification on the stream of the request.
func (x *exchange) Notify(ctx context.Context, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return runtime.ErrClosed
	}
	if x.out == nil {
		x.out = newEventStream(x.w, x.h.o.WriteTimeout)
		x.timer = time.AfterFunc(x.h.o.KeepAlive, x.keepAlive)
	}
	return x.send("", msg)
}

// send writes an event; the lock is held. A client that does not take it is gone.
func (x *exchange) send(id string, msg []byte) error {
	if x.err == nil {
		x.err = x.out.send(id, msg)
	}
	if x.err != nil {
		return errors.Join(runtime.ErrClosed, x.err)
	}
	return nil
}

// keepAlive writes something nobody reads.
func (x *exchange) keepAlive() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over || x.err != nil {
		return
	}
	x.err = x.out.comment()
	x.timer.Reset(x.h.o.KeepAlive)
}

// end answers.
func (x *exchange) end(answer, msg []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over = true
	if x.out == nil {
		x.answerJSON(answer, msg)
		return
	}
	x.timer.Stop()
	if len(answer) > 0 {
		x.send("", answer)
	}
	x.out.end()
}

// answerJSON answers with one object, or with nothing to a notification.
func (x *exchange) answerJSON(answer, msg []byte) {
	status := statelessStatus(&x.outcome)
	if isArray(msg) && !isArray(answer) {
		status = http.StatusBadRequest // batches are no part of the revision
	}
	writeAnswer(x.w, x.h.o.WriteTimeout, status, answer)
}

func isArray(msg []byte) bool { return wire.PeekAt(msg).Kind() == wire.Array }

// writeAnswer answers with JSON. No answer is one to a notification, which was accepted unless the status says otherwise.
func writeAnswer(w http.ResponseWriter, timeout time.Duration, status int, answer []byte) {
	header := w.Header()
	if len(answer) > 0 {
		header["Content-Type"] = jsonType
	} else if status == http.StatusOK {
		status = http.StatusAccepted
	}
	writeBody(w, timeout, status, answer)
}

// writeBody writes a whole response within the timeout. It is flushed here, whatever its size: what net/http writes after the handler has
// returned has no deadline.
func writeBody(w http.ResponseWriter, timeout time.Duration, status int, body []byte) {
	if status != http.StatusNoContent {
		w.Header()["Content-Length"] = contentLength(len(body))
	}
	control := http.NewResponseController(w)
	control.SetWriteDeadline(time.Now().Add(timeout)) // who cannot, has deadlines of its own
	w.WriteHeader(status)
	if len(body) > 0 {
		w.Write(body)
	}
	control.Flush()
	control.SetWriteDeadline(time.Time{}) // or the next request of the connection would have it
}

// lengths holds values of Content-Length as they were needed: most answers are short.
var lengths [2 << 10]atomic.Pointer[[]string]

// contentLength returns the value of the header, which nobody changes.
func contentLength(n int) []string {
	if n >= len(lengths) {
		return []string{strconv.Itoa(n)}
	}
	value := lengths[n].Load()
	if value == nil {
		value = &[]string{strconv.Itoa(n)}
		lengths[n].Store(value)
	}
	return *value
}

// buffers holds room for answers while they are made.
var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, 4<<10)
	return &b
}}

func getBuffer() *[]byte { return buffers.Get().(*[]byte) }

// putBuffer gives p back with the memory of b, which it may have grown into.
func putBuffer(p *[]byte, b []byte) {
	const most = 256 << 10 // bytes; larger ones are rare enough
	if cap(b) > cap(*p) && cap(b) <= most {
		*p = b[:0]
	}
	buffers.Put(p)
}
