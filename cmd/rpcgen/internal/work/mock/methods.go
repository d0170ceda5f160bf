package mock

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// method is a method of JSON-RPC that is served.
type method struct {
	*operation
	input *judge // nil if it takes no params
}

func (m *mocker) newMethod(o *operation) (one *method, err error) {
	one = &method{operation: o}
	if o.answers, err = newAnswers(o.output, m.vary); err != nil {
		return nil, err
	}
	if o.input != "" {
		one.input, err = newJudge(o.input)
	}
	return one, err
}

// resetMethod is the notification that restores the collections of the start.
const resetMethod = "mock/reset"

// methods is the handler of the methods of JSON-RPC.
type methods struct{ *mocker }

// Protocol implements [runtime.Handler].
func (h methods) Protocol() runtime.Protocol {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.service.protocol
}

// Condition implements [runtime.Handler].
func (methods) Condition(runtime.Condition) error { return nil }

// Hooks implements [runtime.Handler].
func (methods) Hooks() runtime.Hooks { return runtime.Hooks{} }

// Handle implements [runtime.Handler].
func (h methods) Handle(ctx context.Context, c *runtime.Call) {
	h.mu.RLock()
	m := h.methods[c.Method()]
	h.mu.RUnlock()
	if c.Method() == resetMethod && c.IsNotification() {
		if c.NoParams() {
			h.reset()
		}
		return
	}
	if m == nil {
		c.MethodNotFound(h.names())
		return
	}
	began := time.Now()
	args := ""
	switch {
	case m.input == nil:
		c.NoParams()
	case m.optional:
		for c.OptionalParams(m.keys) {
			args = m.read(c)
		}
	default:
		for c.Params(m.keys) {
			args = m.read(c)
		}
	}
	if !c.Answered() {
		h.answer(ctx, c, m, args)
	}
	_, failed := c.Failure()
	h.line(c.Method(), args, failed, time.Since(began))
}

// read reads and checks the params.
func (m *method) read(c *runtime.Call) string {
	params := c.Reader().Raw()
	for _, v := range m.input.check(params.String()) {
		c.Violations().Add(v)
	}
	return strings.Clone(params.String())
}

// answer answers a call whose params fit.
func (h methods) answer(ctx context.Context, c *runtime.Call, m *method, args string) {
	c.Begin()
	r := m.answers.request(m.name, args)
	a, _ := ctx.Value(askedKey{}).(asked)
	if err := h.demanded(ctx, m.operation, r, a, args); err != nil {
		c.Fail(err)
		return
	}
	result, err := h.result(m.operation, r, args)
	if err != nil {
		c.Fail(err)
		return
	}
	if m.output == "" {
		c.ReturnEmpty()
		return
	}
	c.Return(append(c.Result(), result...))
}

// names returns the names of the methods, newline-separated.
func (h methods) names() string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return strings.Join(slices.Sorted(maps.Keys(h.methods)), "\n")
}

// askedKey is the key of what an HTTP request asks of the mock, in its context.
type askedKey struct{}
