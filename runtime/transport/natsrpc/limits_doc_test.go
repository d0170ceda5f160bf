package natsrpc

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/limits"
)

// TestLimitsOfSecurity: SECURITY.md has the defaults of all limits.
func TestLimitsOfSecurity(t *testing.T) {
	all := limits.Fields(Options{}.withDefaults())
	delete(all, "interval") // which is fixed
	limits.Check(t, "../../../SECURITY.md", "natsrpc.Options.", all)
}
