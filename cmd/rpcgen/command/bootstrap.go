//go:build bootstrap

package command

import "github.com/spf13/cobra"

// otherCommands returns no commands: with the tag bootstrap, the command only generates, and does not link the code that it generates.
func otherCommands() []*cobra.Command { return nil }
