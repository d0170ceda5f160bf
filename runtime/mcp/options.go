package mcp

import (
	"cmp"
	"crypto/rand"
	"log/slog"
	"slices"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
)

// withDefaults returns o with every zero value replaced by its default.
func (o Options) withDefaults() Options {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	defaults.Set(&o.StateTTL, time.Hour)
	defaults.Set(&o.MaxSubscriptions, 1024)
	defaults.Set(&o.MaxSubscriptionBytes, 64<<10)
	defaults.Set(&o.MaxClientInfo, 16<<10)
	o.QuestionTimeout = cmp.Or(o.QuestionTimeout, 10*time.Minute)
	o.StateKeys = slices.DeleteFunc(slices.Clone(o.StateKeys), func(key []byte) bool { return len(key) == 0 })
	if o.sharedKeys = len(o.StateKeys) > 0; !o.sharedKeys {
		key := make([]byte, 32)
		rand.Read(key) // never fails
		o.StateKeys = [][]byte{key}
	}
	return o
}
