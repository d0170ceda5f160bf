// Package pointer writes and reads the steps of JSON Pointers (RFC 6901 section 3).
package pointer

import "strings"

var (
	escapes = strings.NewReplacer("~", "~0", "/", "~1")
	names   = strings.NewReplacer("~1", "/", "~0", "~")
)

// Escape writes a name as one step of a JSON Pointer.
func Escape(name string) string { return escapes.Replace(name) }

// Unescape reads one step of a JSON Pointer.
func Unescape(step string) string { return names.Replace(step) }
