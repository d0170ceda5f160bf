// Package mcp serves the Model Context Protocol with package runtime: the stateless revision
// 2026-07-28, in which every request names its revision, and the earlier revisions, which begin
// with a handshake. One server serves both, even on the same connection.
//
// Generated code describes a server as [Declarations], and [NewServer] makes a server of them. A
// [Server] is a [runtime.Handler]. On its own it serves stateless requests; through its
// [runtime.Hooks], a session over standard input and output, TCP or a pipe serves both eras.
// Handlers report progress, write to the client's log and ask the client with those functions of
// this package that take their context. These functions work in both eras.
//
// Clients are in package mcpclient, which uses the eras, revisions and payloads of this package.
//
// Comments refer to pages of the specification by their path below
// modelcontextprotocol.io/specification/2026-07-28.
package mcp
