// Package tasking is what the server of package mcp and the tasks of package mcptask know of each other. Only package mcptask implements [Engine],
// and only programs that use tasks link it.
//
//test:by ./runtime/x/mcptask
package tasking

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Extension is the name of the extension that stateless clients and servers declare (SEP-2663).
const Extension = "io.modelcontextprotocol/tasks"

// RelatedTask is the key in _meta that names the task of a message (2025-11-25, basic/utilities/tasks, Related Task Metadata).
const RelatedTask = "io.modelcontextprotocol/related-task"

// ErrFull is wrapped by errors of tasks that were not created because there are too many.
var ErrFull = errors.New("there are too many tasks")

// ErrAway is wrapped by errors of what keeps tasks, if it cannot be reached at present.
var ErrAway = errors.New("tasks are not available at present")

// ErrOther is wrapped by the error for a task of another server, which shares what keeps tasks.
var ErrOther = errors.New("servers that share a store need names of their own in it, and this is a task of another server")

// Caller is the client that creates a task or refers to one.
type Caller struct {
	Owner   string // the principal; empty if there is none
	Session string // identifies the session; empty for a stateless client
	Server  string // the name of the server
}

// Handshake reports whether the client belongs to the handshake era.
func (c Caller) Handshake() bool { return c.Session != "" }

// Call is a call of a tool that is to run as a task.
type Call struct {
	Caller
	Tool string
	TTL  time.Duration // that the client asks for; 0 if it does not
	Size int           // bytes that are kept until the handler has returned

	// Context has the values for the handler. It does not end with the request.
	Context context.Context

	// Run calls the handler and returns the response message, or nothing if ctx was cancelled by the client.
	Run func(ctx context.Context, t Task) []byte

	// Notify sends a notification to the session that created the task. It is nil for a stateless client.
	Notify func(ctx context.Context, msg []byte) error
}

// Task is what a running call knows of its task.
type Task interface {
	// Ask returns the answers to questions, in their order. It waits until the client has given all of them. A question whose key was answered before
	// is not asked again.
	Ask(ctx context.Context, all []Question) ([][]byte, error)

	// Report sets the progress, see mcp.Progress.
	Report(done, total float64, message string)

	// Describe sets the message of the state, for people, which Report sets as well.
	Describe(message string)
}

// Running is the key in the context of a handler that runs as a task, whose value is a Task.
type Running struct{}

// Wrapper is the key in the context of a request whose value, an mcp.Middleware, wraps the call if it becomes a task.
type Wrapper struct{}

// Question is an input request.
type Question struct {
	Key    string          `json:"key"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Request is a request of a client about tasks.
type Request struct {
	Caller
	Method    string
	ID        string // of the task; empty for tasks/list
	Cursor    string // of tasks/list; empty for the first page
	Responses []byte // inputResponses of tasks/update, a JSON object; nil if absent

	// Ask asks the client of a session. It returns the answer as JSON. It is nil for stateless clients.
	Ask func(ctx context.Context, q Question) ([]byte, error)
}

// Engine keeps and runs tasks. Results are JSON objects in the form of the caller's era, without resultType and serverInfo.
type Engine interface {
	// Start creates a task and runs it. It returns the CreateTaskResult.
	Start(c *Call) ([]byte, error)

	// Serve answers a request.
	Serve(ctx context.Context, q *Request) ([]byte, error)

	// Watch calls changed after each change of a task that the caller owns, until stop is called, and reports whether there is such a task, or
	// that this cannot be found out at present. It does not wait for changed.
	Watch(ctx context.Context, c Caller, id string, changed func()) (stop func(), ok bool)

	// Shutdown cancels all tasks that run and waits for their handlers until ctx ends.
	Shutdown(ctx context.Context) error
}
