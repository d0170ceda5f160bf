package runtime

import (
	"context"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Call is one request or notification while a [Handler] handles it. It is valid until Handle returns.
//
// Generated code decodes params in a loop over [Call.Params], and answers with [Call.Return] or [Call.Fail].
type Call struct {
	d   *Dispatcher
	msg []byte
	env envelope

	dst   []byte // what is answered goes behind what is here already
	start int    // where the answer begins in dst
	state callState

	phase  phase
	source []byte // what is decoded: msg, or params rewritten as an object
	at     int    // where the params start in source
	keys   string // of positional params; empty: they were not positional

	reader     wire.Reader
	shared     *wire.Budget // of the batch; nil: the message stands alone
	violations rule.Violations

	timedOut func() bool   // reports whether the declared timeout has passed; nil: none was declared
	timeout  time.Duration // as declared
	reads    *callContext  // has a session read on when the params are decoded; nil: there is none

	ctx        context.Context // of the handler; nil: it was not called
	dispatched context.Context // may hold an Outcome, which is looked for when an error is answered; nil: the call is of a session
	late       late            // answers at the deadline while the handler still runs; nil: nobody does
}

// callState is how far the answer is.
type callState uint8

const (
	unanswered callState = iota
	answered
	refused // by the envelope: answered even when there is no id
)

// phase is how far decoding of the params is.
type phase uint8

const (
	untouched phase = iota
	decoding        // see wire.Reader.Outcome
	decoded
)

// Method returns the name of the method.
func (c *Call) Method() string { return c.env.method }

// IsNotification reports whether there is no id, so no answer. An id may stand behind params that were not read yet.
func (c *Call) IsNotification() bool {
	if c.env.seen&hasID != 0 {
		return false
	}
	return c.env.complete || wire.PeekAt(c.msg).In("id").Kind() == wire.Invalid
}

// HasParams reports whether the message has params.
func (c *Call) HasParams() bool { return c.env.seen&hasParams != 0 }

// ID returns the id; none for a notification, and none for the ids null and 1.5 that plain JSON-RPC allows.
func (c *Call) ID() ID {
	id, _ := wire.ParseID(c.env.id.of(c.msg))
	return id
}

// Reader returns the cursor at the params.
func (c *Call) Reader() *wire.Reader { return &c.reader }

// Violations returns where the rules that params, or later a result, break are collected.
func (c *Call) Violations() *rule.Violations { return &c.violations }

// Answered reports whether the call is over: it was refused, or answered already.
func (c *Call) Answered() bool { return c.state != unanswered }

// Params is the condition of the loop that decodes params. Its body runs once, and a second time when something is wrong, to
// collect every violation. After the loop, [Call.Answered] reports whether the params were refused.
//
// Keys are the names of the fields in the order of the schema, newline-separated: an array is taken as their values. With empty keys
// the reader stands at the params themselves, whatever they are. Absent params count as {} when there are keys, and are
// refused when there are none. After an empty line, keys names those whose null in an array stands for nothing. Keys that begin with a
// newline refuse arrays.
func (c *Call) Params(keys string) bool {
	if c.phase == untouched {
		return c.begin(keys, true)
	}
	return c.again()
}

// OptionalParams is Params for params that may be absent: then the body does not run.
func (c *Call) OptionalParams(keys string) bool {
	if c.phase == untouched {
		return c.begin(keys, false)
	}
	return c.again()
}

// PeekParams looks ahead at the params, which may not be valid JSON yet: for handlers that have to know something of them before
// another handler decodes them. It is at nothing when there are none.
func (c *Call) PeekParams() wire.Peek {
	if !c.HasParams() {
		return wire.Peek{}
	}
	var r wire.Reader
	r.Reset(c.msg, c.env.params.start, c.d.depth-1)
	return r.Peek()
}

// NoParams reads past params that a method takes none of. False: the message was refused.
func (c *Call) NoParams() bool {
	if c.phase == untouched {
		c.decoded()
		c.finish()
	}
	return c.state == unanswered
}

// begin puts the reader at the params.
func (c *Call) begin(keys string, required bool) bool {
	c.phase = decoding
	depth := c.d.depth - 1
	if c.env.seen&hasParams == 0 {
		return c.absent(keys, required)
	}
	if at := c.env.params.start; c.msg[at] == '{' || keys == "" {
		c.source, c.at = c.msg, at
		c.ResetReader(c.msg, at, depth)
		return true
	}
	return c.positional(keys)
}

var emptyObject = []byte("{}")

// absent begins with params that are not there.
func (c *Call) absent(keys string, required bool) bool {
	switch {
	case !required:
		c.decoded()
		return false
	case keys == "":
		return c.misplaced("required", "params", "none")
	}
	c.source, c.at = emptyObject, 0
	c.reader.Reset(emptyObject, 0, 1)
	return true
}

// misplaced refuses params for what they are as a whole.
func (c *Call) misplaced(broken, expected, got string) bool {
	if c.finish() {
		c.violations.AddUnusable(rule.Violation{Rule: broken, Expected: expected, Got: got})
		c.invalidParams()
	}
	c.phase = decoded
	return false
}

// again decides, after the loop's body, whether it has to run once more.
func (c *Call) again() bool {
	switch outcome := c.reader.Outcome(&c.violations); {
	case outcome == wire.Faulty:
		return c.collect()
	case outcome == wire.OverBudget:
		if c.finish() {
			c.answer(c.d.condition(c.BudgetExceeded(c.msg)))
		}
	case !c.closeEnvelope():
		c.refuse()
	case outcome == wire.Violated:
		c.invalidParams()
	case outcome == wire.Unexplained:
		c.d.log.Error("params were refused without a reason", "method", c.env.method)
		c.answer(internal)
	}
	c.decoded()
	return false
}

// decoded is the end of decoding params: what follows is the method itself.
func (c *Call) decoded() {
	c.phase = decoded
	c.Begin()
}

// Begin has the session read on, whose next call starts then: decoding the params does so by itself. Only a handler that waits for
// something before calls it, such as one that stands before others and limits their rate.
func (c *Call) Begin() {
	if c.reads != nil {
		c.reads.begin()
	}
}

// closeEnvelope reads what follows params that were decoded where they stand.
func (c *Call) closeEnvelope() bool {
	if c.env.complete {
		return true
	}
	c.env.params.end = c.reader.Pos()
	return c.env.resume(c.msg, c.env.params.end) && c.env.isRequest()
}

// collect starts the pass that collects violations, when the message as a whole is a valid one.
func (c *Call) collect() bool {
	if !c.finish() {
		c.phase = decoded
		return false
	}
	c.violations.Reset()
	c.reader.Collect(c.source, c.at, c.d.depth-1, &c.violations)
	return true
}

// finish reads the message to its end, and refuses it when it is at fault.
func (c *Call) finish() bool {
	if c.env.finish(c.msg) && c.env.isRequest() {
		return true
	}
	c.refuse()
	return false
}

// WithTimeout returns a context that ends after the timeout d that the schema declares for the method. When it passes, the peer
// is told so: in a session at once, elsewhere when the handler returns.
func (c *Call) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, d)
	c.timeout = d
	c.timedOut = func() bool { return ctx.Err() == context.DeadlineExceeded }
	if c.late == nil || c.IsNotification() {
		return ctx, cancel
	}
	timer := c.answerAfter(d)
	return ctx, func() {
		timer.Stop()
		cancel()
	}
}

// late answers for a handler that is still running.
type late interface {
	// claim reports whether the answer is still to be given: it is true once.
	claim() bool
	// answerLate gives the answer, after a claim.
	answerLate(answer []byte)
}

// answerAfter has the timeout answered when it passes before the handler returns. The call may have ended by then, and be
// used for another message: nothing of it is touched.
func (c *Call) answerAfter(timeout time.Duration) *time.Timer {
	d, l, method := c.d, c.late, c.env.method
	id := append([]byte(nil), c.env.id.of(c.msg)...)
	return time.AfterFunc(timeout, func() {
		if l.claim() {
			d.peerLog.Warn("the handler runs past its timeout", "method", method, "timeout", timeout)
			l.answerLate(d.appendError(nil, id, d.condition(Condition{Kind: when.Timeout, Method: method, Timeout: timeout})))
		}
	})
}
