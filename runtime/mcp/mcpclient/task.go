package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Task is a call of a tool that runs as a task, with a result of type R. The server keeps the task when the connection ends: a handle with the same
// id works on another connection. It is safe for concurrent use.
type Task[R any] struct {
	task
	decode func(*ToolRequest) (R, error)
}

// task is the part of a [Task] that does not depend on the type of the result.
type task struct {
	client   *Client
	tool     string
	declared recogniser
	id       string // empty if the server has answered at once
	token    int64  // that its progress has in the handshake era; 0 if it was started by another client

	replying sync.Mutex      // held while a question is answered
	answered map[string]bool // questions, by their keys; guarded by replying

	mu    sync.Mutex
	state TaskState
	out   *outcome // of a task that has ended; nil before
	err   error    // of a task that has ended without a result
}

// StartTool calls a tool with arguments, which are a JSON object, or null for none, and lets it run as a task. A stateless server may answer at once
// all the same: then the task is completed.
func (c *Client) StartTool(ctx context.Context, name string, arguments runtime.Raw) (t *Task[mcp.CallToolResult], err error) {
	q := c.NewToolRequest(name, nil)
	q.AsTask()
	if arguments.IsNull() {
		q.SendEmpty(ctx)
	} else {
		q.Send(ctx, append(q.Arguments(), arguments.String()...))
	}
	return StartedTask(q, wholeResult)
}

// ToolTask returns the handle of a task that was started before, by its id.
func (c *Client) ToolTask(name, id string) *Task[mcp.CallToolResult] {
	return TaskOf(c.NewToolRequest(name, nil), id, wholeResult)
}

func wholeResult(q *ToolRequest) (result mcp.CallToolResult, err error) {
	q.whole(&result)
	return result, q.Err()
}

// AsTask lets the call run as a task. Generated code calls it before it sends the request.
func (q *ToolRequest) AsTask() { q.request.tasks = true }

// StartedTask returns the task that a request has started. Generated code calls it; decode reads the result.
func StartedTask[R any](q *ToolRequest, decode func(*ToolRequest) (R, error)) (*Task[R], error) {
	if q.err != nil {
		return nil, q.err
	}
	t := TaskOf(q, "", decode)
	p := wire.PeekAt(q.out.text)
	if inner := p.In("task"); q.client.Era() == mcp.Handshake && inner.Kind() == wire.Object {
		p = inner
	} else if q.out.kind != "task" {
		t.state.Status, t.out = TaskCompleted, q.out
		return t, nil
	}
	t.token = q.request.token
	t.id, _ = p.In("taskId").Text()
	if t.state = readState(p); t.id == "" {
		return nil, &runtime.ResponseError{Method: q.request.title(), What: "a task without an id"}
	}
	return t, nil
}

// TaskOf returns the handle of a task of the tool of q, which need not be sent. Generated code calls it; decode reads the result.
func TaskOf[R any](q *ToolRequest, id string, decode func(*ToolRequest) (R, error)) *Task[R] {
	t := &Task[R]{decode: decode}
	t.client, t.tool, t.declared, t.id, t.answered = q.client, q.request.target, q.declared, id, make(map[string]bool)
	return t
}

// ID returns the id of the task, by which another connection of the same principal finds it again. It is empty if the server has answered at once.
func (t *task) ID() string { return t.id }

// Status asks the server for the state of the task.
func (t *task) Status(ctx context.Context) (TaskState, error) {
	if t.ended() {
		return t.last(), nil
	}
	_, err := t.get(ctx)
	return t.last(), t.declared.of(err)
}

// Cancel asks the server to cancel the task. A task that has ended stays as it is.
func (t *task) Cancel(ctx context.Context) error {
	if t.ended() {
		return nil
	}
	_, err := t.do(ctx, "tasks/cancel", nil)
	if _, refused := errors.AsType[*runtime.Error](err); refused && t.client.Era() == mcp.Handshake {
		if s, _ := t.Status(ctx); s.Status.Final() {
			return nil
		}
	}
	return t.declared.of(err)
}

// Wait waits until the task has ended and returns its result. Meanwhile the handlers of [Options] answer the questions of the server, and progress is
// passed on as that of a call is, if the server sends it; a server that is overloaded (503) is asked again, after pauses. The error of a task that was
// cancelled is [ErrTaskCancelled]. If ctx ends, the task continues, and Wait may be called again.
func (t *Task[R]) Wait(ctx context.Context) (result R, err error) {
	if err := t.wait(ctx); err != nil {
		return result, t.declared.of(err)
	}
	return t.result()
}

// Run waits like [Task.Wait], and cancels the task if ctx ends before.
func (t *Task[R]) Run(ctx context.Context) (R, error) {
	result, err := t.Wait(ctx)
	if err != nil && ctx.Err() != nil && !t.ended() {
		const patience = time.Second
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		if err := t.Cancel(ctx); err != nil {
			t.client.log.Debug("a task could not be cancelled", "tool", t.tool, "error", err)
		}
	}
	return result, err
}

// result decodes the outcome.
func (t *Task[R]) result() (R, error) {
	q := t.client.NewToolRequest(t.tool, t.declared)
	t.mu.Lock()
	q.out, q.err = t.out, t.declared.of(t.err)
	t.mu.Unlock()
	return t.decode(q)
}

// Updates returns the state of the task whenever it has changed, at last the final one. It answers questions of the server like [Task.Wait].
func (t *task) Updates(ctx context.Context) iter.Seq2[TaskState, error] {
	return func(yield func(TaskState, error) bool) {
		defer t.hear(ctx)()
		ctx, cancel := context.WithCancel(ctx)
		var asking sync.WaitGroup
		defer asking.Wait()
		defer cancel()
		var known *TaskState
		var fetched chan error // the error of waiting for the result, because the server asks only then
		for {
			s, err := t.step(ctx)
			if news := err != nil || known == nil || *known != s; news && !yield(s, t.declared.of(err)) || err != nil || s.Status.Final() {
				return
			}
			known = &s
			if s.Status == TaskInputRequired && t.client.Era() == mcp.Handshake && fetched == nil {
				fetched = make(chan error, 1)
				asking.Go(func() { fetched <- t.insist(ctx, t.fetch) })
			}
			err = t.client.polls.wait(ctx, t.client.life.ctx, t.id, s.PollInterval)
			select {
			case failed := <-fetched:
				err = cmp.Or(err, failed)
			default:
			}
			if err != nil {
				yield(s, t.declared.of(err))
				return
			}
		}
	}
}

// wait waits until the task has ended.
func (t *task) wait(ctx context.Context) error {
	defer t.hear(ctx)()
	if t.client.Era() == mcp.Handshake && !t.ended() {
		return t.insist(ctx, t.fetch)
	}
	for {
		s, err := t.step(ctx)
		if err != nil || s.Status.Final() {
			return err
		}
		if err := t.client.polls.wait(ctx, t.client.life.ctx, t.id, s.PollInterval); err != nil {
			return err
		}
	}
}

// hear passes the progress of the task on until forget is called. Stateless servers send none: their tasks have it in their state.
func (t *task) hear(ctx context.Context) (forget func()) {
	report := t.client.opts.reports(ctx)
	if report == nil || t.token == 0 || t.client.Era() == mcp.Stateless {
		return func() {}
	}
	return t.client.progress.expect(ctx, t.client.conn, t.token, report)
}

func (t *task) last() TaskState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// ended reports whether the outcome is known.
func (t *task) ended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.out != nil || t.err != nil
}

// do makes a request about the task.
func (t *task) do(ctx context.Context, method string, members []byte) (*outcome, error) {
	b := append(wire.AppendString([]byte(`,"taskId":`), t.id), members...)
	return t.client.do(ctx, &outgoing{method: method, target: t.id, members: b, tasks: true})
}

// insist makes a request about the task again, after pauses, while the server cannot serve it at present: the task goes on meanwhile.
func (t *task) insist(ctx context.Context, request func(context.Context) error) error {
	for {
		err := request(ctx)
		refused, isError := errors.AsType[*runtime.Error](err)
		if !errors.Is(err, protocol.ErrOverloaded) && !(isError && refused.Code == mcp.CodeOverloaded) {
			return err
		}
		if err := t.client.polls.wait(ctx, t.client.life.ctx, t.id, 0); err != nil {
			return err
		}
	}
}

// step asks for the state, and answers what the server asks.
func (t *task) step(ctx context.Context) (TaskState, error) {
	if t.ended() {
		return t.last(), nil
	}
	var p wire.Peek
	err := t.insist(ctx, func(ctx context.Context) (err error) {
		p, err = t.get(ctx)
		return err
	})
	if err == nil && t.client.Era() == mcp.Stateless {
		err = t.reply(ctx, p.In("inputRequests"))
	}
	return t.last(), err
}

// get asks for the state and keeps it.
func (t *task) get(ctx context.Context) (wire.Peek, error) {
	out, err := t.do(ctx, "tasks/get", nil)
	if err != nil {
		return wire.Peek{}, err
	}
	p := wire.PeekAt(out.text)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out != nil || t.err != nil {
		return p, nil // the outcome has overtaken this state, which is older
	}
	t.state = readState(p)
	switch {
	case t.state.Status == TaskCancelled:
		t.err = ErrTaskCancelled
	case t.client.Era() == mcp.Handshake: // the outcome has a request of its own
	case t.state.Status == TaskFailed:
		t.err = taskError(p.In("error"))
	case t.state.Status == TaskCompleted:
		return p, t.complete(p.In("result").JSON())
	}
	return p, nil
}

// complete keeps the result. The lock must be held.
func (t *task) complete(text []byte) error {
	q := &outgoing{method: "tools/call", target: t.tool}
	if text == nil {
		return &runtime.ResponseError{Method: q.title(), What: "a completed task without a result"}
	}
	out := &outcome{text: text}
	if err := resultOf(q, text, out.scan, nil); err != nil {
		return err
	}
	t.out = out
	return nil
}

// fetch waits for the result with a request that the server answers when the task has ended.
func (t *task) fetch(ctx context.Context) error {
	out, err := t.do(ctx, "tasks/result", nil)
	refused, isError := errors.AsType[*runtime.Error](err)
	switch {
	case err == nil:
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.out = out; !t.state.Status.Final() {
			t.state.Status = TaskCompleted
		}
		return nil
	case !isError:
		return err
	}
	if _, err := t.get(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil && t.state.Status == TaskFailed {
		t.err = refused
	}
	if t.err != nil {
		return nil
	}
	return err
}

// reply answers the questions that were not answered yet, unless another goroutine that waits for the task does so: the next state has what is left.
func (t *task) reply(ctx context.Context, questions wire.Peek) error {
	if !t.replying.TryLock() {
		return nil
	}
	defer t.replying.Unlock()
	var b []byte
	var keys []string
	for key, asked := range questions.Members() {
		if t.answered[key] {
			continue
		}
		b = append(wire.AppendString(append(b, ','), key), ':')
		var err error
		if b, err = t.client.opts.answer(ctx, b, embeddedQuestion(key, asked)); err != nil {
			return fmt.Errorf("a question of the task %s cannot be answered: %w", t.tool, err)
		}
		keys = append(keys, key)
	}
	if keys == nil {
		return nil
	}
	b = append([]byte(`,"inputResponses":`), wire.CloseObject(b, 0)...)
	err := t.insist(ctx, func(ctx context.Context) error {
		_, err := t.do(ctx, "tasks/update", b)
		return err
	})
	if err == nil {
		for _, key := range keys {
			t.answered[key] = true
		}
	}
	return err
}
