// Package hostile tests that no text of a schema becomes anything but text: in Go, in YAML, on pages and on terminals.
//
//test:sequential
//test:full
package hostile
