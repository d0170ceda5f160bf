// Package contextkey holds the keys of contexts that packages of the runtime share.
//
//test:by ./runtime
//test:by ./runtime/mcp
package contextkey

import "time"

// Peer is the key of the runtime.Conn that the current call arrived on.
type Peer struct{}

// Outcomes is the key of the *[Outcome] of the current message.
type Outcomes struct{}

// Late is the key of a func(answer []byte, o Outcome), see transport.WithLate.
type Late struct{}

// Response is the key of the tap.Response to the current message, if that may be a stream.
type Response struct{}

// Remote is the key of a bool that is true where the call came from a connection that others may open, and false where it is known to be of the person who runs
// the program. See package owner.
type Remote struct{}

// Reports is the key of a bool that reports whether the client of the current request of package mcp gets progress.
type Reports struct{}

// Outcome has the fields of transport.Outcome, which documents them.
type Outcome struct {
	Failed     bool
	Code       int64
	HTTPStatus int

	RetryAfter time.Duration
	Scope      string
}
