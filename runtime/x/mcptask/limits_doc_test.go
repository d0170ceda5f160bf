package mcptask

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/limits"
)

// TestLimitsOfSecurity: SECURITY.md lists the default of every limit.
func TestLimitsOfSecurity(t *testing.T) {
	tasks := New(Options{})
	limits.Check(t, "../../../SECURITY.md", "mcptask.Options.", limits.Fields(tasks.opts))
	limits.Check(t, "../../../SECURITY.md", "mcptask.MemoryOptions.", limits.Fields(tasks.opts.Store.(*Memory).opts))
}
