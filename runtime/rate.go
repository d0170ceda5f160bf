package runtime

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// rateAnswers keeps the answers to calls over a rate. In a flood most of them are equal, and cost no
// more than a copy. An answer replaces the earlier one in its slot.
type rateAnswers [8]atomic.Pointer[rateAnswer]

// rateAnswer is the answer to calls of one method over one rate.
type rateAnswer struct {
	method string
	limit  int
	retry  int64 // seconds

	object ErrorObject
	tail   []byte // of the response: what follows the id
}

// RateLimited answers with the condition RateLimited: the method may be called limit times, and
// again after wait, which is rounded up to whole seconds. The error that the schema declares is
// asked for once for equal refusals, so that a flood of calls is cheap to refuse.
func (c *Call) RateLimited(limit int, wait time.Duration) {
	if c.state != unanswered || c.phase == untouched && !c.finish() {
		return
	}
	c.state = answered
	r := c.d.rateAnswer(c.env.Method, limit, Condition{RetryAfter: wait}.RetrySeconds())
	recordIn(c.dispatched, r.object)
	c.record(wait, "")
	c.dst = c.dst[:c.start]
	if c.IsNotification() {
		return
	}
	c.dst = append(c.dst, responseHead...)
	c.dst = append(c.dst, c.env.ID.Of(c.msg)...)
	c.dst = append(c.dst, r.tail...)
	if len(c.dst)-c.start > c.d.opts.MaxMessage {
		c.write(r.object)
	}
}

// rateAnswer returns the answer to a call over a rate. The name of the method may share memory of a
// message.
func (d *Dispatcher) rateAnswer(method string, limit int, retry int64) *rateAnswer {
	all := d.overRate.Load()
	if all == nil {
		d.overRate.CompareAndSwap(nil, new(rateAnswers))
		all = d.overRate.Load()
	}
	slot := &all[uint64(len(method)+limit+int(retry))%uint64(len(all))]
	if r := slot.Load(); r != nil && r.retry == retry && r.limit == limit && r.method == method {
		return r
	}
	r := &rateAnswer{method: strings.Clone(method), limit: limit, retry: retry}
	r.object = d.mapError(d.condition(Condition{
		Kind: when.RateLimited, Method: r.method, Limit: limit, RetryAfter: time.Duration(retry) * time.Second,
	}))
	const id = "0"
	r.tail = d.appendError(nil, []byte(id), r.object)[len(responseHead)+len(id):]
	slot.Store(r)
	return r
}
