package mcpclient

import (
	"errors"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// TaskStatus is the status of a task.
type TaskStatus string

// The statuses of tasks. The last three are final.
const (
	TaskWorking       TaskStatus = "working"
	TaskInputRequired TaskStatus = "input_required" // the server waits for answers of the client
	TaskCompleted     TaskStatus = "completed"
	TaskFailed        TaskStatus = "failed"
	TaskCancelled     TaskStatus = "cancelled"
)

// Final reports whether a task with this status has ended.
func (s TaskStatus) Final() bool {
	return s == TaskCompleted || s == TaskFailed || s == TaskCancelled
}

// TaskState is the state of a task (SEP-2663; 2025-11-25, basic/utilities/tasks).
type TaskState struct {
	Status           TaskStatus
	Message          string // for people, such as the progress; may be empty
	Created, Updated time.Time
	TTL              time.Duration // since Created; 0 means unlimited
	PollInterval     time.Duration // how often the server wants to be asked; 0 if it does not say
}

// ErrTaskCancelled is the error of a task that was cancelled.
var ErrTaskCancelled = errors.New("mcp: the task was cancelled")

// metaOf returns the members of _meta for a request.
func (n *negotiation) metaOf(q *outgoing) string {
	if q.tasks {
		return n.taskMeta
	}
	return n.meta
}

// readState reads a task in the form of either era.
func readState(p wire.Peek) (s TaskState) {
	text := func(name string) string {
		t, _ := p.In(name).Text()
		return t
	}
	s.Status, s.Message = TaskStatus(text("status")), text("statusMessage")
	s.Created, _ = time.Parse(time.RFC3339, text("createdAt"))
	s.Updated, _ = time.Parse(time.RFC3339, text("lastUpdatedAt"))
	s.TTL = max(millis(p.In("ttlMs")), millis(p.In("ttl")))
	s.PollInterval = max(millis(p.In("pollIntervalMs")), millis(p.In("pollInterval")))
	return s
}

// millis returns a duration in milliseconds. It is 0 if there is none, or if it is longer than a
// year.
func millis(p wire.Peek) time.Duration {
	const most = 365 * 24 * float64(time.Hour/time.Millisecond)
	if n := number(p); n > 0 && n <= most {
		return time.Duration(n * float64(time.Millisecond))
	}
	return 0
}

// taskError returns the JSON-RPC error of a task that has failed.
func taskError(p wire.Peek) error {
	e := &runtime.Error{Code: int64(number(p.In("code")))}
	e.Message, _ = p.In("message").Text()
	if data := p.In("data"); data.Kind() != wire.Invalid {
		e.Data, _ = wire.ParseRaw(data.JSON())
		e.HasData = true
	}
	return e
}
