// Package mcp holds the published revisions of the Model Context Protocol as schemas, and the module mcp of the schema language.
//
//test:sequential
package mcp

import (
	"embed"
	"strings"
)

//go:embed 20*.yaml
var files embed.FS

// methods is the table of who sends what in which revision. To list the files in its place would link them, a quarter of a megabyte.
//
//go:embed testdata/methods.txt
var methods string

// Revisions are the published revisions, oldest first: the columns of the table.
var Revisions = strings.Fields(strings.Split(methods, "\n")[1])[1:]

// Module is the schema of the module mcp: of the types of the newest revision, which takes in those before, those that handlers, tools and clients exchange.
//
//go:embed module.yaml
var Module string

// Source returns the schema of a revision, such as 2026-07-28, and whether it is one of [Revisions].
func Source(revision string) ([]byte, bool) {
	text, err := files.ReadFile(revision + ".yaml")
	return text, err == nil
}
