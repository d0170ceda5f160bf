package main

// spec is a specification that others wrote.
type spec struct {
	name    string // of its files in testdata and overlays, and of its package
	title   string
	tables  []string // further files of the source
	overlay bool
	others  map[string]string // files that the source refers to, as path: name in testdata
}

// specs are imported, generated, built and vetted.
var specs = []spec{
	{name: "dap", title: "Debug Adapter Protocol"},
	{name: "a2a", title: "Agent2Agent 0.3"},
	{name: "lsp", title: "Language Server Protocol 3.18"},
	{name: "acp", title: "Agent Client Protocol", tables: []string{"acp-meta"}},
	{name: "ethereum", title: "Ethereum execution API", overlay: true},
	{name: "starknet", title: "Starknet node API"},
	{name: "starknetwrite", title: "Starknet write API", others: starknetOthers},
	{name: "starknetws", title: "Starknet WebSocket API", others: starknetOthers},
	{name: "github", title: "tools of GitHub's MCP server"},
}

// starknetOthers are what the other files of Starknet refer to, by paths from the folder of their repository.
var starknetOthers = map[string]string{"api/starknet_api_openrpc.json": "starknet"}
