//go:build bootstrap

package command

import (
	"errors"

	"github.com/spf13/cobra"
)

// otherCommands returns no commands: with the tag bootstrap, the command only generates, and does not link the code that it generates.
func otherCommands() []*cobra.Command { return nil }

// helpOf returns nothing: the texts are not linked.
func helpOf(string) (long, examples string) { return "", "" }

// importList needs the importer, which generating does not.
func importList(string, []byte) ([]byte, error) {
	return nil, errors.New("this command was built with the tag bootstrap, and reads no list of a server")
}
