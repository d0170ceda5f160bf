package mcp

import (
	"context"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/canonical"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/seal"
)

// takeRound takes over the state of the previous rounds. In a first round nothing was asked yet, so
// answers without a requestState are rejected.
func (q *Request) takeRound() error {
	switch {
	case q.hasState:
		return q.unseal()
	case q.responses == nil:
		return nil
	}
	for range wire.PeekAt(q.responses).Members() {
		return q.takeUnasked()
	}
	return nil
}

// takeUnasked rejects the answers of a first round, unless the server accepts them.
func (q *Request) takeUnasked() error {
	if !q.server.opts.UnaskedAnswers {
		return runtime.InvalidParams([]violation.Violation{{
			Pointer: "/requestState", Rule: "required", Expected: "the requestState that came with the questions: a first round carries no answers",
		}}, 0)
	}
	id := seal.Sign(q.server.opts.StateKeys[0], []byte(q.digest()+canonical.Value(q.responses)))
	q.rounds = &rounds{id: seal.Encoding.EncodeToString(id), unasked: true}
	return nil
}

// RoundsID returns a text that is the same in the rounds of one stateless request, from the second
// one on, and different for every other request.
//
// A client that gets no response to a round may repeat it, and the handler runs again
// (basic/patterns/mrtr). A handler can use the text as an idempotency key. It is empty in a first
// round without answers, and in a session, where a question does not begin a new round. With
// [Options.UnaskedAnswers], in a first round with answers, it is a digest of the request and the
// answers.
func RoundsID(ctx context.Context) string {
	s, err := acquire(ctx)
	if err != nil {
		return ""
	}
	defer s.mu.Unlock()
	if s.request.rounds == nil {
		return ""
	}
	return s.request.rounds.id
}

// answerFromRounds gives questions the answers that have arrived. The others are sent to the client
// when the handler has returned. The scope must be locked.
func (q *Request) answerFromRounds(all []*question) error {
	if q.route == nil || q.route.runs != asking {
		return errMayNotAsk
	}
	if q.rounds == nil {
		q.rounds = new(rounds)
	}
	var open []string
	for _, n := range all {
		if !q.answer(n) {
			open = append(open, n.key)
			q.rounds.open = append(q.rounds.open, n)
		}
	}
	if open != nil {
		return &InputRequired{Keys: open}
	}
	return nil
}

// settleFromRounds gives questions the answers that arrived before the task was created. The scope
// must be locked.
func (q *Request) settleFromRounds(all []*question) {
	if q.rounds == nil {
		return
	}
	for _, n := range all {
		n.settled = q.answer(n)
	}
}

// answer gives a question its answer, from a previous round or from this request if the client was
// asked for it. Other answers are ignored. The scope must be locked.
func (q *Request) answer(n *question) bool {
	for _, a := range q.rounds.answers {
		if a.key == n.key {
			return n.take(a.text)
		}
	}
	if !q.rounds.unasked && !slices.Contains(q.rounds.asked, n.key) {
		return false
	}
	text := string(wire.PeekAt(q.responses).In(n.key).JSON())
	if text == "" || !n.take(text) {
		return false
	}
	q.rounds.answers = append(q.rounds.answers, answerRecord{n.key, text})
	return true
}

// asks reports whether there are questions to send.
func (q *Request) asks() bool { return q.rounds != nil && len(q.rounds.open) > 0 }

// ask answers with the questions to the client, or returns why the client cannot be asked.
func (q *Request) ask() error {
	if !q.asks() {
		return errMayNotAsk
	}
	b := append(q.call.Result(), `{"resultType":"input_required","inputRequests":{`...)
	for i, n := range q.rounds.open {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, n.key)
		b = append(wire.AppendString(append(b, `:{"method":`...), n.method), `,"params":`...)
		b = append(append(b, n.params...), '}')
	}
	b = wire.AppendString(append(b, `},"requestState":`...), q.seal())
	if !q.server.opts.Anonymous {
		b = append(append(b, `,"_meta":{"`+protocol.MetaServerInfo+`":`...), q.server.implementation+"}"...)
	}
	q.call.Return(append(b, '}'))
	return nil
}
