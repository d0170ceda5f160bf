package runtime

import (
	"math"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Declared returns the error declared, after decode has read the data of e into it. If the data does not fit the schema it returns e, so that the code and
// the message are not lost. Generated clients call it.
func (e *Error) Declared(declared error, decode func(*wire.Reader)) error {
	if err := wire.Unmarshal([]byte(e.Data.String()), decode, nil); err != nil {
		return e
	}
	return declared
}

// Names returns every valid name. It is empty and not nil if they are unknown, so that it is encoded as an array.
func (c Condition) Names() []string {
	if c.Available == nil {
		return []string{}
	}
	return c.Available()
}

// TimeoutMillis returns the timeout in milliseconds.
func (c Condition) TimeoutMillis() int64 { return c.Timeout.Milliseconds() }

// RetrySeconds returns how long the peer should wait before it tries again, in whole seconds,
// rounded up: a retry after the rounded time is never too early.
func (c Condition) RetrySeconds() int64 {
	return int64(math.Ceil(float64(c.RetryAfter) / float64(time.Second)))
}
