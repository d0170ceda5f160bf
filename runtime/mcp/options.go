package mcp

import (
	"cmp"
	"crypto/rand"
	"log/slog"
	"slices"
	"time"
)

// withDefaults returns o with every zero value replaced by its default.
func (o Options) withDefaults() Options {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.StateTTL <= 0 {
		o.StateTTL = time.Hour
	}
	if o.MaxSubscriptions <= 0 {
		o.MaxSubscriptions = 1024
	}
	if o.MaxSubscriptionBytes <= 0 {
		o.MaxSubscriptionBytes = 64 << 10
	}
	if o.MaxClientInfo <= 0 {
		o.MaxClientInfo = 16 << 10
	}
	if o.QuestionTimeout == 0 {
		o.QuestionTimeout = 10 * time.Minute
	}
	o.StateKeys = slices.DeleteFunc(slices.Clone(o.StateKeys), func(key []byte) bool { return len(key) == 0 })
	if o.sharedKeys = len(o.StateKeys) > 0; !o.sharedKeys {
		key := make([]byte, 32)
		rand.Read(key) // never fails
		o.StateKeys = [][]byte{key}
	}
	return o
}
