// Package mcp serves the Model Context Protocol on top of package runtime: the stateless revision 2026-07-28, in which every request
// says which revision it speaks, and the revisions before it, which begin with a handshake. One server speaks both, mixed on one
// connection.
//
// Generated code declares what a server offers as [Declarations]; [NewServer] makes a server of them. A [Server] is a
// [runtime.Handler] that serves statelessly, and by its [runtime.Hooks] a session over standard input and output, TCP or a pipe serves
// both. Handlers report progress, log, and ask the client with the functions of this package that take their context; these do
// the same in either era.
//
// Clients are package mcpclient; they share the eras, revisions and payloads of this package.
//
// Sections of the specification are named by their page below modelcontextprotocol.io/specification/2026-07-28.
package mcp
