//go:build !bootstrap

package command

import (
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/vectors"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

func exportVectors(doc *ir.Document) ([]byte, error) { return vectors.Export(doc) }
