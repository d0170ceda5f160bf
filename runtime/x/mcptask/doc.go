// Package mcptask runs calls of tools as tasks: the client of a long call gets a handle at once,
// and the result when the call is over, even after it has disconnected and come back.
//
// A schema says which tools run as tasks (task: optional or required). Their handlers are the same as those of other tools: [mcp.Progress] becomes the
// state of the task, questions to the client wait until the client has answered, and the context ends when the client cancels the task or when the task
// expires.
//
// Both forms of tasks are served: the extension io.modelcontextprotocol/tasks of revision 2026-07-28 (SEP-2663), and the tasks of revision 2025-11-25
// (basic/utilities/tasks).
//
// A task belongs to the principal that has created it (see [mcp.WithPrincipal]). For another principal there is no such task. Without principals, the id
// of a task is what gives access to it: it has 128 random bits.
package mcptask
