// Package mcphttp carries the Model Context Protocol over HTTP, as its transport Streamable HTTP says: the stateless revision
// 2026-07-28, in which every message is a request of its own, and the revisions before it, which keep sessions. One URL serves
// both.
//
// [NewHandler] makes an [http.Handler] of an [mcp.Server]; [Serve] runs one with timeouts that keep slow clients from
// holding it up. [Dial] is the other side: how an mcp client reaches a server.
//
// Sections of the specification are named by their page below modelcontextprotocol.io/specification/2026-07-28, or by their
// revision when it is an older one.
package mcphttp
