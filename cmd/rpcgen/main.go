// Command rpcgen compiles schemas of JSON-RPC methods into typed Go.
//
// It exits with 0 when all is well, 1 when there are findings (faults in a schema, drifted files), 2 when it was called the
// wrong way, and 3 when it failed itself. It reads and writes files, and
// asks git for earlier editions of them; nothing else: no network, no loading of packages. Only the commands tools and call talk to
// somebody, the MCP server that they are given; call exits with 1 when the tool fails.
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

// Exit codes.
const (
	exitFine     = 0
	exitFindings = 1
	exitUsage    = 2
	exitInternal = 3
)

// errFindings ends a run whose findings have been printed.
var errFindings = errors.New("findings")

// usageError is a call that makes no sense.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func run() int {
	debug.SetGCPercent(400) // a short life with little memory: collecting it would be a quarter of the work
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
		fmt.Fprintf(complain, "rpcgen: %v\nRun 'rpcgen --help' for how to call it.\n", err)
		return exitUsage
	}
	fmt.Fprintf(complain, "rpcgen: %v\n", err)
	return exitInternal
}

// content is where the bytes of a file go that are asked for on the standard output: as they are. All else that is printed is for people,
// and has what is hidden escaped.
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
	root.AddCommand(newGenerate(), newCheck(), newDiff(), newExplain(), newExport(), newFmt(), newImport(), newInit(), newLint(), newVersion())
	root.AddCommand(remoteCommands()...)
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
