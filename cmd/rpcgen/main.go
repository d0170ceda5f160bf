// Command rpcgen compiles schemas of JSON-RPC methods into typed Go.
//
// The exit code is 0 for success, 1 for findings (faults in a schema, drifted files), 2 for wrong usage, and 3 for an error of
// the command itself. The command reads and writes files, and runs git to read earlier versions of them, and import runs the go
// command. Three commands use the network: tools and call connect to the MCP server that they are given, and import gets the URL that
// it is given as its source, or the tools of the MCP server there. Call exits with 1 if the tool fails.
//
//test:full
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/schema/text"
)

func main() { os.Exit(run()) }

// The exit codes.
const (
	exitFine     = 0
	exitFindings = 1
	exitUsage    = 2
	exitInternal = 3
)

// errFindings ends a run whose findings have been printed.
var errFindings = errors.New("findings")

// usageError is an error in the arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// mostMemory is the memory, in bytes, above which garbage is collected as often as needed to stay below it. What is in use may be more.
const mostMemory = 512 << 20

func run() int {
	debug.SetGCPercent(400) // the process is short and small: collecting garbage would take a quarter of its time
	debug.SetMemoryLimit(mostMemory)
	root := newRoot()
	root.SetOut(text.Writer{Writer: os.Stdout})
	root.SetErr(text.Writer{Writer: os.Stderr})
	complain := root.ErrOrStderr()
	err := root.Execute()
	var usage usageError
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.As(err, &usage):
		fmt.Fprintf(complain, "rpcgen: %v\nRun 'rpcgen --help' for usage.\n", err)
		return exitUsage
	}
	fmt.Fprintf(complain, "rpcgen: %v\n", err)
	return exitInternal
}

// content is the writer for the bytes of a file that is written to the standard output: unchanged. Everything else that is
// printed is for people, and invisible characters in it are escaped.
func content(c *cobra.Command) io.Writer {
	if shown, ok := c.OutOrStdout().(text.Writer); ok {
		return shown.Unwrap()
	}
	return c.OutOrStdout()
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "rpcgen",
		Short:         "Compile schemas of JSON-RPC methods into typed Go",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return c.Help()
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(newGenerate(), newVersion())
	root.AddCommand(otherCommands()...)
	for _, c := range append(root.Commands(), root) {
		if args := c.Args; args != nil {
			c.Args = func(c *cobra.Command, a []string) error {
				if err := args(c, a); err != nil {
					return usageError{err}
				}
				return nil
			}
		}
	}
	return root
}
