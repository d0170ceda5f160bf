// What the page from-openapi-generators.md imports in addition, so that go mod tidy finds it.

package main

import (
	_ "github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	_ "github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	_ "github.com/rpcgen-go/rpcgen/runtime/x/backend"

	_ "example.com/pets/api"
)
