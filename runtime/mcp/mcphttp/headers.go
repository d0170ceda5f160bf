package mcphttp

import "net/http"

// headers are the headers of a request as package mcp sees them.
type headers http.Header

// Get returns the first value of a header, or "".
func (h headers) Get(name string) string { return http.Header(h).Get(name) }

// Values returns the values of a header.
func (h headers) Values(name string) []string { return http.Header(h).Values(name) }

// Size returns about how many bytes they take. The context of a task keeps them.
func (h headers) Size() int {
	const overhead = 64 // of a name or value
	n := 0
	for name, values := range h {
		n += len(name) + overhead
		for _, value := range values {
			n += len(value) + overhead
		}
	}
	return n
}
