package runtime

import "strings"

// takeFarewell notes an error that answers no request. A peer that then closes the connection has said why, such as that there are too many
// connections: calls fail with it.
func (s *Session) takeFarewell(msg []byte, e *envelope) {
	said, ok := decodeError(e.err.of(msg))
	if !ok {
		s.d.peerLog.Warn("a malformed response was dropped", "reason", "its error is not one of JSON-RPC 2.0")
		return
	}
	said = &Error{Code: said.Code, Message: strings.Clone(said.Message)} // the rest of the message is not kept
	s.mu.Lock()
	s.farewell = said
	s.mu.Unlock()
	s.d.peerLog.Warn("the peer answered an error to no request", "error", said)
}
