//go:build !bootstrap

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/remote"
)

// remoteCommands are the commands that link the runtime and therefore generated code. `make generate` builds the command without
// them, with the tag bootstrap: otherwise generated code that does not compile could not be generated again.
func remoteCommands() []*cobra.Command {
	all := remote.Commands(version())
	for _, c := range all {
		run := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			err := run(c, args)
			if usage, ok := errors.AsType[*remote.UsageError](err); ok {
				return usageError{usage}
			}
			if errors.Is(err, remote.ErrFailed) {
				return errFindings
			}
			return err
		}
	}
	return all
}
