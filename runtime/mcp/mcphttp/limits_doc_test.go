package mcphttp

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/limits"
)

// TestLimitsOfSecurity: SECURITY.md tells the defaults of all limits.
func TestLimitsOfSecurity(t *testing.T) {
	limits.Check(t, "../../../SECURITY.md", "mcphttp.Options.", limits.Fields(Options{}.withDefaults()))
}
