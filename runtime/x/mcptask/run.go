package mcptask

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// run is a task that runs in this process.
type run struct {
	tasks   *Tasks
	call    *tasking.Call
	id      string
	cancel  context.CancelCauseFunc
	held    *memory.Account
	changed chan struct{} // gets a token when the record may have changed

	mu     sync.Mutex
	record Record
	news   chan struct{} // closed and replaced when the record has changed
	report progress
}

// run calls the handler and stores the outcome.
func (r *run) run(ctx context.Context) {
	defer r.tasks.leave(r)
	stop := r.tasks.store.Watch(r.id, r.wake)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		r.watch(ctx)
	}()
	r.wake() // what has changed before the watch began
	var response []byte
	defer func() { // even if the handler ends its goroutine
		r.report.stop()
		r.end(ctx, response)
		r.cancel(nil)
		<-watching
		stop()
	}()
	response = r.call.Run(ctx, r)
}

// wake notes that the record may have changed.
func (r *run) wake() { wake.Up(r.changed) }

// watch follows the record until ctx ends.
func (r *run) watch(ctx context.Context) {
	status := Working
	for {
		select {
		case <-ctx.Done():
			r.follow(ctx, &status) // the final state
			return
		case <-r.changed:
			r.follow(ctx, &status)
		}
	}
}

var (
	errExpired = errors.New("the task has expired")
	errEnded   = errors.New("another process has ended the task")
)

// follow reads the record: it passes answers on, cancels the handler of a task that has ended
// elsewhere or has expired, and notifies the session of a new status.
func (r *run) follow(ctx context.Context, status *Status) {
	within, end := limit(context.WithoutCancel(ctx))
	defer end()
	record, err := r.tasks.store.Read(within, r.id)
	switch {
	case errors.Is(err, ErrUnknown):
		r.cancel(errExpired)
		return
	case err != nil:
		return
	}
	r.mu.Lock()
	r.record = record
	close(r.news)
	r.news = make(chan struct{})
	r.mu.Unlock()
	switch {
	case record.Status == Cancelled:
		r.cancel(&mcp.CancelledError{Reason: record.Message})
	case record.Status.Final():
		r.cancel(errEnded)
	}
	if record.Status != *status {
		*status = record.Status
		r.notify(ctx, &record)
	}
}

// notify sends the state to the session that created the task (2025-11-25, basic/utilities/tasks, Task Status Notification). A session that has ended gets
// nothing; a client that does not read is not waited for.
func (r *run) notify(ctx context.Context, record *Record) {
	if r.call.Notify == nil {
		return
	}
	const patience = time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	b := r.tasks.appendTask([]byte(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":`), record, true)
	r.call.Notify(ctx, append(b, '}'))
}

// Ask implements [tasking.Task].
func (r *run) Ask(ctx context.Context, all []tasking.Question) ([][]byte, error) {
	asked := make([]Question, len(all))
	for i, q := range all {
		asked[i] = Question(q)
	}
	err := r.insist(ctx, ctx.Done(), true, func(record *Record) { record.ask(asked) })
	if err != nil && !errors.Is(err, errOver) {
		return nil, err
	}
	r.wake()
	for {
		r.mu.Lock()
		record, news := r.record, r.news
		r.mu.Unlock()
		if answers, err := answersTo(&record, all); answers != nil || err != nil {
			return answers, err
		}
		select {
		case <-news:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// answersTo returns the answers to questions, or nothing if one is missing.
func answersTo(record *Record, all []tasking.Question) ([][]byte, error) {
	answers := make([][]byte, len(all))
	for i, q := range all {
		a := record.answer(q.Key)
		switch {
		case a == nil:
			return nil, nil
		case a.Error != "":
			return nil, errors.New(a.Error)
		}
		answers[i] = a.Text
	}
	return answers, nil
}

// insist changes the record of a task that has not ended. While the store fails it tries again, until ctx ends, and for the last time when over is closed.
// If full is set, a store without room is an error.
func (r *run) insist(ctx context.Context, over <-chan struct{}, full bool, change func(*Record)) error {
	last := false
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		_, err := r.tasks.changeOpen(ctx, r.id, change)
		if err == nil || errors.Is(err, errOver) || errors.Is(err, ErrUnknown) || full && errors.Is(err, ErrFull) || last || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-over:
			last = true
		}
	}
}

// end stores the outcome of the handler, unless the task has been cancelled. While the store fails, it tries again until the task expires or
// the server shuts down. A result over a limit is not tried again, because it takes memory meanwhile: then the task has failed, which takes little.
func (r *run) end(ctx context.Context, response []byte) {
	r.mu.Lock()
	expiry := r.record.Expires()
	r.mu.Unlock()
	kept, stop := context.WithDeadline(context.WithoutCancel(ctx), expiry)
	defer stop()
	err := r.insist(kept, r.tasks.over, true, func(record *Record) { outcome(record, response, context.Cause(ctx)) })
	if errors.Is(err, ErrFull) {
		why := "the tool has run, and there is no room for its result: " + strings.TrimPrefix(err.Error(), ErrFull.Error()+": ")
		r.insist(kept, r.tasks.over, false, func(record *Record) { fail(record, why) })
	}
}

// outcome puts a task into the state that its response means.
func outcome(record *Record, response []byte, cause error) {
	p := wire.PeekAt(response)
	if failed := p.In("error"); failed.Kind() == wire.Object {
		text, _ := failed.In("message").Text()
		record.end(Failed, text)
		record.Error = slices.Clone(failed.JSON())
		return
	}
	result := p.In("result")
	switch {
	case errors.Is(cause, errShutDown):
		fail(record, "the server has shut down")
	case errors.As(cause, new(*mcp.CancelledError)):
		record.end(Cancelled, "")
	case result.Kind() != wire.Object:
		fail(record, "the tool did not answer")
	default:
		record.end(Completed, "")
		record.Result = slices.Clone(result.JSON())
		record.IsError = string(result.In("isError").JSON()) == "true"
	}
}

// fail ends a task with an internal error.
func fail(record *Record, why string) {
	record.end(Failed, why)
	b := wire.AppendString([]byte(`{"code":-32603,"message":`), "Internal error: "+why)
	record.Error = append(b, '}')
}

// progress writes the progress of a handler into its record, at most once per [progressInterval].
type progress struct {
	mu    sync.Mutex
	timer *time.Timer // writes; nil if there is nothing to write
	text  string
	done  bool
}

const progressInterval = 100 * time.Millisecond

// Report implements [tasking.Task].
func (r *run) Report(done, total float64, message string) {
	r.Describe(progressText(done, total, message))
}

// Describe implements [tasking.Task].
func (r *run) Describe(message string) {
	p := &r.report
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text == message {
		return
	}
	p.text = message
	if p.timer == nil && !p.done {
		p.timer = time.AfterFunc(progressInterval, r.flush)
	}
}

// flush writes the progress.
func (r *run) flush() {
	p := &r.report
	p.mu.Lock()
	text, over := p.text, p.done
	p.timer = nil
	p.mu.Unlock()
	if over {
		return
	}
	r.tasks.changeOpen(r.call.Context, r.id, func(record *Record) { record.Message = text })
}

// stop ends writing.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
	if p.timer != nil {
		p.timer.Stop()
	}
}

// progressText returns the progress for people: the message, and how much is done.
func progressText(done, total float64, message string) string {
	text := number(done)
	if total > 0 {
		text += " of " + number(total)
	}
	if message == "" {
		return text
	}
	return message + " (" + text + ")"
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
