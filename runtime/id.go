package runtime

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// ID is the id of a request (JSON-RPC 2.0 section 4), which is a string or an integer. Its text is
// kept exactly as the peer wrote it, because the response must repeat it; [ID.Key] compares ids by
// value. The zero ID means no id; [wire.StringID] and [wire.IntID] make others.
type ID = wire.ID
