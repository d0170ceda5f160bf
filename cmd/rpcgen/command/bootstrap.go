//go:build bootstrap

package command

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// languages are those that schemas are compiled to: what is generated of the schemas of this repository is Go.
var languages = []string{"go"}

func generateTypeScript(*ir.Document, bool) ([]templates.File, diag.List) { return nil, nil }

func isTypeScript(string) bool { return false }

// otherCommands returns no commands: with the tag bootstrap, the command only generates, and does not link the code that it generates.
func otherCommands() []*cobra.Command { return nil }

// helpOf returns nothing: the texts are not linked.
func helpOf(string) (long, examples string) { return "", "" }

// importList needs the importer, which generating does not.
func importList(string, []byte) ([]byte, error) {
	return nil, errors.New("this command was built with the tag bootstrap, and reads no list of a server")
}
