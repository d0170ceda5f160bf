// Package lsp is the language server of schema files, rpcgen lsp: it speaks the Language Server Protocol 3.17 with the code that
// rpcgen generates from examples/lsp/lsp.rpc.yaml. What it knows, it takes from the packages that the other commands use: faults from
// the compiler, the canonical form from fmt, the resolved form of types from explain, and the keys from the grammar.
package lsp
