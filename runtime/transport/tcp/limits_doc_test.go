package tcp

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/limits"
)

// TestLimitsOfSecurity: SECURITY.md lists the default of every limit.
func TestLimitsOfSecurity(t *testing.T) {
	o := newOptions(nil)
	limits.Check(t, "../../../SECURITY.md", "tcp.With", map[string]int64{
		"MaxFrame": frame.DefaultMax, "MaxConns": int64(o.conns), "MaxConnsPerAddress": int64(o.each), "MaxPending": o.pending, "MaxBytes": o.bytes,
		"FirstTimeout": int64(o.first), "MessageTimeout": int64(o.message), "IdleTimeout": int64(o.idle), "WriteTimeout": int64(o.write),
		"Grace": int64(o.grace),
	})
}
