// The example server of @modelcontextprotocol/sdk with its authorization server, which registers clients and accepts tokens only for its
// MCP server: oauth.mjs PORT AUTHPORT.
const [port, authPort] = process.argv.slice(2);
process.env.MCP_PORT = port;
process.env.MCP_AUTH_PORT = authPort;
process.argv.push('--oauth', '--oauth-strict');
await import('@modelcontextprotocol/sdk/examples/server/simpleStreamableHttp.js');
