//go:build race

package allkinds_test

import (
	"flag"
	"os"
	"testing"
)

const raceEnabled = true

// TestMain draws few random values with -short: what goroutines that read and write values share shows with any of them.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		_ = flag.Set("rapid.checks", "10")
	}
	os.Exit(m.Run())
}
