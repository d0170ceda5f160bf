// Package syntax reads the YAML of a schema into a tree in which everything knows its position, and reads type expressions.
//
// YAML is taken as plain data: anchors, aliases, merge keys, tags, several documents and duplicate keys are diagnostics. Scalars keep their source text,
// because 2025-11-25, no and 1.10 are text where text is expected; what a plain scalar means where any value may stand is said by [Node.JSON].
//
// Only this package, the formatter and the importer know the YAML library. Package schema tests it: with the scenarios of schema/testdata, and FuzzLoad.
//
//test:sequential
//test:by ./schema
//test:by ./cmd/rpcgen/internal/language/format
package syntax
