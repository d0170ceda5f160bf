package mcpcluster

import (
	"context"
	"errors"
	"time"
)

// Backplane connects the replicas of a server, so that each request of each session may come to any of them. A session lives in one
// replica, its home. The backplane keeps a record of each session, from which another replica continues it when its home is gone, and
// carries requests from the replica that received them to the home.
//
// [NewMemory] connects handlers of one process. Package mcpnats connects processes by NATS. An implementation over something else has to
// fulfil what the methods say, and package backplanetest tests that. All methods are safe for concurrent use.
//
// A backplane belongs to one server. Sessions of another server, by its name, are not known to its replicas. What it calls a session is its id, after a digest
// of its principal and a dot if it has one.
//
// Replicas trust the backplane: what can write to it can end sessions and continue them. Requests that it carries are authenticated again
// where they are served.
type Backplane interface {
	// Load returns the record of a session and its revision, which is greater than 0. The error is [ErrNoRecord] if there is none.
	Load(ctx context.Context, session string) (record []byte, revision uint64, err error)

	// Save stores the record of a session if its revision is still the given one, 0 for a session without a record, and returns the new revision. Otherwise
	// the error is [ErrConflict]. If the error is another one, the record may have been stored or not. It expires when that time has passed since the last Save.
	Save(ctx context.Context, session string, record []byte, revision uint64, expires time.Duration) (uint64, error)

	// Delete removes the record of a session if it has the given revision. Otherwise the error is [ErrConflict].
	Delete(ctx context.Context, session string, revision uint64) error

	// Join makes r reachable until leave is called. It fails if it cannot be. The function leave waits for the functions of r that are
	// running, except for Answer.
	Join(r Replica) (leave func(), err error)

	// Ask sends a request to a replica, and calls part with each part of its answer, in order. It returns nil after the last part, and
	// the error of part or of ctx, which also end the context of Answer. The error is [ErrNoReplica] if the replica was not reached, so
	// that the request was not served, and [ErrLost] if the answer has a gap, or if the replica gave no sign of life for some
	// seconds, during which it may have served the request. A request that is too large is a [*frame.TooLargeError].
	Ask(ctx context.Context, replica string, request []byte, part func(part []byte) error) error

	// Tell sends a message to all replicas, the sender included. It does not wait. If it fails, or if a replica does not receive the message
	// because a connection between them was lost, the replica learns by Missed that there was something.
	Tell(message []byte) error

	// Ready returns nil if the backplane can be used at present, and otherwise why not.
	Ready() error
}

// Replica is what a backplane calls of a replica.
type Replica struct {
	// Name is unique among the replicas of a backplane. It has 1 to 40 letters and digits.
	Name string

	// Answer serves a request: it calls send with each part of the answer, of which the last one has last set. It runs in a goroutine of
	// its own. Its context ends when the asking replica has gone. An error of send means that the answer is not read any more.
	Answer func(ctx context.Context, request []byte, send func(part []byte, last bool) error)

	// Heard is called with each message of [Backplane.Tell], one after the other. It does not block, and does not keep the message.
	Heard func(message []byte)

	// Missed is called when messages may have been missed, for instance after the connection was lost. It does not block.
	Missed func()
}

// Errors of a [Backplane].
var (
	ErrNoRecord  = errors.New("mcpcluster: there is no record of the session")
	ErrConflict  = errors.New("mcpcluster: the record of the session was changed by another replica")
	ErrNoReplica = errors.New("mcpcluster: there is no such replica")
	ErrLost      = errors.New("mcpcluster: the replica gave no sign of life")
)
