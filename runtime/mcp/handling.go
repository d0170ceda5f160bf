package mcp

import (
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// handling is what the calls of tools and prompts and the reading of resources have in common: arguments are decoded, and there is one
// answer.
type handling struct {
	q     *Request
	c     *runtime.Call
	begun bool  // decoding of the arguments has begun
	done  bool  // there is a result
	err   error // there is none, because
}

// Name returns the name of the tool or prompt, as the client gave it.
func (h *handling) Name() string { return h.q.name }

// Reader returns the cursor at the arguments.
func (h *handling) Reader() *wire.Reader { return h.c.Reader() }

// Answered reports whether there is an answer already, such as that the arguments are invalid.
func (h *handling) Answered() bool { return h.done || h.err != nil }

// Fail answers with err; see [Handler].
func (h *handling) Fail(err error) {
	if !h.Answered() {
		h.err = err
		if err == nil {
			h.err = errNil
		}
	}
}

// give answers with b, which is a whole result behind its envelope.
func (h *handling) give(b []byte) {
	if !h.Answered() {
		h.done = true
		h.c.Return(b)
	}
}

// outcome is what the handler leaves.
func (h *handling) outcome() error {
	if !h.Answered() {
		return errUnanswered
	}
	return h.err
}

var (
	errNil        = errors.New("the handler failed with a nil error")
	errUnanswered = errors.New("the handler returned without an answer")
	errUnread     = errors.New("decoding rejected the arguments without a violation")
)

var noArguments = []byte("{}")

// arguments is the condition of the loop that decodes arguments; invalid makes the error for what breaks rules.
func (h *handling) arguments(invalid func(*rule.Error) error) bool {
	text := h.q.arguments
	if text == nil {
		text = noArguments
	}
	r, vs := h.c.Reader(), h.c.Violations()
	if !h.begun {
		h.begun = true
		h.c.ResetReader(text, 0, wire.MaxDepth)
		return true
	}
	switch r.Outcome(vs) {
	case wire.Faulty:
		vs.Reset()
		r.Collect(text, 0, wire.MaxDepth, vs)
		return true
	case wire.OverBudget:
		h.c.Condition(h.c.BudgetExceeded(text))
		h.done = true
	case wire.Violated:
		h.Fail(invalid(&rule.Error{Violations: vs.All(), Dropped: vs.Dropped()}))
		vs.Reset()
	case wire.Unexplained:
		h.Fail(errUnread)
	}
	return false
}
