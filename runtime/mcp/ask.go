package mcp

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Questions are what a handler asks the client at once.
//
// A client of a session is asked by requests, and the handler waits for the answers. A stateless client cannot be asked: the first time,
// waiting fails with an [*InputRequired], which the handler returns like any other error; the client learns what is wanted,
// sends its request again with the answers, and the handler runs again from its start (basic/patterns/mrtr). So what a handler does before
// it asks is done in every round. Answers are kept by their keys from round to round; a key stands for one question.
type Questions struct {
	ctx context.Context
	all []*question
}

// question is one of them.
type question struct {
	key    string
	method string
	params []byte // JSON
	needs  capability
	answer wire.Decoder
	err    error // why there is no answer
}

// Ask begins questions to the client of the request whose context ctx is.
func Ask(ctx context.Context) *Questions { return &Questions{ctx: ctx} }

// add adds a question; params nil are none.
func (a *Questions) add(key, method string, needs capability, params wire.Appender, answer wire.Decoder) {
	n := &question{key: key, method: method, needs: needs, answer: answer, params: []byte("{}")}
	if params != nil {
		n.params, n.err = wire.Marshal(params)
	}
	a.all = append(a.all, n)
}

// InputRequired says that the client of a stateless request has to answer before its handler can go on. Handlers return it.
type InputRequired struct {
	Keys []string // of the questions that are open
}

func (e *InputRequired) Error() string {
	return "the client is to answer first: " + strings.Join(e.Keys, ", ")
}

// Errors of asking.
var (
	errNoPeer    = errors.New("mcp: this connection carries no questions")
	errMayNotAsk = errors.New("mcp: handlers of this method may not ask the client")
)

// Wait asks, and returns when all answers are there. When the client has not declared that it can answer, the error is a
// [*MissingCapabilityError]; when it belongs to a session and takes longer than [Options.QuestionTimeout], an [*UnansweredError].
func (a *Questions) Wait() error {
	patience, err := a.settle()
	if err != nil || patience == 0 {
		return err
	}
	return a.call(patience)
}

// settle looks for answers that are there already, unless the request belongs to a session: then there are none, and the client may take
// some time for them; zero is another client.
func (a *Questions) settle() (patience time.Duration, err error) {
	s, err := acquire(a.ctx)
	if err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	q := s.request
	if err := a.check(q.Caller().Capabilities); err != nil || q.shake != nil {
		return q.server.opts.QuestionTimeout, err
	}
	return 0, q.answerFromRounds(a.all)
}

// check looks for what keeps the questions from being asked.
func (a *Questions) check(c Capabilities) error {
	var missing []capability
	keys := make(map[string]bool)
	for _, n := range a.all {
		if n.err != nil {
			return n.err
		}
		if n.key == "" || keys[n.key] {
			return errors.New("mcp: every question has a key of its own: " + n.key)
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

// call asks by requests, all at once, and waits that long; less than zero is for ever.
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

// callWithin asks by a request that is given up after a while.
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

// call asks by a request. One that is given up is cancelled (basic/patterns/cancellation).
func (n *question) call(ctx context.Context, conn runtime.Conn) (err error) {
	r := gen.NewRequest(conn, n.method)
	defer r.Close(&err)
	r.Send(ctx, append(r.Params(), n.params...))
	if r.Err() != nil && context.Cause(ctx) == errNoAnswer {
		withdraw(ctx, conn, r.ID())
	}
	for r.Result(nil) {
		n.answer.DecodeJSON(r.Reader())
		if c, ok := n.answer.(rule.Checker); ok {
			c.CheckRules(r.Violations())
		}
	}
	return r.Err()
}

// take reads an answer. False: it is none to this question.
func (n *question) take(text string) bool { return wire.UnmarshalCopy([]byte(text), n.answer) == nil }

// capability is one that a client needs to answer a question.
type capability uint8

const (
	elicitsForm capability = iota
	elicitsURL
	samples
	samplesWithTools
	listsRoots
)

// in reports whether c has the capability.
func (n capability) in(c Capabilities) bool {
	switch n {
	case elicitsForm:
		return c.Elicitation()
	case elicitsURL:
		return c.ElicitationURL()
	case samples:
		return c.Sampling()
	case samplesWithTools:
		return c.Has("sampling", "tools")
	}
	return c.Roots()
}

// union returns capabilities as the JSON object of ClientCapabilities.
func union(all []capability) string {
	has := make(map[capability]bool)
	for _, n := range all {
		has[n] = true
	}
	var members []string
	switch {
	case has[elicitsForm] && has[elicitsURL]:
		members = append(members, `"elicitation":{"form":{},"url":{}}`)
	case has[elicitsForm]:
		members = append(members, `"elicitation":{"form":{}}`)
	case has[elicitsURL]:
		members = append(members, `"elicitation":{"url":{}}`)
	}
	if has[listsRoots] {
		members = append(members, `"roots":{}`)
	}
	switch {
	case has[samplesWithTools]:
		members = append(members, `"sampling":{"tools":{}}`)
	case has[samples]:
		members = append(members, `"sampling":{}`)
	}
	return "{" + strings.Join(members, ",") + "}"
}
