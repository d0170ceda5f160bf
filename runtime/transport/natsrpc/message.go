package natsrpc

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// The headers, and the one value of Rpc-Status.
const (
	timeoutHeader = "Rpc-Timeout"
	peerHeader    = "Rpc-Peer"
	statusHeader  = "Rpc-Status"
	working       = "working"
)

// The ends of the subjects that belong to a service or to a client.
const (
	cancelSuffix  = ".cancel"
	openrpcSuffix = ".openrpc"
	callSuffix    = ".call"
	noteSuffix    = ".note"
	replySuffix   = ".reply"
)

// interval is how often a server reports that a call is still running.
const interval = 2 * time.Second

// target is where the calls of one service or of one client go.
type target struct{ calls, notes, cancel string }

// serviceTarget returns where the calls of a service go.
func serviceTarget(subject string) target { return target{subject, subject, subject + cancelSuffix} }

// clientTarget returns where the calls of a client go whose subjects begin with inbox.
func clientTarget(inbox string) target {
	return target{inbox + callSuffix, inbox + noteSuffix, inbox + cancelSuffix}
}

// timeLeft returns how long the caller of m waits. It reports false if m does not say that.
func timeLeft(m *nats.Msg) (time.Duration, bool) {
	values := m.Header[timeoutHeader]
	if len(values) != 1 {
		return 0, false
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	const most = int64(24 * time.Hour / time.Millisecond)
	return time.Duration(min(n, most)) * time.Millisecond, err == nil && n >= 0
}

// checkSubject returns an error if messages cannot be published to a subject, which holds what.
func checkSubject(what, subject string) error {
	const most = 255 // bytes; NATS allows more, and a subject is part of each message
	if subject == "" || len(subject) > most {
		return errors.New("natsrpc: " + what + " has 1 to 255 bytes: " + strconv.Quote(subject))
	}
	for token := range strings.SplitSeq(subject, ".") {
		if token == "" || strings.ContainsAny(token, "*> \t\r\n\x00") {
			return errors.New("natsrpc: " + what + " consists of words with dots between them, without wildcards and spaces: " + strconv.Quote(subject))
		}
	}
	return nil
}
