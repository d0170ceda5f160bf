// Package mcp holds the published revisions of the Model Context Protocol as schemas, and the module mcp of the schema language.
//
//test:sequential
package mcp

import (
	"embed"
	"slices"
)

// Revisions are the published revisions, oldest first.
var Revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

//go:embed 20*.yaml
var files embed.FS

// Module is the schema of the module mcp: of the types of the newest revision, which takes in those before, the ones that handlers, tools
// and clients exchange.
//
//go:embed module.yaml
var Module string

// Source returns the schema of a revision, such as 2026-07-28, and whether it is one of [Revisions].
func Source(revision string) ([]byte, bool) {
	if !slices.Contains(Revisions, revision) {
		return nil, false
	}
	text, err := files.ReadFile(revision + ".yaml")
	return text, err == nil
}
