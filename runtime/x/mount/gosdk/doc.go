// Package gosdk joins generated MCP servers and servers of the official SDK for Go
// (github.com/modelcontextprotocol/go-sdk): [Add] puts generated tools, resources and prompts into a server of
// the SDK, and [Dial] connects a client of this repository to such a server.
//
// What the SDK has no place for is lost when entries are added: that a tool can run as a task, completions,
// and hints about how long lists may be cached. [Add] fails for what would be lost without a word: a tool that
// runs as a task only, and resources that clients can subscribe to.
package gosdk
