//go:build !bootstrap

package command

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/templates/typescript"
)

// languages are those that schemas are compiled to.
var languages = []string{"go", "typescript"}

func generateTypeScript(doc *ir.Document, bigint bool) ([]templates.File, diag.List) {
	return typescript.Generate(doc, typescript.Options{BigInt: bigint})
}

// isTypeScript reports whether a file of generated TypeScript may have a name.
func isTypeScript(name string) bool { return slices.Contains(typescript.FileNames, name) }
