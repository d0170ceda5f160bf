package runtime

import (
	"math"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Declared returns the declared error, whose decode reads the data of e into it; or e itself when the data do not fit.
func (e *Error) Declared(declared error, decode func(*wire.Reader)) error {
	if err := wire.Unmarshal([]byte(e.Data.String()), decode, nil); err != nil {
		return e
	}
	return declared
}

// Names returns every name there is, or nothing when that is not known.
func (c Condition) Names() []string {
	if c.Available == nil {
		return []string{}
	}
	return c.Available()
}

// TimeoutMillis returns the timeout in milliseconds.
func (c Condition) TimeoutMillis() int64 { return c.Timeout.Milliseconds() }

// RetrySeconds returns when to come back, in whole seconds from now, rounded up.
func (c Condition) RetrySeconds() int64 {
	return int64(math.Ceil(float64(c.RetryAfter) / float64(time.Second)))
}
