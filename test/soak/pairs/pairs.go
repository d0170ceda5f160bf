// Package pairs is the part of the soak in which every answer says who has asked and for what, and every one is checked. A scenario has one
// value of each dimension, such as the transport, the cache and the way in which params are sent, so that features meet that no test of
// one of them looks at. Scenarios are drawn at random, and the same ones from the same seed.
//
// It finds answers that belong to another caller, answers that come twice or never, questions and log messages that reach the wrong client,
// and memory over the limits that SECURITY.md documents. Each finding says how to run its scenario again.
//
//   - dimension.go and scenario.go: what is drawn
//   - run.go and finding.go: one scenario, its callers and what is wrong with their answers
//   - ledger.go, ledger_host.go and ledger_calls.go: a JSON-RPC service, its transports, its callers and their checks
//   - desk.go, desk_host.go and desk_calls.go: the same for MCP, also for replicas and after a gateway
//   - transport.go, tap.go and tap_http.go: connections, and what comes twice on one
//   - memory.go: what peers can make a server keep
package pairs

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Options say what is run.
type Options struct {
	Time time.Duration
	Seed uint64

	// Scenario is the number of the only scenario that is run, for the time. Zero means all of them.
	Scenario int

	// Out receives the findings and, at the end, the figures.
	Out io.Writer
}

// workers is how many scenarios run at the same time.
const workers = 3

// Run runs scenarios until the time is over. The error says how many findings there are.
func Run(o Options) error {
	all := &findings{out: o.Out, began: time.Now()}
	var next atomic.Int64
	var quiet sync.RWMutex // held by a scenario that measures memory, so that no other one runs
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			for time.Since(all.began) < o.Time {
				number := o.Scenario
				if number == 0 {
					number = int(next.Add(1))
				}
				s := draw(o.Seed, number)
				if s.kind == kindMemory {
					quiet.Lock()
					measure(s, all)
					quiet.Unlock()
				} else {
					quiet.RLock()
					play(s, all)
					quiet.RUnlock()
				}
				all.scenarios.Add(1)
			}
		})
	}
	done.Wait()
	fmt.Fprintln(o.Out, all)
	return all.err()
}
