package text

import (
	"regexp"
	"sync"
)

// Pattern returns a function that returns a regular expression, which is compiled when it is first needed: programs need few of those that they link.
// It is not inlined, since each copy would take 900 bytes.
//
//go:noinline
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
