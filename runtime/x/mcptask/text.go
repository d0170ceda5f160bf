package mcptask

import (
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
)

// appendTask appends a task without its outcome.
func (t *Tasks) appendTask(b []byte, r *Record, handshake bool) []byte {
	return append(t.appendMembers(b, r, handshake), '}')
}

func (t *Tasks) appendMembers(b []byte, r *Record, handshake bool) []byte {
	ttl, poll := `,"ttlMs":`, `,"pollIntervalMs":`
	if handshake {
		ttl, poll = `,"ttl":`, `,"pollInterval":`
	}
	b = wire.AppendString(append(b, `{"taskId":`...), r.ID)
	b = wire.AppendString(append(b, `,"status":`...), string(shownStatus(r, handshake)))
	if r.Message != "" {
		b = wire.AppendString(append(b, `,"statusMessage":`...), r.Message)
	}
	b = wire.AppendString(append(b, `,"createdAt":`...), stamp(r.Created))
	b = wire.AppendString(append(b, `,"lastUpdatedAt":`...), stamp(r.Updated))
	b = wire.AppendInt(append(b, ttl...), r.TTL.Milliseconds())
	return wire.AppendInt(append(b, poll...), t.opts.PollInterval.Milliseconds())
}

// stamp returns a time as ISO 8601 has it, in milliseconds.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// shownStatus returns the status that clients of an era see: up to 2025-11-25, a tool that answers with
// isError has failed.
func shownStatus(r *Record, handshake bool) Status {
	if handshake && r.IsError {
		return Failed
	}
	return r.Status
}

// appendDetailed appends a task, for stateless clients with its outcome or its questions (SEP-2663,
// DetailedTask).
func (t *Tasks) appendDetailed(b []byte, r *Record, handshake bool) []byte {
	b = t.appendMembers(b, r, handshake)
	if handshake {
		return append(b, '}')
	}
	switch r.Status {
	case Completed:
		b = append(append(b, `,"result":`...), r.Result...)
	case Failed:
		b = append(append(b, `,"error":`...), r.Error...)
	case InputRequired:
		b = append(b, `,"inputRequests":`...)
		start := len(b)
		for _, q := range r.Questions {
			b = wire.AppendString(append(b, ','), q.Key)
			b = wire.AppendString(append(b, `:{"method":`...), q.Method)
			b = append(append(append(b, `,"params":`...), q.Params...), '}')
		}
		b = wire.CloseObject(b, start)
	}
	return append(b, '}')
}

// withTaskID returns the result of a task with the id of the task in its _meta.
func withTaskID(r *Record) []byte {
	p := wire.PeekAt(r.Result)
	var b []byte
	for name, value := range p.Members() {
		if name != "_meta" {
			b = append(append(wire.AppendString(append(b, ','), name), ':'), value.JSON()...)
		}
	}
	b = append(b, `,"_meta":`...)
	start := len(b)
	for name, value := range p.In("_meta").Members() {
		if name == tasking.RelatedTask {
			continue // of the task of another server that the handler has passed on
		}
		b = append(append(wire.AppendString(append(b, ','), name), ':'), value.JSON()...)
	}
	b = wire.AppendString(append(b, `,"`+tasking.RelatedTask+`":{"taskId":`...), r.ID)
	b = wire.CloseObject(append(b, '}'), start)
	return wire.CloseObject(b, 0)
}
