package mcptask

import (
	"context"
	"errors"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
)

// Store keeps tasks. Processes that share a store serve each other's tasks: a task runs in the process that has created it, and every process answers for it. A
// store must be safe for concurrent use. What does not end within 5 seconds, when the contexts end, counts as an error.
type Store interface {
	// Create adds a task. When it returns, Read finds the task. If there are too many tasks, the
	// error wraps [ErrFull].
	Create(ctx context.Context, r Record) error

	// Read returns a task. The error is [ErrUnknown] if there is none, or if it has expired.
	Read(ctx context.Context, id string) (Record, error)

	// Change reads a task, calls change, and replaces the task by the result in one step: if
	// another change comes in between, it reads again. If change fails, the task stays as it is,
	// and Change returns the error of change. If there is no room for the result, the error wraps
	// [ErrFull].
	Change(ctx context.Context, id string, change func(*Record) error) (Record, error)

	// List returns tasks in the order of their creation: those of an owner or, if owner is empty,
	// those of a session. After is the id of the last task of the previous page; empty means the
	// first page. The error is [ErrUnknown] if it is not such a task.
	List(ctx context.Context, owner, session, after string, limit int) ([]Record, error)

	// Watch calls changed after each change of a task and when the task is deleted, until stop is
	// called. Changes that follow each other closely may be reported together. Changed does not
	// block.
	Watch(id string, changed func()) (stop func())
}

// limit returns a context for one use of a store: what it was asked, or its answer, may be lost.
func limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 5*time.Second)
}

// The errors of stores.
var (
	ErrUnknown = errors.New("mcptask: there is no such task")

	// ErrFull is matched by errors of tasks for which there is no room.
	ErrFull = tasking.ErrFull
)
