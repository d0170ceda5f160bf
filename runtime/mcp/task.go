package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// callTask runs a call of a tool as a task if the tool supports that and the client can take a task. It reports whether the request is answered.
func (q *Request) callTask(ctx context.Context) (answered bool, err error) {
	asks, err := q.takesTask(q.server.runsAsTask(q.name))
	if err != nil || !asks {
		return false, err
	}
	result, err := q.server.opts.Tasks.Start(q.detach(ctx))
	if err != nil {
		return false, q.taskError(err)
	}
	q.call.Return(q.appendTask(q.call.Result(), result, "task"))
	return true, nil
}

// endTasks cancels the tasks and waits for them until ctx ends.
func (s *Server) endTasks(ctx context.Context) error {
	if s.opts.Tasks == nil {
		return nil
	}
	return s.opts.Tasks.Shutdown(ctx)
}

// takesTask reports whether the client gets a task for a call of a tool. A stateless client says that it can take one, and the server decides; the
// client of a session asks for one.
func (q *Request) takesTask(required, declared bool) (bool, error) {
	if q.handshake == nil {
		takes := declared && q.declaresTasks()
		if required && !takes {
			return false, missingTasks()
		}
		return takes, nil
	}
	if !protocol.Of(q.handshake.revision).Tasks {
		if required {
			return false, &fault{runtime.CodeMethodNotFound, 0, "The tool " + protocol.Quote(q.name) + " runs as a task only, which revision " +
				q.handshake.revision + " does not have", nil}
		}
		return false, nil
	}
	asks := q.call.PeekParams().In("task").Kind() == wire.Object
	switch {
	case asks && !declared && q.server.knows(q.name):
		return false, &fault{runtime.CodeMethodNotFound, 0, "The tool " + protocol.Quote(q.name) + " does not run as a task: leave out the member task", nil}
	case required && !asks:
		return false, &fault{runtime.CodeMethodNotFound, 0, "The tool " + protocol.Quote(q.name) + " runs as a task only: add the member task", nil}
	}
	return asks && declared, nil
}

// TakesTask reports whether the request is a call of a tool that is answered with a task.
func (q *Request) TakesTask() bool {
	if !hasTasks(q.server) || !q.route.is(toolsCall) || q.task != nil {
		return false
	}
	takes, err := q.takesTask(q.server.runsAsTask(q.name))
	return takes && err == nil
}

// runsAsTask reports whether a tool runs as a task, and whether it runs as nothing else.
func (s *Server) runsAsTask(tool string) (required, declared bool) {
	if required, declared = s.tasks[tool]; !declared && s.opts.Dynamic != nil {
		required, declared = s.opts.Dynamic.Task(tool)
	}
	return required, declared
}

// knows reports whether there is a tool with that name.
func (s *Server) knows(tool string) bool {
	if s.opts.Dynamic != nil && s.opts.Dynamic.Has(listing.Tools, tool) {
		return true
	}
	for t := range wire.PeekAt([]byte(s.info.Tools)).Elements() {
		if name, _ := t.In("name").Text(); name == tool {
			return true
		}
	}
	return false
}

// declaresTasks reports whether a stateless client has declared the extension in this request.
func (q *Request) declaresTasks() bool {
	return protocol.Capabilities(q.meta.capabilities).Has("extensions", tasking.Extension)
}

// missingTasks is the error for a client that has not declared the extension (SEP-2663, Capability Negotiation).
func missingTasks() error {
	return &MissingCapabilityError{Required: `{"extensions":{"` + tasking.Extension + `":{}}}`}
}

// taskCaller returns the client of the request as tasks know it.
func (q *Request) taskCaller() tasking.Caller {
	c := tasking.Caller{Owner: PrincipalFrom(q.context), Server: q.server.info.Name}
	if q.handshake != nil {
		c.Session = q.handshake.session.taskID()
	}
	return c
}

// taskID returns a text that identifies the session, also in another process that continues it.
func (h *session) taskID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.id == "" {
		h.id = rand.Text()
		h.version.Add(1)
	}
	return h.id
}

// taskError returns the answer for an error of [Tasks].
func (q *Request) taskError(err error) error {
	reason := err.Error()
	switch {
	case errors.Is(err, tasking.ErrAway):
		q.server.peerLog.Warn("tasks cannot be read or changed at present", "error", err)
		reason = tasking.ErrAway.Error()
	case !errors.Is(err, tasking.ErrFull):
		if errors.Is(err, tasking.ErrOther) {
			q.server.peerLog.Warn("a task was not found", "error", errors.Unwrap(err))
		}
		return err
	}
	return q.server.Condition(runtime.Condition{Kind: when.Overloaded, Method: q.method, Reason: reason})
}

// detach returns the call of the request, which continues when the request has ended. The context keeps the values of ctx, such as those that
// middleware has added.
func (q *Request) detach(ctx context.Context) *tasking.Call {
	s, handshake := q.server, q.handshake
	c := &tasking.Call{Caller: q.taskCaller(), Tool: strings.Clone(q.name)}
	msg := q.repeatMessage()
	c.Size = cap(msg)
	var answers []answerRecord
	if q.rounds != nil {
		answers = q.rounds.keepAnswers()
		for _, a := range answers {
			c.Size += len(a.key) + len(a.text)
		}
	}
	if h, ok := q.HTTP().(interface{ Size() int }); ok {
		c.Size += h.Size() // the context keeps them
	}
	ctx = transport.WithOutcome(context.WithoutCancel(ctx), new(transport.Outcome))
	if handshake == nil {
		ctx = transport.WithPeer(ctx, nil)
	} else {
		ctx = transport.WithPeer(ctx, handshake.session.conn)
		c.Notify = handshake.session.conn.Notify
		if ttl := q.call.PeekParams().In("task").In("ttl"); ttl.Kind() == wire.NumberKind {
			c.TTL = milliseconds(ttl)
		}
	}
	c.Context = ctx
	c.Run = func(ctx context.Context, t tasking.Task) []byte {
		d := &taskHandler{s, handshake, t, answers}
		return runtime.NewDispatcher(d, runtime.Options{Logger: s.log}).Dispatch(context.WithValue(ctx, tasking.Running{}, t), nil, msg)
	}
	return c
}

// repeatMessage returns a message for the same call of the tool, in memory of its own. It has what the handler may read of the params.
func (q *Request) repeatMessage() []byte {
	meta := q.call.PeekParams().In("_meta").JSON()
	name := wire.AppendString(nil, q.name)
	msg := make([]byte, 0, 128+len(name)+len(q.arguments)+len(meta))
	msg = append(append(msg, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`...), name...)
	if q.arguments != nil {
		msg = append(append(msg, `,"arguments":`...), q.arguments...)
	}
	if meta != nil {
		msg = append(append(msg, `,"_meta":`...), meta...)
	}
	return append(msg, "}}"...)
}

// milliseconds returns a duration that a client asks for. It is 0 if the number is not an integer of milliseconds within ten years.
func milliseconds(p wire.Peek) time.Duration {
	var ms int64
	err := wire.Unmarshal(p.JSON(), func(r *wire.Reader) { ms = r.Int64() }, nil)
	const most = int64(10 * 365 * 24 * time.Hour / time.Millisecond)
	if err != nil || ms < 0 || ms > most {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// taskHandler is the [runtime.Handler] of one call that runs as a task.
type taskHandler struct {
	*Server
	handshake *handshake
	task      tasking.Task
	answers   []answerRecord // to questions before the task was created
}

// serveTask serves the requests about tasks.
func serveTask(ctx context.Context, q *Request) error {
	if q.handshake == nil && !q.declaresTasks() {
		return missingTasks()
	}
	r := &tasking.Request{Caller: q.taskCaller(), Method: q.method, ID: q.name, Cursor: q.cursor, Responses: q.responses}
	if q.method == tasksUpdate && q.responses == nil {
		v := violation.Violation{Pointer: "/inputResponses", Rule: "required", Expected: `member "inputResponses"`}
		return runtime.InvalidParams([]violation.Violation{v}, 0)
	}
	if q.handshake != nil {
		id := strings.Clone(q.name)
		r.Ask = func(ctx context.Context, n tasking.Question) ([]byte, error) { return askFor(ctx, id, n) }
	}
	result, err := q.server.opts.Tasks.Serve(ctx, r)
	if err != nil {
		return q.taskError(err)
	}
	if q.method == "tasks/result" {
		q.call.Return(q.appendResult(q.call.Result(), result, false))
		return nil
	}
	q.call.Return(q.appendTask(q.call.Result(), result, "complete"))
	return nil
}

// appendTask appends a result about a task. For a stateless client it adds the resultType and the server.
func (q *Request) appendTask(b, result []byte, kind string) []byte {
	if q.handshake != nil {
		return append(b, result...)
	}
	start := len(b)
	if members := result[1 : len(result)-1]; len(members) > 0 {
		b = append(append(b, ','), members...)
	}
	b = append(append(append(b, `,"resultType":"`...), kind...), '"')
	return wire.CloseObject(q.appendMeta(b, nil), start)
}

// askFor asks the client of a session a question of a task.
func askFor(ctx context.Context, task string, n tasking.Question) (answer []byte, err error) {
	conn := runtime.PeerFrom(ctx)
	if conn == nil {
		return nil, errNoPeer
	}
	r := gen.NewRequest(conn, n.Method)
	defer r.Close(&err)
	b := r.Params()
	start := len(b)
	for name, value := range eachMember(n.Params) {
		if name != "_meta" {
			b = append(append(wire.AppendString(append(b, ','), name), ':'), value...)
		}
	}
	b = wire.AppendString(append(b, `,"_meta":{"`+tasking.RelatedTask+`":{"taskId":`...), task)
	r.Send(ctx, wire.CloseObject(append(b, "}}"...), start))
	for r.Result(nil) {
		answer = bytes.Clone(r.Reader().Text())
	}
	return answer, r.Err()
}
