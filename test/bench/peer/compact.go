package peer

import "github.com/rpcgen-go/rpcgen/runtime/gen/compact"

// What is generated with the compact codec, which only "go run ./cmd/compact" has: it is nil without.
var (
	compactDispatchers []func() Dispatcher
	compactToolServers []func() ToolServer

	// Values for the documents of package work.
	CompactParams, CompactResult, CompactList, CompactText compact.Walked
)

// each returns what functions return.
func each[T any](of []func() T) (all []T) {
	for _, f := range of {
		all = append(all, f())
	}
	return all
}
