package mcpauth

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/limits"
)

// TestLimitsOfSecurity: SECURITY.md lists the default of every limit.
func TestLimitsOfSecurity(t *testing.T) {
	defaults := limits.Fields(Options{}.withDefaults())
	delete(defaults, "DPoP") // which is a choice
	limits.Check(t, "../../../SECURITY.md", "mcpauth.Options.", defaults)
	limits.Check(t, "../../../SECURITY.md", "mcpauth.Login.", map[string]int64{"Timeout": int64(loginTimeout)})
}
