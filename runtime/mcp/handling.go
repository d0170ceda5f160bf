package mcp

import (
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Name returns the name of the tool or prompt as sent by the client.
func (h *handlerCall) Name() string { return h.q.name }

// Reader returns the reader of the arguments.
func (h *handlerCall) Reader() *wire.Reader { return h.c.Reader() }

// Answered reports whether the call has an answer, for instance because the arguments are invalid.
func (h *handlerCall) Answered() bool { return h.done || h.err != nil }

// Fail answers with err, see [Handler].
func (h *handlerCall) Fail(err error) {
	if !h.Answered() {
		h.err = err
		if err == nil {
			h.err = errNil
		}
	}
}

// give answers with b, which is a complete result after its envelope.
func (h *handlerCall) give(b []byte) {
	if !h.Answered() {
		h.done = true
		h.c.Return(b)
	}
}

// outcome returns the error of the call, or nil if there is a result.
func (h *handlerCall) outcome() error {
	if !h.Answered() {
		return errUnanswered
	}
	return h.err
}

var (
	errNil        = errors.New("the handler failed with a nil error")
	errUnanswered = errors.New("the handler returned without an answer")
	errNoObject   = errors.New("the result is not an object")
	errUnread     = errors.New("decoding rejected the arguments without a violation")
)

var noArguments = []byte("{}")

// arguments is the condition of the loop that decodes arguments. The function invalid makes the
// error from the violations.
func (h *handlerCall) arguments(invalid func(violation.Error) error) bool {
	text := h.q.arguments
	if text == nil {
		text = noArguments
	}
	if !h.begun {
		h.begun = true
		h.c.ResetReader(text, 0, wire.MaxDepth)
		return true
	}
	switch r, vs := h.c.Reader(), h.c.Violations(); r.Outcome(vs) {
	case wire.Faulty:
		vs.Reuse()
		r.Collect(text, 0, wire.MaxDepth, vs)
		return true
	case wire.OverBudget:
		vs.Reuse()
		h.c.Condition(h.c.BudgetExceeded(text))
		h.done = true
	case wire.Violated:
		h.Fail(invalid(violation.Error{Violations: vs.All(), Dropped: vs.Dropped()}))
		vs.Reset()
	case wire.Unexplained:
		h.Fail(errUnread)
	}
	return false
}
