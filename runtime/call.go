package runtime

import (
	"context"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Call is one request or notification while a [Handler] handles it. It is valid until Handle returns, and is used by one goroutine.
//
// Generated code decodes the params in a loop over [Call.Params], and answers with [Call.Return] or [Call.Fail]. The first answer counts; later ones are
// ignored.
//
// The fast path decodes the params where they stand in the message and checks the rest of the envelope only afterwards, so each byte is read once. Only
// if decoding finds a fault, the params are decoded again to collect every violation.
type Call struct {
	d   *Dispatcher
	msg []byte
	env envelope.Envelope

	dst    []byte // the answer is appended to what it holds
	start  int    // index in dst at which the answer begins
	state  callState
	stray  bool // there is no such method
	stream bool // see [Tap]

	phase  phase
	source []byte // the text that is decoded: msg, or positional params rewritten as an object
	at     int    // index of the params in source
	keys   string // names of the fields if the params are positional; empty otherwise

	reader     wire.Reader
	shared     *wire.Budget // budget of the batch; nil if the message is not part of one
	violations Violations

	appendParams func(b []byte) []byte // the method paramsData; nil until it is needed

	timed    context.Context // ends at the deadline of the declared timeout; nil if none is declared
	timeout  time.Duration   // as declared
	deadline time.Time       // when it passes
	timers   *timeoutContext // contexts that end with the call; nil if there are none
	reads    *callContext    // lets another goroutine read once the params are decoded; nil outside of sessions

	ctx        context.Context // context of the handler; nil until it is called
	dispatched context.Context // context that may hold an Outcome; nil for a call of a session
	held       *memory.Account // holds the memory of msg until the call is released; nil outside of sessions
	items      int             // that a stream has sent
	late       late            // answers at the timeout while the handler still runs; nil if that is not possible
}

// callState is the state of the answer.
type callState uint8

const (
	unanswered callState = iota
	answered
	refused // the envelope is invalid: answered even without an id
)

// phase is the state of decoding the params.
type phase uint8

const (
	untouched phase = iota
	decoding        // see wire.Reader.Outcome
	decoded
)

// Method returns the name of the method. It shares the bytes of the message.
func (c *Call) Method() string { return c.env.Method }

// IsNotification reports whether the message has no id, and therefore gets no answer (JSON-RPC 2.0 section 4.1). If the params have not been read yet,
// it looks for an id that follows them.
func (c *Call) IsNotification() bool {
	return c.env.Seen&envelope.HasID == 0 && (c.env.Complete || wire.PeekAt(c.msg).In("id").Kind() == wire.Invalid)
}

// HasParams reports whether the message has the member params.
func (c *Call) HasParams() bool { return c.env.Seen&envelope.HasParams != 0 }

// ID returns the id of the request. It is zero for a notification, and for the ids null and 1.5, which are valid in plain JSON-RPC 2.0 only
// ([Protocol.NullID]).
func (c *Call) ID() ID {
	id, _ := wire.ParseID(c.env.ID.Of(c.msg))
	return id
}

// Reader returns the reader of the params. It is positioned in the loop over [Call.Params].
func (c *Call) Reader() *wire.Reader { return &c.reader }

// Violations returns the list to which decoding adds the violations of the params, and afterwards the validator those of the result.
func (c *Call) Violations() *Violations {
	if c.reader.Failed() {
		c.violations.Close() // the value was not decoded as a whole
	}
	return &c.violations
}

// Answered reports whether the call needs no answer any more: it was answered, or refused because the message is invalid.
func (c *Call) Answered() bool { return c.state != unanswered }

// Params is the condition of the loop that decodes params. The loop body runs once; it runs a second time if the params are invalid, to collect every
// violation. After the loop, [Call.Answered] reports whether the params were rejected.
//
// The argument keys holds the names of the fields in the order of the schema, newline-separated. An array is decoded as the values of these fields
// ([Protocol.Positional], JSON-RPC 2.0 section 4.2). After an empty line follow the names of the fields for which null in an array means absent. Keys
// that begin with a newline reject arrays. If keys is empty, the reader is positioned at the params whatever they are. If the message has no params,
// they count as {} with keys, and are rejected without keys.
func (c *Call) Params(keys string) bool {
	if c.phase == untouched {
		return c.begin(keys, true)
	}
	return c.again()
}

// OptionalParams is like [Call.Params] for params that may be absent. In that case the loop body does not run.
func (c *Call) OptionalParams(keys string) bool {
	if c.phase == untouched {
		return c.begin(keys, false)
	}
	return c.again()
}

// PeekParams returns a cursor at the params without decoding them. They may turn out to be invalid JSON later. It is for handlers that need a value from
// the params before another handler decodes them. If there are no params, the cursor is at nothing.
func (c *Call) PeekParams() Peek {
	if !c.HasParams() {
		return wire.Peek{}
	}
	return wire.PeekIn(c.msg, c.env.Params.Start, c.d.opts.MaxDepth-1)
}

// NoParams skips the params of a method that declares none. It reports false if the message was rejected.
func (c *Call) NoParams() bool {
	if c.phase == untouched {
		c.endDecoding()
		c.finish()
	}
	return c.state == unanswered
}

// begin positions the reader at the params for the fast pass.
func (c *Call) begin(keys string, required bool) bool {
	c.phase = decoding
	depth := c.d.opts.MaxDepth - 1
	if c.env.Seen&envelope.HasParams == 0 {
		return c.absent(keys, required)
	}
	if at := c.env.Params.Start; c.msg[at] == '{' || keys == "" {
		c.source, c.at = c.msg, at
		c.ResetReader(c.msg, at, depth)
		return true
	}
	return c.positional(keys)
}

var emptyObject = []byte("{}")

// absent handles a message without params.
func (c *Call) absent(keys string, required bool) bool {
	switch {
	case !required:
		c.endDecoding()
		return false
	case keys == "":
		return c.misplaced("required", "params", "none")
	}
	c.source, c.at = emptyObject, 0
	c.reader.Reset(emptyObject, 0, 1)
	return true
}

// misplaced rejects the params as a whole, for instance because they are an array. The envelope is checked first: its faults take precedence.
func (c *Call) misplaced(broken, expected, got string) bool {
	if c.finish() {
		c.violations.AddUnusable(violation.Violation{Rule: broken, Expected: expected, Got: got})
		c.invalidParams()
	}
	c.phase = decoded
	return false
}

// again decides after the loop body whether it runs once more, and answers if the params were rejected. A fault of the envelope takes precedence over
// violations of the schema: the params of an invalid request are not reported.
func (c *Call) again() bool {
	switch outcome := c.reader.Outcome(&c.violations); {
	case outcome == wire.Faulty:
		c.violations.Reuse()
		c.reader.Collect(c.source, c.at, c.d.opts.MaxDepth-1, &c.violations) // the pass fails at a fault of the syntax, which closeEnvelope refuses then
		return true
	case outcome == wire.OverBudget:
		c.violations.Reuse()
		if c.finish() {
			c.answer(c.d.condition(c.BudgetExceeded(c.msg)))
		}
	case !c.closeEnvelope():
		c.violations.Reuse() // closed, if the collecting pass has failed
		c.refuse(sessionOf(c.late))
	case outcome == wire.Violated:
		c.invalidParams()
	case outcome == wire.Unexplained:
		c.d.opts.Logger.Error("decoding rejected the params without a violation", "method", c.env.Method)
		c.violations.Reuse()
		c.answer(internal)
	}
	c.endDecoding()
	return false
}

// endDecoding ends decoding of the params. From here on the handler itself runs, so the session may read its next message.
func (c *Call) endDecoding() {
	c.phase = decoded
	c.Begin()
	if r := c.reads; r != nil && r.after > 0 {
		r.s.notifications.Wait(r, r.after) // until those are handled that must be handled before the handler starts
	}
}

// Begin lets the session read its next message while this call runs. Decoding the params calls it; call it only in a handler that blocks before it
// decodes the params, for instance to limit the rate of calls. Calls start in the order of their messages because the session reads on only here.
// Outside of sessions, and when called again, Begin does nothing.
func (c *Call) Begin() {
	if c.reads != nil {
		c.reads.begin()
	}
}

// closeEnvelope reads the members that follow params which were decoded in place. It reports false if the message is not a valid request.
func (c *Call) closeEnvelope() bool {
	if c.env.Complete {
		return true
	}
	if c.reader.Failed() { // in the collecting pass
		return c.env.Finish(c.msg) && c.env.IsRequest()
	}
	c.env.Params.End = c.reader.Pos()
	return c.env.Resume(c.msg, c.env.Params.End) && c.env.IsRequest()
}

// finish reads the message to its end. It reports false, and refuses the message, if it is not a valid request.
func (c *Call) finish() bool {
	if c.env.Finish(c.msg) && c.env.IsRequest() {
		return true
	}
	c.refuse(sessionOf(c.late))
	return false
}

// sessionOf returns the session that has read the request of l, or nil.
func sessionOf(l late) *Session {
	switch l := l.(type) {
	case *callContext:
		return l.s
	case *lateElement:
		return l.run.s
	}
	return nil
}

// WithTimeout returns a context that ends after d, the timeout that the schema declares for the method, or with the call, when its handler has returned.
// When the timeout passes, the peer receives the condition Timeout: in a session, and over transports that take late answers, at once, otherwise when
// the handler returns. Of several timeouts the one that passes first counts.
func (c *Call) WithTimeout(ctx context.Context, d time.Duration) context.Context {
	deadline := time.Now().Add(d)
	if c.timed != nil && c.deadline.Before(deadline) {
		return c.timer(ctx, deadline)
	}
	c.timeout, c.deadline = d, deadline
	c.mayBeLate()
	answered := true
	if c.late != nil {
		var own context.Context
		if own, answered = c.late.expireAt(ctx, deadline, d); own != nil {
			c.timed = own
			return own
		}
	}
	t := c.timer(ctx, deadline)
	if !answered {
		t.answer = c.answerAfter(d)
	}
	c.timed = t
	return t
}

// timer returns a context that ends at the deadline, or with the call.
func (c *Call) timer(ctx context.Context, deadline time.Time) *timeoutContext {
	c.timers = &timeoutContext{Context: ctx, deadline: deadline, outer: c.timers}
	return c.timers
}

// endTimers ends the contexts of timeouts, because the handler has returned.
func (c *Call) endTimers() {
	for t := c.timers; t != nil; t = t.outer {
		t.end()
	}
	c.timers = nil
}

// answerAfter answers with the condition Timeout if the timeout passes before the handler returns. By then the call may have ended and serve another
// message, since calls are pooled. So the timer uses copies and never touches c.
func (c *Call) answerAfter(timeout time.Duration) *time.Timer {
	d, l, method := c.d, c.late, c.env.Method
	id := append([]byte(nil), c.env.ID.Of(c.msg)...)
	return time.AfterFunc(timeout, func() {
		if l.claim() {
			d.peerLog.Warn("the handler exceeded its timeout", "method", method, "timeout", timeout)
			o := d.mapError(d.condition(Condition{Kind: when.Timeout, Method: method, Timeout: timeout}))
			l.answerLate(d.appendError(nil, id, o), o)
		}
	})
}
