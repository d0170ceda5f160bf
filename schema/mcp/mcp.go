// Package mcp holds the published revisions of the Model Context Protocol as schemas, and the module mcp of the schema language.
//
//test:sequential
package mcp

import (
	"bytes"
	"embed"
	"slices"
	"strings"
)

//go:embed 20*.yaml
var files embed.FS

// Revisions are the published revisions, oldest first: each has a file.
var Revisions = func() (all []string) {
	entries, _ := files.ReadDir(".")
	for _, e := range entries {
		all = append(all, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return all
}()

// Module is the schema of the module mcp: of the types of the newest revision, which takes in those before, those that handlers, tools and clients exchange.
//
//go:embed module.yaml
var Module string

// Source returns the schema of a revision, such as 2026-07-28, and whether it is one of [Revisions].
func Source(revision string) ([]byte, bool) {
	text, err := files.ReadFile(revision + ".yaml")
	return text, err == nil
}

// Since returns the first revision that declares a type or a method; there must be one.
func Since(name string) string {
	return Revisions[slices.IndexFunc(Revisions, func(r string) bool {
		text, _ := Source(r)
		return bytes.Contains(text, []byte("\n  "+name+":\n"))
	})]
}
