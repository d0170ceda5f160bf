package mcp

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// Era is the way in which a revision of the protocol transfers what client and server know about each other (basic/versioning, Terminology). The zero
// value is not an era. Its method String returns the name: stateless, handshake or none.
type Era = protocol.Era

// The eras.
const (
	Stateless = protocol.Stateless // every request carries it: since 2026-07-28
	Handshake = protocol.Handshake // a session begins with it: until 2025-11-25
)

// The published revisions of the protocol.
const (
	Revision20241105 = "2024-11-05"
	Revision20250326 = "2025-03-26"
	Revision20250618 = "2025-06-18"
	Revision20251125 = "2025-11-25"
	Revision20260728 = "2026-07-28"
)

// Revisions returns the published revisions, oldest first.
func Revisions() []string { return slices.Clone(protocol.Revisions[:]) }
