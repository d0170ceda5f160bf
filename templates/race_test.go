//go:build race

package templates_test

import "testing"

// unraced skips a test that generates many schemas with -short: the others show the race detector the goroutines of the package.
func unraced(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("generates many schemas")
	}
}
