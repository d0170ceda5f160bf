package mcp

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// Era is the way in which a revision of the protocol transfers what client and server know about
// each other (basic/versioning, Terminology). The zero value is not an era. Its method String returns
// the name: stateless, handshake or none.
type Era = protocol.Era

// The eras.
const (
	Stateless = protocol.Stateless // every request carries it: since 2026-07-28
	Handshake = protocol.Handshake // a session begins with it: until 2025-11-25
)

// The published revisions of the protocol.
const (
	Revision20241105 = protocol.Revision20241105
	Revision20250326 = protocol.Revision20250326
	Revision20250618 = protocol.Revision20250618
	Revision20251125 = protocol.Revision20251125
	Revision20260728 = protocol.Revision20260728
)

// Revisions returns the published revisions, oldest first.
func Revisions() []string {
	return []string{Revision20241105, Revision20250326, Revision20250618, Revision20251125, Revision20260728}
}

// ofEra returns the given revisions that belong to the era.
func ofEra(revisions []string, era Era) []string {
	return slices.DeleteFunc(slices.Clone(revisions), func(r string) bool { return protocol.EraOf(r) != era })
}
