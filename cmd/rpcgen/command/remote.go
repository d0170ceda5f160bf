//go:build !bootstrap

package command

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/lsp"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/remote"
)

// otherCommands are those that a build with the tag bootstrap does not have.
func otherCommands() []*cobra.Command {
	return append([]*cobra.Command{newBudget(), newCheck(), newDiff(), newExplain(), newExport(), newFmt(), newImport(), newInit(), newLint()}, remoteCommands()...)
}

// remoteCommands are the commands that link the runtime and therefore generated code. `make generate` builds the command without
// them, with the tag bootstrap: otherwise generated code that does not compile could not be generated again.
func remoteCommands() []*cobra.Command {
	listTools = func(ctx context.Context, url string, command, headers []string, stderr io.Writer) ([]byte, error) {
		s := remote.Server{URL: url, Command: command, Headers: headers, Version: version()}
		return remote.Document(ctx, &s, remote.Terminal{In: strings.NewReader(""), Out: io.Discard, Err: stderr})
	}
	fetch = remote.Fetch
	all := append(remote.Commands(version()), lsp.Command(version()))
	for _, c := range all {
		run := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			err := run(c, args)
			if usage, ok := errors.AsType[*remote.UsageError](err); ok {
				return usageError{usage}
			}
			if errors.Is(err, remote.ErrFailed) || errors.Is(err, lsp.ErrNotShutDown) {
				return errFindings
			}
			return err
		}
	}
	return all
}
