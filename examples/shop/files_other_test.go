//go:build !unix

package main

// limitFiles does nothing: there is no such limit here.
func limitFiles(string) {}
