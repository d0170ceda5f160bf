package mcp

import "github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"

// runs says whose code is called when a method is served.
type runs uint8

const (
	alone   runs = iota // only code of the server
	handled             // a handler
	asking              // a handler that may ask the client
)

// eras is a set of eras.
type eras uint8

const (
	onlyStateless = eras(1 << Stateless)
	onlyHandshake = eras(1 << Handshake)
	bothEras      = onlyStateless | onlyHandshake
	withTasks     = eras(1 << 7) // of the handshake era, only revisions with tasks have the method
)

func (e eras) has(era Era) bool { return e&(1<<era) != 0 }

// hasRevision reports whether the set has the revision of a session.
func (e eras) hasRevision(revision string) bool {
	return e.has(Handshake) && (e&withTasks == 0 || protocol.Of(revision).Tasks)
}

// The methods that are told apart. All of them are in routes.
const (
	toolsCall     = "tools/call"
	resourcesRead = "resources/read"
	promptsGet    = "prompts/get"
	initialize    = "initialize"
	ping          = "ping"
	tasksUpdate   = "tasks/update"
)
