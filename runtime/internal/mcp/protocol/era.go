package protocol

// Era is the way in which a revision transfers what client and server know about each other (basic/versioning, Terminology). The zero value is none.
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

// CodeResourceNotFound is the code of the handshake era (server/resources, Error Handling). Stateless servers answer -32602, with the URI as data.
const CodeResourceNotFound = -32002

// Revisions are the published revisions of the protocol, oldest first.
var Revisions = [...]string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// Revision is all that the runtime does by revision.
type Revision struct {
	Era     Era
	Batches bool // messages may be batches (basic, Batching)
	Header  bool // requests over HTTP name it in a header (basic/transports, Protocol Version Header)
	Primes  bool // streams over HTTP begin with an event to resume from (basic/transports, Sending Messages to the Server)
	Tasks   bool // tasks are a part of it, and no extension (basic/utilities/tasks)
}

// Of returns what is done in one of [Revisions], and the zero value for any other text.
func Of(revision string) Revision {
	switch revision {
	case "2024-11-05":
		return Revision{Era: Handshake}
	case "2025-03-26":
		return Revision{Era: Handshake, Batches: true}
	case "2025-06-18":
		return Revision{Era: Handshake, Header: true}
	case "2025-11-25":
		return Revision{Era: Handshake, Header: true, Primes: true, Tasks: true}
	case "2026-07-28":
		return Revision{Era: Stateless, Header: true}
	}
	return Revision{}
}
