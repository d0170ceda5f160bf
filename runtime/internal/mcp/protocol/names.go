// Package protocol holds the names of MCP that servers and clients share. It is covered by the
// tests of package mcp.
package protocol

// Keys of _meta (basic, Reserved keys).
const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo   = "io.modelcontextprotocol/clientInfo"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaLogLevel     = "io.modelcontextprotocol/logLevel"
	MetaSubscription = "io.modelcontextprotocol/subscriptionId"
	MetaServerInfo   = "io.modelcontextprotocol/serverInfo"
)

// Header fields of HTTP (basic/transports/streamable-http, Request Metadata).
const (
	HeaderVersion = "MCP-Protocol-Version"
	HeaderMethod  = "Mcp-Method"
	HeaderName    = "Mcp-Name"
	HeaderParam   = "Mcp-Param-" // followed by the name in the schema of a tool
)
