// Command rpcgen-go is the command rpcgen by another name, for computers on which rpcgen is the compiler of Sun RPC.
//
//test:by ./cmd/rpcgen/command TestScripts/^second_name$
package main

import (
	"os"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/command"
)

func main() { os.Exit(command.Run()) }
