// Package room tells package mcp how large a message may be, which package runtime knows.
//
//test:by ./runtime/mcp
package room

// Of returns how many bytes the message of an answer may have, for a *runtime.Call.
var Of func(call any) int
