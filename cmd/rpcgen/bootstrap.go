//go:build bootstrap

package main

import "github.com/spf13/cobra"

// remoteCommands are none in the command that generates the code which they link.
func remoteCommands() []*cobra.Command { return nil }
