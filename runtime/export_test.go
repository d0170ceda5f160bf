package runtime

// Held returns how many bytes of messages the session holds.
func (s *Session) Held() int64 { return s.held.Used() }
