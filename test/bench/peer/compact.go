package peer

import "github.com/rpcgen-go/rpcgen/runtime/gen/compact"

// What is generated with the compact codec, which only "go run ./cmd/compact" has: there is none without.
var (
	compactDispatchers = func() []Dispatcher { return nil }
	compactToolServers = func() []ToolServer { return nil }

	// Values for the documents of package work.
	CompactParams, CompactResult, CompactList, CompactText compact.Walked
)
