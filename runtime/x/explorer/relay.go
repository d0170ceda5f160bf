package explorer

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/x/message"
)

// relayConn passes messages between a page and a connection. Ids of the page are numbers that it uses once, and ids of the server are replaced.
type relayConn struct {
	page frame.Conn
	ctx  context.Context

	mu      sync.Mutex
	next    int64
	waiting map[string]chan message.Message // for answers of the page, by id
	writing sync.Mutex
}

// relay serves a page from a connection of its own.
func relay(ctx context.Context, page frame.Conn, dial func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error)) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &relayConn{page: page, ctx: ctx, waiting: map[string]chan message.Message{}}
	conn, err := dial(ctx, r)
	if err != nil {
		return err
	}
	var over <-chan struct{} // closed when the connection has ended by itself
	if c, ok := conn.(interface{ Done() <-chan struct{} }); ok {
		over = c.Done()
		go func() {
			select {
			case <-over:
				page.Close()
			case <-ctx.Done():
			}
		}()
	}
	if c, ok := conn.(io.Closer); ok {
		defer func() {
			select {
			case <-over: // before it is closed here
				err = c.Close() // of a command: how it has exited
			default:
				c.Close()
			}
		}()
	}
	var calls sync.WaitGroup
	defer calls.Wait()
	defer stop()
	for {
		text, err := page.ReadFrame()
		if err != nil {
			return nil
		}
		m, err := reader.Parse(text)
		if err != nil {
			r.write(invalid(err))
			continue
		}
		switch {
		case m.Method != "" && m.ID == nil:
			if err := conn.Notify(ctx, text); err != nil {
				return err
			}
		case m.Method != "":
			calls.Go(func() { r.call(conn, m, text) })
		default:
			r.passAnswer(m)
		}
	}
}

// invalid answers what is not a message.
func invalid(err error) []byte {
	var fault *message.Fault
	if !errors.As(err, &fault) {
		return nil
	}
	answer, err := message.AppendError(nil, fault.ID, runtime.ErrorObject{Code: fault.Code, Message: fault.Detail})
	if err != nil {
		return nil
	}
	return answer
}

func (r *relayConn) write(text []byte) {
	if text == nil {
		return
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	if r.page.WriteFrame(text) != nil {
		r.page.Close()
	}
}

// call passes on a request of the page.
func (r *relayConn) call(conn runtime.Conn, m message.Message, text []byte) {
	var answer []byte
	var err error
	if id, ok := idOf(m).Int64(); ok {
		answer, err = conn.Call(r.ctx, id, text)
	} else {
		err = errors.New("over this connection, ids of requests are whole numbers")
	}
	if err != nil {
		answer, err = message.AppendError(nil, m.ID, runtime.ErrorObject{Code: runtime.CodeInternalError, Message: err.Error()})
		if err != nil {
			return
		}
	}
	r.write(answer)
}

// idOf returns the id of a message; it is zero if it is neither a string nor an integer.
func idOf(m message.Message) (id runtime.ID) {
	_ = id.UnmarshalJSON(m.ID)
	return id
}

// passAnswer passes on the answer of a page to a request of the server.
func (r *relayConn) passAnswer(m message.Message) {
	r.mu.Lock()
	key := idOf(m).Key()
	to := r.waiting[key]
	delete(r.waiting, key)
	r.mu.Unlock()
	if to != nil {
		to <- m
	}
}

// Handle implements [runtime.Handler]: it passes on what the server asks.
func (r *relayConn) Handle(ctx context.Context, c *runtime.Call) {
	var params []byte
	for c.OptionalParams("") {
		params = []byte(c.Reader().Raw().String())
	}
	c.Begin()
	if c.Answered() {
		return // the params are not JSON
	}
	if c.IsNotification() {
		if text, err := message.AppendNotification(nil, c.Method(), params); err == nil {
			r.write(text)
		}
		return
	}
	r.mu.Lock()
	r.next++
	id := strconv.Quote("server-" + strconv.FormatInt(r.next, 10))
	got := make(chan message.Message, 1)
	r.waiting[id] = got
	r.mu.Unlock()
	text, err := message.AppendRequest(nil, []byte(id), c.Method(), params)
	if err != nil {
		c.Fail(err)
		return
	}
	r.write(text)
	select {
	case <-ctx.Done():
		r.passAnswer(message.Message{ID: []byte(id)})
		c.Fail(ctx.Err())
	case <-r.ctx.Done():
		c.Fail(r.ctx.Err())
	case m := <-got:
		if m.Error != nil {
			c.Fail(runtime.Answer(m.Error.Code, m.Error.Message, m.Error.Data))
			return
		}
		c.Return(append(c.Result(), m.Result...))
	}
}

// Protocol implements [runtime.Handler].
func (*relayConn) Protocol() runtime.Protocol { return runtime.Plain }

// Condition implements [runtime.Handler].
func (*relayConn) Condition(runtime.Condition) error { return nil }

// Hooks implements [runtime.Handler].
func (*relayConn) Hooks() runtime.Hooks { return runtime.Hooks{} }
