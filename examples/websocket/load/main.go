// Command load opens many WebSocket connections to a server in a process of its own, and measures what they cost: idle ones, callers, readers
// that are slow, peers that vanish, and clients that flood over a rate limit. It fails if a call of a client that behaves fails or is answered
// wrongly, or if the server keeps what has ended.
//
// Each connection takes a file descriptor in either process: for 10,000 idle connections, 1,000 callers and 1,000 that misbehave the limit
// has to be 12,500 or more (ulimit -n 20000), and at least as many local ports have to be free.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// plan says how many connections of each kind there are.
type plan struct {
	idle, calling, slow, vanishing, modest, flooding int
	time                                             time.Duration
}

func main() {
	var p plan
	serves := flag.Bool("serve", false, "serve, as the process does that is measured")
	flag.IntVar(&p.idle, "idle", 10_000, "connections that do nothing")
	flag.IntVar(&p.calling, "calling", 1_000, "connections that call, one call after the other")
	flag.IntVar(&p.slow, "slow", 500, "connections that send requests and do not read")
	flag.IntVar(&p.vanishing, "vanishing", 500, "connections that fall silent, or are reset")
	flag.IntVar(&p.modest, "modest", 100, "connections that call within the rate limit while others flood")
	flag.IntVar(&p.flooding, "flooding", 4, "connections that flood over the rate limit")
	flag.DurationVar(&p.time, "time", 10*time.Second, "how long the callers of each kind call")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := func() error { return measure(ctx, p) }
	if *serves {
		run = func() error { return serve(ctx) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}
