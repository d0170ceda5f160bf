package protocol

// Era is the way in which a revision of the protocol transfers what client and server know about
// each other (basic/versioning, Terminology). The zero value is not an era.
type Era uint8

// The eras.
const (
	Stateless Era = iota + 1 // every request carries it: since 2026-07-28
	Handshake                // a session begins with it: until 2025-11-25
)

// String returns the name of the era.
func (e Era) String() string {
	switch e {
	case Stateless:
		return "stateless"
	case Handshake:
		return "handshake"
	}
	return "none"
}

// The published revisions of the protocol.
const (
	Revision20241105 = "2024-11-05"
	Revision20250326 = "2025-03-26"
	Revision20250618 = "2025-06-18"
	Revision20251125 = "2025-11-25"
	Revision20260728 = "2026-07-28"
)

// EraOf returns the era of a published revision, and 0 for any other text.
func EraOf(revision string) Era {
	switch revision {
	case Revision20241105, Revision20250326, Revision20250618, Revision20251125:
		return Handshake
	case Revision20260728:
		return Stateless
	}
	return 0
}
