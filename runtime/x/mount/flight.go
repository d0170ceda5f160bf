package mount

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// flight is a call of a client that is passed on to a server.
type flight struct {
	client context.Context         // of the client's request
	who    any                     // see clientKey
	cancel context.CancelCauseFunc // cancels the call of the server

	begun atomic.Bool  // the server works on it
	asked atomic.Int64 // questions so far

	mu    sync.Mutex
	task  string // the id of the task of the server that it is, for a task of the client; empty if it is none
	again error  // why the client repeats the call; nil if it does not
}

type flightKey struct{}

// callTool calls a tool. What runs as a task for the client runs as a task of the server, if the tool can.
func (u *upstream) callTool(ctx context.Context, name string, arguments runtime.Raw, is entryState) (wire.Appender, error) {
	if of, _ := ctx.Value(tasking.Running{}).(tasking.Task); is == tasksOnly || is == tasksToo && of != nil {
		return u.runTask(ctx, name, arguments, of)
	}
	params := append(make([]byte, 0, 32+len(name)+len(arguments.String())), `{"name":`...)
	params = wire.AppendRaw(append(wire.AppendString(params, name), `,"arguments":`...), arguments)
	return u.call(ctx, "tools/call", wire.RawOf(append(params, '}')))
}

// runTask calls a tool as a task, and waits for its result. The argument of is the task of the client that it is passed on for, or
// nil if the client waits. Such a task has as long as that of the client, and continues over the next connection if one is lost.
func (u *upstream) runTask(ctx context.Context, name string, arguments runtime.Raw, of tasking.Task) (wire.Appender, error) {
	var result mcp.CallToolResult
	id := ""
	call := func(ctx context.Context, client *mcpclient.Client) (err error) {
		f := ctx.Value(flightKey{}).(*flight)
		t := client.ToolTask(name, id)
		if id == "" {
			if t, err = startTool(ctx, client, name, arguments); err != nil {
				return err
			}
			f.begun.Store(true)
		} else if _, err = t.Status(ctx); isLost(err) {
			f.begun.Store(true)
			return &callError{"Lost", fmt.Sprintf("The server %q has lost the task. It may have been carried out.", u.Name), err}
		}
		if of == nil {
			result, err = t.Run(ctx)
			return err
		}
		id = t.ID()
		f.becomes(id)
		for state, err := range t.Updates(ctx) {
			if err != nil {
				break
			}
			if state.Message != "" {
				of.Describe(state.Message)
			}
		}
		result, err = t.Run(ctx)
		return err
	}
	err := u.fly(ctx, of != nil, call)
	if result.Meta != nil {
		delete(result.Meta.Extra, tasking.RelatedTask) // the client knows no task of the other server
	}
	return &result, err
}

// startTool starts a task. If ctx ends, it waits a little for the id, so that the task can be cancelled.
func startTool(ctx context.Context, client *mcpclient.Client, name string, arguments runtime.Raw) (*mcpclient.Task[mcp.CallToolResult], error) {
	starting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { time.AfterFunc(settleTime, func() { cancel(context.Cause(ctx)) }) })()
	return client.StartTool(starting, name, arguments)
}

// call makes a request and returns the result as it is.
func (u *upstream) call(ctx context.Context, method string, params runtime.Raw) (wire.Appender, error) {
	var result runtime.Raw
	err := u.fly(ctx, false, func(ctx context.Context, client *mcpclient.Client) (err error) {
		result, err = mcpclient.Call(ctx, client, method, params)
		return err
	})
	return mcpdynamic.Raw(result), err
}

// complete completes an argument.
func (u *upstream) complete(ctx context.Context, ask func(ctx context.Context, client *mcpclient.Client) (mcpclient.Completion,
	error)) (values []string, err error) {
	err = u.fly(ctx, false, func(ctx context.Context, client *mcpclient.Client) error {
		found, err := ask(ctx, client)
		values = found.Values
		return err
	})
	return values, err
}

// fly passes a call on, with its progress, its questions and its cancellation. The error is that of the server, in the form in which the client gets it. A
// call that was not sent, because the connection had ended before, is made over the next one, and so is a task of the client, which neither waits for other
// calls nor has the time limit of a call.
func (u *upstream) fly(client context.Context, task bool, call func(ctx context.Context, c *mcpclient.Client) error) error {
	limited, stop := client, func() {}
	if !task {
		limited, stop = context.WithTimeoutCause(client, u.Timeout, &callError{mcp.TimedOut,
			fmt.Sprintf("The server %q did not answer within %v.", u.Name, u.Timeout), nil})
	}
	defer stop()
	for {
		c, again, err := u.flyOnce(limited, client, task, call)
		if !again || !u.another(limited, c) {
			return err
		}
	}
}

// flyOnce passes a call on over one connection, and reports whether it can be passed on over another one: nothing of it was sent, or it
// is a task that the server keeps.
func (u *upstream) flyOnce(limited, client context.Context, task bool,
	call func(ctx context.Context, c *mcpclient.Client) error) (c *mcpclient.Client, again bool, err error) {
	who := clientKey(client)
	c, release, err := u.take(limited, who, task)
	if err != nil {
		return nil, false, err
	}
	defer release()
	ctx, cancel := context.WithCancelCause(limited)
	defer cancel(nil)
	f := &flight{client: client, who: who, cancel: cancel}
	u.depart(f)
	defer u.arrive(f)
	ctx = context.WithValue(ctx, flightKey{}, f)
	if wanted, _ := client.Value(contextkey.Reports{}).(bool); wanted {
		ctx = mcpclient.WithProgress(ctx, func(p mcpclient.ProgressReport) { mcp.Progress(client, p.Done, p.Total, p.Message) })
	}
	err = call(withTrace(ctx), c)
	if ctx.Err() != nil || !u.settled(c) { // even if there is an answer: what was sent before it may not have been handled
		u.gaveUp(c, who)
	}
	if again := f.repeatReason(); again != nil {
		return c, false, again // whatever the server has made of the error that answered its question
	}
	unsent := wasUnsent(err)
	err = u.outcome(ctx, c, err)
	worked := f.begun.Load() || f.asked.Load() > 0 // or may have: it has asked something
	return c, !worked && unsent || f.taskID() != "" && isUnavailable(err), err
}

// wasUnsent reports whether a request was not sent, because the connection had ended before.
func wasUnsent(err error) bool {
	e, ok := errors.AsType[interface {
		error
		Unsent() bool
	}](err)
	return ok && e.Unsent()
}

// settled reports whether all messages of the server that came before the answer have been passed on. A client that does not read its log
// messages keeps those that follow waiting, and they must not reach the client of the next call.
func (u *upstream) settled(c *mcpclient.Client) bool {
	u.mu.Lock()
	at, current := u.link, u.client == c
	u.mu.Unlock()
	if !current {
		return true // what still comes belongs to no call
	}
	conn, ok := (*at.conn.Load()).(interface {
		Settle(ctx context.Context) bool
	})
	if !ok {
		return true // messages come with the call that they belong to
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	return conn.Settle(ctx)
}

// settleTime is how long a call waits for the messages before its answer, in addition to what the client waits for progress, and
// how long one that is cancelled waits for the id of its task.
const settleTime = 100 * time.Millisecond

// answerTime is how long a server may take to answer a call whose question the client answers by calling again.
const answerTime = 2 * time.Second

// becomes notes that the call is a task of the server now.
func (f *flight) becomes(task string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.task = task
}

// taskID returns the id of the task of the server that the call is, or nothing.
func (f *flight) taskID() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.task
}

// repeat notes that the client repeats the call, because of err. The call ends soon.
func (f *flight) repeat(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.again = err
	time.AfterFunc(answerTime, func() { f.cancel(err) })
}

// repeatReason returns why the client repeats the call, or nil if it does not.
func (f *flight) repeatReason() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.again
}

// withTrace returns a context that passes the trace of the client's request on.
func withTrace(ctx context.Context) context.Context {
	q := mcp.RequestFrom(ctx)
	if q == nil {
		return ctx
	}
	for _, key := range []string{"traceparent", "tracestate", "baggage"} {
		if value, ok := q.Meta(key); ok {
			ctx = mcpclient.WithMeta(ctx, key, wire.RawOf(wire.AppendString(nil, value)))
		}
	}
	return ctx
}

// outcome returns the error of a call for the client.
func (u *upstream) outcome(ctx context.Context, c *mcpclient.Client, err error) error {
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		return nil
	case errors.As(cause, new(*callError)):
		return cause
	case errors.As(err, new(*mcp.InputRequired)), errors.As(err, new(*mcp.UnansweredError)), errors.As(err, new(runtime.Coder)), errors.Is(err, mcp.ErrNotFound):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	over := errors.Is(err, mcpclient.ErrSessionOver) || u.left(c)
	if e := answerOf(err); e != nil && !over {
		return &passedError{e}
	}
	if errors.As(err, new(*runtime.ResponseError)) && !over {
		return err
	}
	if large, ok := errors.AsType[*frame.TooLargeError](err); ok {
		u.all.log.Warn("a message was over the size limit", "server", u.Name, "error", err)
		return &callError{"TooLarge", fmt.Sprintf("The call or its answer is larger than a message to or from the server %q may be, which is %d bytes. "+
			"The call may have been carried out. Ask for less at a time.", u.Name, large.Max), nil}
	}
	wake.Up(u.lost)
	u.all.log.Warn("a call was not answered", "server", u.Name, "error", err)
	return u.unavailable(err)
}

// left reports whether a connection has been given up. An error that came meanwhile is not an answer.
func (u *upstream) left(c *mcpclient.Client) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.client != c
}

func (u *upstream) depart(f *flight) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.flights[f] = true
}

func (u *upstream) arrive(f *flight) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.flights, f)
}

// of returns the call that a message of the server belongs to: the one in whose context it arrived, the task that it names, or the only one that the
// server can be working on. It never guesses among several, because they may be of different clients, and one that was given up counts as well. A question
// that names no task is that of a call which is none (2025-11-25, basic/utilities/tasks). A log message comes without its params, and may be that of a task.
func (at *link) of(ctx context.Context, params wire.Peek) *flight {
	u := at.upstream
	u.mu.Lock()
	defer u.mu.Unlock()
	if f, ok := ctx.Value(flightKey{}).(*flight); ok && u.flights[f] {
		return f
	}
	task, _ := params.In("_meta").In(tasking.RelatedTask).In("taskId").Text()
	may, logs := make([]*flight, 0, 1), params.Kind() == wire.Invalid
	for f := range u.flights {
		switch id := f.taskID(); {
		case id != "" && id == task:
			return f
		case id == "", logs, task == "" && len(u.flights) == 1:
			may = append(may, f)
		}
	}
	if u.client != nil && u.link == at && len(may) == 1 && !u.worksForOthers(may[0].who) {
		return may[0]
	}
	return nil
}

// question passes a question of the server on to the client whose call it belongs to.
func (at *link) question(ctx context.Context, asked mcpclient.Question) (runtime.Raw, error) {
	f := at.of(ctx, wire.PeekAt([]byte(asked.Params.String())))
	if f == nil {
		return runtime.Raw{}, runtime.Answer(runtime.CodeInternalError, "The question cannot be attributed to a call", runtime.Raw{})
	}
	questions := mcp.Ask(f.client)
	answer := questions.Forward(f.key(asked), asked.Method, withoutMember(asked.Params, "_meta"))
	err := questions.Wait()
	if err == nil {
		return answer.Result(), nil
	}
	if errors.As(err, new(*mcp.InputRequired)) {
		f.repeat(err)
		err = runtime.Answer(runtime.CodeInternalError, "The call will be repeated", runtime.Raw{})
	}
	if asked.Key == "" && errors.As(err, new(*mcp.MissingCapabilityError)) { // the handshake era has no code of its own for it
		err = runtime.Answer(runtime.CodeMethodNotFound, err.Error(), runtime.Raw{})
	}
	if e := answerOf(err); e != nil {
		err = &passedError{e}
	}
	return runtime.Raw{}, err
}

// key returns the key of a question, the same each time that a stateless client repeats the call.
func (f *flight) key(asked mcpclient.Question) string {
	n := f.asked.Add(1)
	if asked.Key != "" {
		return asked.Key
	}
	return asked.Method + " " + strconv.FormatInt(n, 10)
}

// passLog passes a log message on to the client whose call it belongs to, or to the log.
func (at *link) passLog(ctx context.Context, m mcpclient.LogMessage) {
	u := at.upstream
	if f := at.of(ctx, wire.Peek{}); f != nil {
		mcp.Log(f.client, mcp.LoggingLevel(m.Level), m.Logger, m.Data)
		return
	}
	u.all.log.Debug("a server has logged", "server", u.Name, "level", m.Level, "logger", m.Logger)
}
