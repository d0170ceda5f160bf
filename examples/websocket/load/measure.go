package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	rpc "github.com/rpcgen-go/rpcgen/runtime"
)

// measure carries a plan out, and prints what it costs.
func measure(ctx context.Context, p plan) (err error) {
	r, err := start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.stop()) }()
	empty, err := r.usage()
	if err != nil {
		return err
	}
	idle, err := open(ctx, p.idle, r.session)
	if err != nil {
		return err
	}
	full, err := r.until(ctx, int64(p.idle))
	if err != nil {
		return err
	}
	report("idle connections", p.idle, empty, full)
	if err := busy(ctx, r, p, int64(p.idle)); err != nil {
		return err
	}
	if err := flooded(ctx, r, p); err != nil {
		return err
	}
	for _, s := range idle {
		s.Close()
	}
	left, err := r.until(ctx, 0)
	if err != nil {
		return err
	}
	fmt.Printf("afterwards: %d goroutines, %d at the start\n", left.Goroutines, empty.Goroutines)
	if left.Goroutines > empty.Goroutines+dialing {
		return errors.New("the server keeps goroutines of connections that have ended")
	}
	return nil
}

// report prints what n connections cost.
func report(what string, n int, before, after usage) {
	if n == 0 {
		return
	}
	each := func(a, b int64) float64 { return float64(a-b) / float64(n) / 1024 }
	fmt.Printf("%d %s: %.1f KiB of heap and stacks each, %.1f KiB resident, %.1f goroutines\n", n, what,
		each(after.Bytes, before.Bytes), each(after.Resident, before.Resident), float64(after.Goroutines-before.Goroutines)/float64(n))
}

// busy has callers call while others misbehave, and waits until the server has closed those.
func busy(ctx context.Context, r *remote, p plan, idle int64) error {
	callers, err := open(ctx, p.calling, r.session)
	if err != nil {
		return err
	}
	misfits, err := open(ctx, p.slow+p.vanishing, r.raw)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for i, c := range misfits {
		switch {
		case i < p.slow:
			wg.Go(func() { push(c) })
		case i%2 == 0:
			wg.Go(func() { reset(c) })
		}
	}
	took, err := callAll(ctx, callers, p.time, 0)
	if err != nil {
		return fmt.Errorf("a call failed while others misbehaved: %w", err)
	}
	fmt.Printf("%d callers: %.0f calls a second, %s\n", p.calling, float64(len(took))/p.time.Seconds(), latencies(took))
	left, err := r.until(ctx, idle+int64(p.calling))
	if err != nil {
		return fmt.Errorf("slow readers and vanished peers are kept: %w", err)
	}
	fmt.Printf("%d slow readers and %d vanished peers: closed by the server, %d sessions are left\n", p.slow, p.vanishing, left.Sessions)
	for _, s := range callers {
		s.Close()
	}
	for _, c := range misfits {
		c.Close()
	}
	wg.Wait()
	return nil
}

// reset ends a connection without the close handshake, some time after it was opened.
func reset(c *net.TCPConn) {
	time.Sleep(time.Second)
	c.SetLinger(0)
	c.Close()
}

// latencies describes how long calls took.
func latencies(took []time.Duration) string {
	if len(took) == 0 {
		return "no calls"
	}
	slices.Sort(took)
	at := func(share float64) time.Duration {
		return took[int(share*float64(len(took)-1))].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("median %s, 99%% within %s, all within %s", at(0.5), at(0.99), at(1))
}

// callAll has all sessions call for d, each with a pause between two calls.
func callAll(ctx context.Context, sessions []*rpc.Session, d, pause time.Duration) ([]time.Duration, error) {
	took, err := each(ctx, sessions, d, func(ctx context.Context, s *rpc.Session) ([]time.Duration, error) { return calls(ctx, s, pause) })
	return slices.Concat(took...), err
}

// each has all sessions work until d is over, side by side, and returns what came of each.
func each[T any](ctx context.Context, sessions []*rpc.Session, d time.Duration, work func(context.Context, *rpc.Session) (T, error)) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	all, faults := make([]T, len(sessions)), make([]error, len(sessions))
	var wg sync.WaitGroup
	for i, s := range sessions {
		wg.Go(func() { all[i], faults[i] = work(ctx, s) })
	}
	wg.Wait()
	return all, errors.Join(faults...)
}
