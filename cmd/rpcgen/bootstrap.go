//go:build bootstrap

package main

import "github.com/spf13/cobra"

// remoteCommands returns no commands: with the tag bootstrap, the command does not link the code that it generates.
func remoteCommands() []*cobra.Command { return nil }
