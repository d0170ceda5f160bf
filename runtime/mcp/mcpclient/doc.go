// Package mcpclient is a client of the Model Context Protocol: it speaks to servers of every published revision, and finds out which era a
// server belongs to. [Connect] begins a connection over a [Dialer], such as those of packages stdio and mcphttp, or [InMemory] for a
// server of the same program. Generated clients call a [Client].
//
// What servers may ask (elicitation, sampling, roots) is answered by the handlers of [Options]. The payloads of the protocol, its eras and
// its revisions are in package mcp.
//
// Sections of the specification are named by their page below modelcontextprotocol.io/specification/2026-07-28.
package mcpclient
