// Package mcpgen holds what only generated code of MCP services uses of the runtime, beyond packages mcp and mcpclient. It is no API for
// people: it may change with any version of rpcgen, together with the code that this version generates.
//
// It is covered by the tests of packages mcp and mcpclient.
package mcpgen
