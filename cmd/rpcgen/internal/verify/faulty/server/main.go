// Command server is a server with one fault, see package faulty: server FAULT [library|weather].
package main

import (
	"os"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/verify/faulty"
)

func main() { os.Exit(faulty.Main(os.Args[1:])) }
