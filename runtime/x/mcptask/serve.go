package mcptask

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
)

// protocolError is a JSON-RPC error of MCP.
type protocolError struct {
	code int64
	text string
	data []byte // JSON; nil if there is none

	cause error // for the log of the server
}

func (e *protocolError) Error() string { return e.text }

func (e *protocolError) Unwrap() error { return e.cause }

// RPCError implements [runtime.Coder].
func (e *protocolError) RPCError() runtime.ErrorObject {
	o := runtime.ErrorObject{Code: e.code, Message: e.text, Category: "mcp"}
	if e.data != nil {
		o.AppendData = func(b []byte) []byte { return append(b, e.data...) }
	}
	return o
}

// unknownTask is the error for a task that does not exist, has expired, or belongs to another principal. These are not distinguished.
func unknownTask(id string, cause error) error {
	return &protocolError{cause: cause, code: runtime.CodeInvalidParams, text: "There is no task " + protocol.Quote(peerlog.Clip(id)) + ", or it has expired"}
}

var ack = []byte("{}")

// Serve implements [mcp.Tasks].
func (t *Tasks) Serve(ctx context.Context, q *tasking.Request) ([]byte, error) {
	if q.Method == "tasks/list" {
		return t.list(ctx, q)
	}
	r, err := t.ownTask(ctx, q.Caller, q.ID)
	if err != nil {
		return nil, err
	}
	switch q.Method {
	case "tasks/get":
		return t.appendDetailed(nil, &r, q.Handshake()), nil
	case "tasks/update":
		return t.update(ctx, q)
	case "tasks/cancel":
		return t.cancel(ctx, q)
	case "tasks/result":
		return t.result(ctx, q, r)
	}
	return nil, errors.New("mcptask: unknown method " + q.Method)
}

// update takes answers of a stateless client (SEP-2663, Task Update Requests). Answers to questions that do not wait are ignored.
func (t *Tasks) update(ctx context.Context, q *tasking.Request) ([]byte, error) {
	var answers []Answer
	for key, p := range wire.PeekAt(q.Responses).Members() {
		answers = append(answers, Answer{Key: string([]byte(key)), Text: slices.Clone(p.JSON())})
	}
	_, err := t.change(ctx, q.ID, func(r *Record) { r.settle(answers...) })
	if errors.Is(err, errOver) {
		err = nil
	}
	return ack, err
}

// change changes a task that has not ended, for a request.
func (t *Tasks) change(ctx context.Context, id string, change func(*Record)) (Record, error) {
	r, err := t.changeOpen(ctx, id, change)
	if errors.Is(err, ErrUnknown) {
		err = unknownTask(id, nil)
	}
	return r, away(ctx, err)
}

// changeOpen changes a task that has not ended.
func (t *Tasks) changeOpen(ctx context.Context, id string, change func(*Record)) (Record, error) {
	within, end := limit(ctx)
	defer end()
	return t.store.Change(within, id, func(r *Record) error {
		if r.Status.Final() {
			return errOver
		}
		change(r)
		r.Updated = time.Now().UTC()
		return nil
	})
}

// cancel cancels a task. A stateless client may cancel a task that has ended (SEP-2663, Task Cancellation); the client of a session may not (2025-11-25,
// basic/utilities/tasks, Task Cancellation).
func (t *Tasks) cancel(ctx context.Context, q *tasking.Request) ([]byte, error) {
	r, err := t.change(ctx, q.ID, func(r *Record) { r.end(Cancelled, "The task was cancelled by request.") })
	switch {
	case q.Handshake() && errors.Is(err, errOver):
		return nil, &protocolError{code: runtime.CodeInvalidParams, text: "The task has already ended: it is " + string(shownStatus(&r, true))}
	case err != nil && !errors.Is(err, errOver):
		return nil, err
	case q.Handshake():
		return t.appendTask(nil, &r, true), nil
	}
	return ack, nil
}

// list serves tasks/list. Without a principal, a client sees only the tasks of its session: nothing else says that the others are its own.
func (t *Tasks) list(ctx context.Context, q *tasking.Request) ([]byte, error) {
	session := q.Session
	if q.Owner != "" {
		session = ""
	}
	within, end := limit(ctx)
	defer end()
	all, err := t.store.List(within, q.Owner, session, q.Cursor, t.opts.PageSize+1)
	if errors.Is(err, ErrUnknown) {
		v := violation.Violation{Pointer: "/cursor", Rule: "enum", Expected: "a nextCursor of this list", Got: protocol.Quote(peerlog.Clip(q.Cursor))}
		return nil, runtime.InvalidParams([]violation.Violation{v}, 0)
	}
	if err != nil {
		return nil, away(ctx, err)
	}
	b := []byte(`{"tasks":[`)
	start := len(b)
	for i := range all[:min(len(all), t.opts.PageSize)] {
		if all[i].other(q.Server) {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = t.appendTask(b, &all[i], true)
	}
	b = append(b, ']')
	if len(all) > t.opts.PageSize {
		b = wire.AppendString(append(b, `,"nextCursor":`...), all[t.opts.PageSize-1].ID)
	}
	return append(b, '}'), nil
}

// result waits until a task has ended and answers as its call would have. Meanwhile it asks the
// client the questions of the handler (2025-11-25, basic/utilities/tasks, Retrieving Task Results).
func (t *Tasks) result(ctx context.Context, q *tasking.Request, r Record) ([]byte, error) {
	changed := make(chan struct{}, 1)
	defer t.store.Watch(r.ID, func() { wake.Up(changed) })()
	for {
		r, err := t.ownTask(ctx, q.Caller, q.ID)
		if err != nil {
			return nil, err
		}
		if r.Status.Final() {
			return outcomeOf(&r)
		}
		asked, free, err := t.ask(ctx, q, &r)
		if err != nil {
			return nil, err
		}
		if asked {
			continue
		}
		select {
		case <-changed:
		case <-free:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-t.over:
			return nil, errShutDown
		}
	}
}

// ask asks the client of a session the first question that no request is asking yet, and reports whether there was one. If the client answers with an
// error, the handler gets that; if it disappears, the question keeps waiting. The channel free is closed when a request that asks one has ended.
func (t *Tasks) ask(ctx context.Context, q *tasking.Request, r *Record) (asked bool, free <-chan struct{}, err error) {
	for _, one := range r.Questions {
		key := r.ID + "/" + one.Key
		if taken := t.claim(key); taken != nil {
			free = cmp.Or(free, taken)
			continue
		}
		defer t.release(key)
		a := Answer{Key: one.Key}
		text, err := q.Ask(ctx, tasking.Question(one))
		refused, isError := errors.AsType[*runtime.Error](err)
		switch {
		case isError:
			a.Error = "the client did not answer: " + refused.Error()
		case err != nil:
			return false, nil, err
		default:
			a.Text = text
		}
		_, err = t.change(ctx, r.ID, func(r *Record) { r.settle(a) })
		if errors.Is(err, errOver) {
			err = nil
		}
		return true, nil, err
	}
	return false, free, nil
}

// claim notes that a question is being asked. If it is already, it returns a channel that the next release closes, of any question.
func (t *Tasks) claim(key string) (free <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.asking[key] {
		t.asking[key] = true
		return nil
	}
	return t.freed
}

func (t *Tasks) release(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.asking, key)
	close(t.freed)
	t.freed = make(chan struct{})
}

// outcomeOf returns what the call would have answered, with the task in the _meta of a result.
func outcomeOf(r *Record) ([]byte, error) {
	switch r.Status {
	case Completed:
		return withTaskID(r), nil
	case Failed:
		return nil, storedError(r.Error)
	}
	return nil, &protocolError{code: runtime.CodeInternalError, text: "The task was cancelled"}
}

// storedError returns the error of a task that has failed.
func storedError(text []byte) error {
	p := wire.PeekAt(text)
	e := &protocolError{code: runtime.CodeInternalError}
	wire.Unmarshal(p.In("code").JSON(), func(r *wire.Reader) { e.code = r.Int64() }, nil)
	e.text, _ = p.In("message").Text()
	if data := p.In("data"); data.Kind() != wire.Invalid {
		e.data = data.JSON()
	}
	return e
}
