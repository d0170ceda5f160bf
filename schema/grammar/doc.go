// Package grammar is the one table of the keys of the language: for every place of a schema file, which keys may stand there,
// what each takes, and what it is for. The checker, the formatter and the schema for editors all read it.
//
// It says what may be written, not what it means: that a default fits its type is for the checker to say. The tests of
// cmd/rpcgen/internal/language/editor test the table, and TestHostile of cmd/rpcgen/internal/source/hostile tries every place of it.
//
//test:sequential
//test:by ./schema
//test:by ./cmd/rpcgen/internal/source/hostile TestEveryKey
package grammar
