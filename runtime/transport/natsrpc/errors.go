package natsrpc

import (
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// ErrDisconnected means that there is no connection to NATS at present. The message was not sent.
var ErrDisconnected = errors.New("natsrpc: there is no connection to NATS at present; the message was not sent")

// NoServerError means that no server serves the subject. The message was not executed.
type NoServerError struct{ Subject string }

func (e *NoServerError) Error() string {
	return "natsrpc: no server serves the subject " + e.Subject
}

// Unwrap returns [nats.ErrNoResponders].
func (e *NoServerError) Unwrap() error { return nats.ErrNoResponders }

// LostError means that a call was sent, and that its server gave no sign of life for some time. The call may have been executed.
type LostError struct {
	Subject string
	Silence time.Duration // how long nothing was received

	// Reconnected reports that the connection of the caller to NATS was made again meanwhile, and the answer may be lost with the one before.
	Reconnected bool
}

func (e *LostError) Error() string {
	if e.Reconnected {
		return fmt.Sprintf("natsrpc: the connection to NATS was lost during a call on %s, and the answer with it; the call may have been executed. "+
			"NATS closes a connection that reads too slowly: see max_pending and write_deadline of its configuration", e.Subject)
	}
	return fmt.Sprintf("natsrpc: the server of a call on %s gave no sign of life for %s; the call may have been executed", e.Subject, e.Silence)
}
