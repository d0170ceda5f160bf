// Package mcpclient is a client of the Model Context Protocol. It works with servers of every
// published revision, and determines the era of a server. [Connect] opens a connection with a
// [Dialer], such as those of packages stdio and mcphttp, or [InMemory] for a server of the same
// program. Generated clients call a [Client].
//
// Questions of a server (elicitation, sampling, roots) are answered by the handlers of [Options].
// The payloads of the protocol, its eras and its revisions are in package mcp.
//
// Comments refer to pages of the specification by their path below
// modelcontextprotocol.io/specification/2026-07-28.
package mcpclient
