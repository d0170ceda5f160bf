// Package mcpgo joins generated MCP servers and servers of mcp-go (github.com/mark3labs/mcp-go): [Add] puts
// generated tools, resources and prompts into a server of mcp-go, and [Dial] connects a client of this
// repository to such a server.
//
// What mcp-go has no place for is lost when entries are added: that a tool can run as a task, completions,
// hints about how long lists may be cached, and the codes and data of errors, which clients see with the code
// -32603. A handler of a resource cannot ask the client: its call fails. [Add] fails for what would be lost
// without notice: a tool that runs as a task only, and resources that clients can subscribe to.
package mcpgo
