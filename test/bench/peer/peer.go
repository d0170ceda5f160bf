// Package peer holds the contestants. Each is in a file of its own and does the same typed work: it reads the params into structs,
// checks their rules, calls the service of package work, checks the rules of the result, and writes it.
package peer

import (
	"context"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// Dispatcher is a contestant that turns the bytes of a request into the bytes of its answer.
type Dispatcher struct {
	Name     string
	Dispatch func(ctx context.Context, dst, msg []byte) []byte // appends the answer to dst
	NoBatch  bool                                              // it knows no batches
	NoData   bool                                              // its errors cannot carry data
	Close    func()                                            // nil: there is nothing to close
}

// Stop ends what the contestant has running.
func (d Dispatcher) Stop() {
	if d.Close != nil {
		d.Close()
	}
}

// Caller is a contestant whose client is connected to its server in memory.
type Caller struct {
	Name  string
	Call  func(ctx context.Context, p *work.CurrentParams) (work.Report, error) // may be called by many goroutines
	Close func()
}

// Dispatchers returns the contestants, rpcgen first.
func Dispatchers() []Dispatcher {
	all := append([]Dispatcher{RPCGen(), RPCGenSession()}, compactDispatchers()...)
	all = append(append(all, EncodingJSON()), jsonV2()...)
	return append(all, Sonic(), SonicTuned(), JRPC2(), JRPC2Parts(), Sourcegraph(), XExp())
}

// Callers connects the contestants that have a client, rpcgen first.
func Callers() []Caller {
	return []Caller{RPCGenCaller(), JRPC2Caller(), SourcegraphCaller(), XExpCaller()}
}
