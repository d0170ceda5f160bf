// Command rpcgen compiles schemas of JSON-RPC methods into typed Go.
//
// The exit code is 0 for success, 1 for findings (faults in a schema, drifted files), 2 for wrong usage, and 3 for an error of
// the command itself. The command reads and writes files, and runs git to read earlier versions of them, and import and
// ship run the go command. These commands use the network: tools, call and install connect to the MCP server that they are given, and import gets the URL that
// it is given as its source, or the tools of the MCP server there. Call exits with 1 if the tool fails.
//
//test:by ./docs TestCLI
package main

import (
	"os"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/command"
)

func main() { os.Exit(command.Run()) }
