package pairs

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// scenario is one value of each dimension.
type scenario struct {
	seed   uint64
	number int
	kind   kind

	transport  string
	cache      string
	principals bool // transports authenticate the callers
	middleware bool // one that reads the params, and compares them with what the handler reads
	limited    bool // rates of calls are low
	cancels    bool // callers give calls up
	timeouts   bool // calls take longer than they may
	twice      bool // one more caller sends members twice
	mute       bool // one more caller does not answer questions
	callers    int
	calls      int // of each caller
	lanes      int // calls of one caller at the same time

	// of JSON-RPC
	reconnect  bool
	cuts       bool // connections are lost
	positional bool
	batches    bool
	callbacks  bool

	// of MCP
	topology  string
	revision  string
	upstreams [2]string // revisions of the servers after the gateway
	questions bool
	tasks     bool

	keeps string // of memory
}

// draw returns the scenario with a number. It depends on nothing but the seed and the number.
func draw(seed uint64, number int) *scenario {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	yes := func() bool { return r.IntN(2) == 0 }
	s := &scenario{
		seed: seed, number: number, kind: pick(r, kinds), transport: pick(r, transports), cache: pick(r, caches),
		principals: yes(), middleware: yes(), limited: r.IntN(4) == 0, cancels: yes(), timeouts: yes(), twice: yes(), mute: r.IntN(3) == 0,
		callers: 2 + r.IntN(3), calls: 4 + r.IntN(12), lanes: 1 + r.IntN(3),
		reconnect: yes(), cuts: yes(), positional: yes(), batches: yes(), callbacks: yes(),
		topology: pick(r, topologies), revision: pick(r, revisions), upstreams: [2]string{pick(r, upRevisions), pick(r, upRevisions)}, questions: yes(), tasks: yes(),
		keeps: pick(r, keepers),
	}
	s.fit()
	return s
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// fit makes the values fit each other.
func (s *scenario) fit() {
	switch s.kind {
	case kindLedger:
		s.topology, s.revision, s.questions, s.tasks = direct, "", false, false
		if s.transport == overHTTP { // has no sessions
			s.callbacks, s.reconnect = false, false
		}
		s.mute = s.mute && s.callbacks
	case kindDesk:
		s.positional, s.batches, s.callbacks = false, false, false
		if s.topology == replicas {
			s.transport = overHTTP
		}
		if s.transport == overHTTP || s.era() == mcp.Handshake {
			s.reconnect = false // a new connection needs another handshake
		}
		if s.revision == mcp.Revision20250618 || s.topology == gateway {
			s.tasks = false // unknown to them
		}
		s.timeouts = s.timeouts && s.topology == gateway
		s.mute = s.mute && s.questions && s.topology != gateway // after which a server with a handshake gets one call at a time
	}
	s.cuts = s.cuts && s.reconnect
}

// era returns the era of the clients of MCP.
func (s *scenario) era() mcp.Era {
	if s.revision == mcp.Revision20260728 {
		return mcp.Stateless
	}
	return mcp.Handshake
}

// String names the values, those of yes and no if it is yes.
func (s *scenario) String() string {
	words := []string{string(s.kind)}
	if s.kind == kindMemory {
		return string(s.kind) + " of " + s.keeps
	}
	words = append(words, "over "+s.transport, "cache "+s.cache)
	if s.kind == kindDesk {
		words = append(words, s.revision, s.topology)
	}
	if s.topology == gateway {
		words = append(words, "upstreams "+s.upstreams[0]+" and "+s.upstreams[1])
	}
	for _, one := range []struct {
		name string
		is   bool
	}{
		{"principals", s.principals}, {"middleware", s.middleware}, {"rates", s.limited}, {"cancellation", s.cancels}, {"timeouts", s.timeouts},
		{"members twice", s.twice}, {"a mute caller", s.mute}, {"reconnect", s.reconnect}, {"lost connections", s.cuts}, {"positional params", s.positional},
		{"batches", s.batches}, {"callbacks", s.callbacks}, {"questions", s.questions}, {"tasks", s.tasks},
	} {
		if one.is {
			words = append(words, one.name)
		}
	}
	return fmt.Sprintf("%s, %d callers", strings.Join(words, ", "), s.callers)
}
