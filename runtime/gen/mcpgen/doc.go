// Package mcpgen is for generated code of MCP services only. It makes no promise of compatibility
// to other code: it may change with any version of rpcgen, together with generated code.
//
// It is covered by the tests of packages mcp and mcpclient.
//
//test:by ./runtime/mcp
package mcpgen
