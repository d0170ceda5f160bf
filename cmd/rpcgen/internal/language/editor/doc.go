// Package editor writes the language itself as a JSON Schema (2020-12), by which editors complete, explain and check schema files while they are written:
//
//	# yaml-language-server: $schema=.../schema/rpcgen-v1.json
//
// It is made of the table of schema/grammar, and knows what that knows: keys, kinds of values, words. Names, limits and unions
// are for the compiler to judge.
//
//test:sequential
package editor
