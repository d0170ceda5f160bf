// Package mcpauth authorizes the requests of MCP clients over HTTP by OAuth 2.1
// (basic/authorization).
//
// A [Transport] is an [http.RoundTripper] for one MCP server. When the server requires a token, it
// finds the authorization server, registers the client there if necessary, gets a token by its
// [Grant], and sends the request again:
//
//	auth, err := mcpauth.New("https://mcp.example.com/mcp", mcpauth.Options{
//		Grant: &mcpauth.Login{Agent: &mcpauth.Loopback{Open: mcpauth.OpenBrowser}},
//	})
//	...
//	dial := mcphttp.Dial("https://mcp.example.com/mcp", mcphttp.ClientOptions{HTTP: auth.Client()})
//
// [Login] is for people. [ClientCredentials], [Enterprise] and [Workload] are for machines, and for
// organizations that decide themselves which servers their people may use. A [Store] keeps tokens;
// the default is memory.
//
// Comments refer to pages of the specification by their path below
// modelcontextprotocol.io/specification/2026-07-28.
package mcpauth
