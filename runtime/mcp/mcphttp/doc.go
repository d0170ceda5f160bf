// Package mcphttp carries the Model Context Protocol over HTTP (Streamable HTTP): the stateless
// revision 2026-07-28, in which every message is a separate request, and the earlier revisions,
// which have sessions. One URL serves both.
//
// [NewHandler] makes an [http.Handler] of an [mcp.Server], and [Serve] runs it with timeouts
// against slow clients. [Dial] connects a client to a server.
//
// Comments refer to pages of the specification by their path below
// modelcontextprotocol.io/specification/2026-07-28, with the revision in front if it is an earlier
// one.
package mcphttp
