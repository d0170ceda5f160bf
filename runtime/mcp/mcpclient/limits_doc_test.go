package mcpclient

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/limits"
)

// TestLimitsOfSecurity: SECURITY.md lists the default of every limit.
func TestLimitsOfSecurity(t *testing.T) {
	limits.Check(t, "../../../SECURITY.md", "mcpclient.Options.", limits.Fields(Options{}.withDefaults()))
}
