package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
)

// Questions are input requests that a handler sends to the client together.
//
// In a session, the client is asked by requests of the server, and the handler waits for the
// responses. A stateless client cannot receive requests: the first time, Wait fails with an
// [*InputRequired], which the handler returns like any other error. The client receives the
// questions as the result, and repeats its request with the answers; then the handler runs again
// (basic/patterns/mrtr). So what a handler does before it asks is done in every round. Answers are
// kept by key from round to round, so a key must always stand for the same question.
//
// In a task, the questions are put to the client when it asks for the state or the result of the
// task, and the handler waits for the answers in both eras.
type Questions struct {
	ctx context.Context
	all []*question
}

// Ask returns an empty list of questions to the client of the request that ctx belongs to.
func Ask(ctx context.Context) *Questions { return &Questions{ctx: ctx} }

// add adds a question. Nil params are left out.
func (a *Questions) add(key, method string, needs capability, params wire.Appender, answer wire.Decoder) {
	n := &question{key: key, method: method, needs: needs, answer: answer, params: []byte("{}")}
	if params != nil {
		n.params, n.err = wire.Marshal(params)
	}
	a.all = append(a.all, n)
}

// Wait sends the questions and returns when all of them are answered. The error is a
// [*MissingCapabilityError] if the client has not declared the capability to answer, and an
// [*UnansweredError] if the client of a session takes longer than [Options.QuestionTimeout].
func (a *Questions) Wait() error {
	patience, task, err := a.settle()
	switch {
	case err != nil:
		return err
	case task != nil:
		return a.askTask(task)
	case patience == 0:
		return nil
	}
	return a.call(patience)
}

// settle takes answers that a stateless request carries. In a session there are none; it then
// returns how long the client may take. A duration of 0 means that the request is stateless. In a
// task, it returns the task.
func (a *Questions) settle() (patience time.Duration, task tasking.Task, err error) {
	s, err := acquire(a.ctx)
	if err != nil {
		return 0, nil, err
	}
	defer s.mu.Unlock()
	q := s.request
	err = a.check(q.Caller().Capabilities)
	switch {
	case err != nil:
		return 0, nil, err
	case q.task != nil:
		q.settleFromRounds(a.all)
		return 0, q.task, nil
	case q.handshake != nil:
		return q.server.opts.QuestionTimeout, nil, nil
	}
	return 0, nil, q.answerFromRounds(a.all)
}

// check returns the reason why the questions cannot be asked, if there is one.
func (a *Questions) check(c Capabilities) error {
	var missing []capability
	keys := make(map[string]bool)
	for _, n := range a.all {
		if n.err != nil {
			return n.err
		}
		if n.key == "" || keys[n.key] {
			return errors.New("mcp: two questions have the same key: " + n.key)
		}
		keys[n.key] = true
		if !n.needs.in(c) {
			missing = append(missing, n.needs)
		}
	}
	if missing == nil {
		return nil
	}
	return &MissingCapabilityError{Required: union(missing)}
}

// call sends all questions as requests and waits for the responses. A negative duration means no
// limit.
func (a *Questions) call(patience time.Duration) error {
	conn := runtime.PeerFrom(a.ctx)
	if conn == nil {
		return errNoPeer
	}
	if len(a.all) == 1 {
		return a.all[0].callWithin(a.ctx, conn, patience)
	}
	var all sync.WaitGroup
	for _, n := range a.all {
		all.Go(func() { n.err = n.callWithin(a.ctx, conn, patience) })
	}
	all.Wait()
	for _, n := range a.all {
		if n.err != nil {
			return n.err
		}
	}
	return nil
}

// callWithin sends a question as a request that is cancelled after a while.
func (n *question) callWithin(ctx context.Context, conn runtime.Conn, patience time.Duration) error {
	if patience < 0 {
		return n.call(ctx, conn)
	}
	waiting, cancel := context.WithTimeoutCause(ctx, patience, errNoAnswer)
	defer cancel()
	err := n.call(waiting, conn)
	if err != nil && context.Cause(waiting) == errNoAnswer && ctx.Err() == nil {
		return &UnansweredError{Key: n.key, Timeout: patience}
	}
	return err
}

// call sends a question as a request. If it gives up, it cancels the request
// (basic/patterns/cancellation).
func (n *question) call(ctx context.Context, conn runtime.Conn) (err error) {
	r := gen.NewRequest(conn, n.method)
	defer r.Close(&err)
	r.Send(ctx, append(r.Params(), n.params...))
	if r.Err() != nil && context.Cause(ctx) == errNoAnswer {
		withdraw(ctx, conn, r.ID())
	}
	for r.Result(nil) {
		n.answer.DecodeJSON(r.Reader())
		if c, ok := n.answer.(violation.Checker); ok {
			c.CheckRules(r.Violations())
		}
	}
	if e, ok := errors.AsType[*runtime.Error](r.Err()); ok && e.Code == runtime.CodeMethodNotFound {
		return &MissingCapabilityError{Required: union([]capability{n.needs})} // it has declared the capability for another client
	}
	return r.Err()
}

// askTask asks questions in a task, in which the handler waits for the answers.
func (a *Questions) askTask(task tasking.Task) error {
	var all []tasking.Question
	var open []*question
	for _, n := range a.all {
		if !n.settled {
			open = append(open, n)
			all = append(all, tasking.Question{Key: n.key, Method: n.method, Params: n.params})
		}
	}
	if open == nil {
		return nil
	}
	answers, err := task.Ask(a.ctx, all)
	if err != nil {
		return err
	}
	for i, n := range open {
		if err := wire.UnmarshalCopy(answers[i], n.answer); err != nil {
			return &invalidAnswer{n.key, err}
		}
	}
	return nil
}

// invalidAnswer means that the answer to a question does not fit it.
type invalidAnswer struct {
	key string
	err error
}

func (e *invalidAnswer) Error() string {
	return "the answer to " + protocol.Quote(e.key) + " is invalid: " + e.err.Error()
}

func (e *invalidAnswer) Unwrap() error { return e.err }

// ToolError implements [ToolError].
func (*invalidAnswer) ToolError() string { return "InvalidAnswer" }

// AppendData implements [ToolError].
func (e *invalidAnswer) AppendData(b []byte) []byte {
	return append(wire.AppendString(append(b, `{"key":`...), e.key), '}')
}
