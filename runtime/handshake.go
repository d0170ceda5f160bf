package runtime

import (
	"errors"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// ErrNotShutDown is the error of a session that the peer has ended with the notification [Protocol.ExitMethod] without calling [Protocol.ShutdownMethod]
// before.
var ErrNotShutDown = errors.New("the peer ended the session without shutting it down")

// The phases of a session with a handshake.
const (
	beforeHandshake int32 = iota // no handshake has succeeded
	shakingHands                 // the handshake is being handled
	afterHandshake
	shutDown // only the exit notification may follow
)

// handshake is the phase of a session, see [Protocol.InitializeMethod]. A nil handshake is that of a protocol without one.
type handshake struct {
	p     Protocol
	phase atomic.Int32
}

// newHandshake returns the handshake of a protocol, or nil.
func newHandshake(p Protocol) *handshake {
	if p.InitializeMethod == "" {
		return nil
	}
	return &handshake{p: p}
}

// admit returns the condition with which a message of the peer is refused; its kind is 0 if the message may be handled. It reports whether the message is
// the handshake, which must be followed by a call of opened.
func (h *handshake) admit(method string, notification bool) (refused Condition, opening bool) {
	if notification && method == h.p.ExitMethod {
		return Condition{}, false
	}
	initialize := !notification && method == h.p.InitializeMethod
	switch phase := h.phase.Load(); {
	case phase == shutDown:
		return Condition{Kind: when.ShutDown, Method: method}, false
	case initialize && h.phase.CompareAndSwap(beforeHandshake, shakingHands):
		return Condition{}, true
	case initialize:
		return Condition{Kind: when.AlreadyInitialized, Method: method}, false
	case phase != afterHandshake:
		return Condition{Kind: when.NotInitialized, Method: method}, false
	case !notification && method == h.p.ShutdownMethod && !h.phase.CompareAndSwap(afterHandshake, shutDown):
		return Condition{Kind: when.ShutDown, Method: method}, false
	}
	return Condition{}, false
}

// endOpening ends the handling of the handshake. After an error the peer may try again.
func (h *handshake) endOpening(ok bool) {
	phase := beforeHandshake
	if ok {
		phase = afterHandshake
	}
	h.phase.CompareAndSwap(shakingHands, phase)
}

// gate refuses a call that the phase of the session does not allow. It reports whether the call may be handled, and whether it is the handshake, see
// [handshake.admit].
func (s *Session) gate(c *Call) (pass, opening bool) {
	if s.handshake == nil {
		return true, false
	}
	refused, opening := s.handshake.admit(c.env.Method, c.IsNotification())
	if refused.Kind == 0 {
		return true, opening
	}
	s.unfit(c, refused)
	return false, false
}

// unfit answers a call that the phase of the session does not allow. The error may be that of a schema, whose code is not trusted not to panic.
func (s *Session) unfit(c *Call, cond Condition) {
	defer c.recover()
	s.d.peerLog.Debug("a message was refused: the phase of the session does not allow it", "method", c.env.Method)
	c.Condition(cond)
}

// exitIfAsked ends the session if c is the notification by which the peer ends it.
func (s *Session) exitIfAsked(c *Call) {
	if h := s.handshake; h == nil || h.p.ExitMethod == "" || c.env.Method != h.p.ExitMethod || !c.IsNotification() {
		return
	}
	var cause error
	if h := s.handshake; h.p.ShutdownMethod != "" && h.phase.Load() != shutDown {
		cause = ErrNotShutDown
	}
	s.abort(cause)
}
