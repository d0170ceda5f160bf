package mock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/stream"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
)

// handler returns what serves the messages of a connection.
func (m *mocker) handler() runtime.Handler {
	if m.srv != nil {
		return m.srv
	}
	return methods{m}
}

// overHTTP returns what serves HTTP.
func (m *mocker) overHTTP() http.Handler {
	if m.srv != nil {
		return mcphttp.NewHandler(m.srv, mcphttp.Options{})
	}
	h := rpchttp.NewHandler(methods{m}, rpchttp.Options{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, err := parseAsked(r.Header.Get(askedHeader))
		if err != nil {
			http.Error(w, askedHeader+": "+err.Error(), http.StatusBadRequest)
			return
		}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), askedKey{}, a)))
	})
}

// checkFail returns an error if nothing can fail as asked for.
func (s *service) checkFail(f fail) error {
	var names, known []string
	for _, o := range s.all() {
		names = append(names, o.name)
		if f.operation != "" && f.operation != o.name {
			continue
		}
		if o.mayFail(f.name) {
			return nil
		}
		for _, e := range o.errors {
			known = append(known, e.Name)
		}
	}
	switch {
	case f.operation != "" && !slices.Contains(names, f.operation):
		if near := violation.Closest(f.operation, names); near != "" {
			return fmt.Errorf("--fail: there is no %s; did you mean %s?", f.operation, near)
		}
		return fmt.Errorf("--fail: there is no %s, but %s", f.operation, violation.OneOf(names))
	case violation.Closest(f.name, known) != "":
		return fmt.Errorf("--fail: there is no error %s; did you mean %s?", f.name, violation.Closest(f.name, known))
	}
	slices.Sort(known)
	return fmt.Errorf("--fail: there is no error %s, but %s, and every code", f.name, violation.OneOf(append(slices.Compact(known), failedName)))
}

// resets restores the collections of the start at each signal, until ctx ends.
func (m *mocker) resets(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			m.reset()
		}
	}
}

// polling is how often the schema is looked at.
const polling = 300 * time.Millisecond

// follow reads the schema again when its file changes, until ctx ends. The argument last is the stamp of the file before it was read. A schema with faults is
// not served.
func (m *mocker) follow(ctx context.Context, file, last string, read func() (*service, error)) {
	ticker := time.NewTicker(polling)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := stamp(file)
		if now == last || now == "" {
			continue
		}
		last = now
		s, err := read()
		if err == nil && s.mcp != m.service.mcp {
			err = errors.New("it is now a service of another protocol: start the mock again")
		}
		if err == nil {
			err = m.replace(s)
		}
		if err != nil {
			fmt.Fprintf(m.log, "rpcgen mock: %s is not served, the schema before it is: %v\n", file, err)
			continue
		}
		fmt.Fprintf(m.log, "rpcgen mock: %s is served as it is now\n", file)
	}
}

// stamp returns a text that changes with a file; it is empty if there is none.
func stamp(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size())
}

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
	if o.items, err = newAnswers(o.item, m.vary); err != nil {
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
	m := h.find(c)
	if c.Method() == resetMethod && c.IsNotification() {
		if c.NoParams() {
			h.reset()
		}
		return
	}
	if id, ok := h.ends(c.Method()); ok && m == nil {
		stream.End(ctx, c, id)
		return
	}
	if m == nil {
		if !c.Answered() {
			c.MethodNotFound(h.names())
		}
		return
	}
	began := time.Now()
	var out *stream.Out
	if f := m.operation.stream; f != nil {
		if ctx, out = stream.Serve(ctx, c, f); out == nil {
			return
		}
		defer out.Close()
	}
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
		h.answer(ctx, c, m, out, args)
	}
	_, failed := c.Failure()
	h.line(c.Method(), args, failed, time.Since(began))
}

// find returns the method that a call is for. If its name is that of several, and it is for none of them, find answers it.
func (h methods) find(c *runtime.Call) *method {
	h.mu.RLock()
	all := h.methods[c.Method()]
	h.mu.RUnlock()
	if len(all) == 1 {
		return all[0]
	}
	var values []string
	for i, m := range all {
		param, value := m.declared.Constant()
		if values = append(values, value); stream.Constant(c, param) == value {
			return m
		}
		if i == len(all)-1 {
			stream.NoConstant(c, param, strings.Join(values, "\n"))
		}
	}
	return nil
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
func (h methods) answer(ctx context.Context, c *runtime.Call, m *method, out *stream.Out, args string) {
	c.Begin()
	r := m.answers.request(m.name, args)
	a, _ := ctx.Value(askedKey{}).(directive)
	if err := h.demand(ctx, m.operation, r, a, args); err != nil {
		c.Fail(err)
		return
	}
	if out != nil {
		h.stream(ctx, c, m, out, r, args)
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

// mockedItems is how many items a stream has.
const mockedItems = 3

// stream serves a stream: a few items, and then the result, or nothing more until the client ends it.
func (h methods) stream(ctx context.Context, c *runtime.Call, m *method, out *stream.Out, r request, args string) {
	err := h.send(ctx, out, m, r)
	if m.operation.stream.First {
		if err == nil {
			<-ctx.Done()
		}
		out.Answer(c, err)
		return
	}
	var result string
	if err == nil {
		result, err = h.result(m.operation, r, args)
	}
	if err != nil {
		c.Fail(err)
		return
	}
	c.Return(append(c.Result(), result...))
}

func (h methods) send(ctx context.Context, out *stream.Out, m *method, r request) error {
	for n := range uint64(mockedItems) {
		item, err := m.items.result(h.seed+n, r, "")
		if err != nil {
			return err
		}
		q := out.Begin()
		err = out.Send(ctx, q, append(out.Text(q), item...))
		q.Close(&err)
		if err != nil {
			return err
		}
	}
	return nil
}

// ends reports whether a method ends streams, and returns the member of its params that is the id.
func (h methods) ends(method string) (id string, ok bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, all := range h.methods {
		for _, m := range all {
			if f := m.operation.stream; f != nil && f.First && f.End == method {
				return cmp.Or(f.EndID, "id"), true
			}
		}
	}
	return "", false
}

// names returns the names of the methods, newline-separated.
func (h methods) names() string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return strings.Join(slices.Sorted(maps.Keys(h.methods)), "\n")
}

// askedKey is the key of what an HTTP request asks of the mock, in its context.
type askedKey struct{}
