// Command lsp starts the language server of schemas, rpcgen lsp, whose protocol lsp.rpc.yaml declares: the example of a service that
// both sides call, over Content-Length frames. The server is cmd/rpcgen/internal/language/lsp.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	command := exec.Command("go", "run", "github.com/rpcgen-go/rpcgen/cmd/rpcgen", "lsp")
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := command.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		fmt.Fprintln(os.Stderr, "lsp:", err)
	}
	if err != nil {
		os.Exit(1)
	}
}
