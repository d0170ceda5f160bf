package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

const (
	deadline = time.Minute      // of a call: longer than a replica is paused, which may be writing its answer
	settling = 30 * time.Second // for clients to hear of the last change, and for sessions to end
)

// counts are what became of the calls.
type counts struct {
	calls, answered, failed, hung, lost atomic.Int64
	missing, doubled                    atomic.Int64 // reports of the progress of calls that were answered
	killed, paused, restarted           atomic.Int64

	mu      sync.Mutex
	reasons map[string]int // of failures
}

// prove puts a cluster under load.
func prove(ctx context.Context, binary string, length time.Duration, seed uint64, clients int) error {
	c, err := start(ctx, "127.0.0.1:0", binary)
	if err != nil {
		return err
	}
	defer c.stop()
	n := &counts{reasons: map[string]int{}}
	under, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	idle, _, err := c.goroutines()
	if err != nil {
		return err
	}
	all, err := connectAll(ctx, "http://"+c.http.Addr+"/mcp", clients)
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	for i, one := range all {
		running.Go(func() { one.work(under, n, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	running.Go(func() { c.havoc(under, n, rand.New(rand.NewPCG(seed, 1<<32))) })
	running.Wait()
	unheard := lastChange(ctx, n, all)
	for _, one := range all {
		one.client.Close()
	}
	records, consumers, err := left(ctx, c.nats.url())
	if err != nil {
		return err
	}
	goroutines, err := c.goroutinesLeft(ctx, idle)
	if err != nil {
		return err
	}
	fmt.Printf("clients %d, seed %d, %s: %d calls, %d answered, %d failed clearly, %d hung\n", clients, seed, length, n.calls.Load(), n.answered.Load(), n.failed.Load(), n.hung.Load())
	fmt.Printf("%d replicas killed, %d paused, NATS restarted %d times\n", n.killed.Load(), n.paused.Load(), n.restarted.Load())
	fmt.Printf("%d sessions lost, %d clients without the last change\n", n.lost.Load(), unheard)
	fmt.Printf("%d reports of progress missing, %d doubled\n", n.missing.Load(), n.doubled.Load())
	fmt.Printf("%d records, %d consumers and %d goroutines left\n", records, consumers, goroutines)
	for reason, times := range n.reasons {
		fmt.Printf("%8d  %s\n", times, reason)
	}
	broken := n.hung.Load() + n.lost.Load() + n.missing.Load() + n.doubled.Load() + int64(unheard+records+consumers+goroutines)
	if broken > 0 || n.answered.Load() == 0 {
		return errors.New("the cluster has not kept its promises")
	}
	return nil
}

// user is a client and what it has heard of.
type user struct {
	client *mcpclient.Client
	heard  atomic.Int64
}

// connectAll connects clients, of both eras in turn, which subscribe to changes of the list of tools.
func connectAll(ctx context.Context, url string, clients int) (all []*user, err error) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	for i := range clients {
		u, era := new(user), mcp.Handshake
		if i%2 == 1 {
			era = mcp.Stateless
		}
		u.client, err = mcpclient.Connect(ctx, mcphttp.Dial(url, mcphttp.ClientOptions{Runtime: runtime.Options{Logger: quiet}, Reconnects: 1000}), mcpclient.Options{
			Logger: quiet, Era: era,
			OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
				return mcp.ElicitResult{Action: "decline"}, nil
			},
			OnListChanged: func(context.Context, mcpclient.List) { u.heard.Add(1) },
		})
		if err != nil {
			return nil, err
		}
		if era == mcp.Handshake {
			if _, err := u.client.Listen(ctx, mcpclient.Changes{Tools: true}); err != nil {
				return nil, err
			}
		}
		all = append(all, u)
	}
	return all, nil
}

// work makes calls until ctx ends.
func (u *user) work(ctx context.Context, n *counts, r *rand.Rand) {
	tools := []string{"test_simple_text", "test_simple_text", "test_tool_with_progress", "test_elicitation", "test_tool_with_logging"}
	for ctx.Err() == nil {
		tool := tools[r.IntN(len(tools))]
		n.count(u.client.Era(), tool, u.call(context.Background(), n, tool))
		select {
		case <-time.After(time.Duration(r.IntN(400)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// call calls a tool, and counts what is missing or came twice of the progress that each call of one tool reports.
func (u *user) call(ctx context.Context, n *counts, tool string) error {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	var mu sync.Mutex
	reports := map[float64]int64{}
	ctx = mcpclient.WithProgress(ctx, func(p mcpclient.ProgressReport) {
		mu.Lock()
		defer mu.Unlock()
		reports[p.Done]++
	})
	arguments := "{}"
	if tool == "test_elicitation" {
		arguments = `{"message":"Who?"}`
	}
	raw, err := wire.ParseRaw([]byte(arguments))
	if err != nil {
		return err
	}
	if _, err = u.client.CallTool(ctx, tool, raw); err != nil || tool != "test_tool_with_progress" {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	for _, done := range []float64{0, 50, 100} {
		n.missing.Add(max(0, 1-reports[done]))
		n.doubled.Add(max(0, reports[done]-1))
	}
	return nil
}

// count counts a call of a tool that has ended with err.
func (n *counts) count(era mcp.Era, tool string, err error) {
	n.calls.Add(1)
	switch {
	case err == nil:
		n.answered.Add(1)
		return
	case errors.Is(err, context.DeadlineExceeded):
		n.hung.Add(1)
	case errors.Is(err, mcphttp.ErrSessionOver):
		n.lost.Add(1)
	default:
		n.failed.Add(1)
	}
	reason, _, _ := strings.Cut(err.Error(), ": read tcp")
	if errors.Is(err, context.DeadlineExceeded) {
		reason += ": " + tool + ", " + era.String()
	}
	n.mu.Lock()
	n.reasons[reason[:min(len(reason), 120)]]++
	n.mu.Unlock()
}

// havoc kills a replica every five seconds, pauses one for a sixth of the time, and restarts NATS once, in the middle.
func (c *cluster) havoc(ctx context.Context, n *counts, r *rand.Rand) {
	end, _ := ctx.Deadline()
	length := time.Until(end)
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() {
		if sleep(ctx, length/2) {
			n.restarted.Add(1)
			if err := c.nats.restart(time.Second); err != nil {
				fmt.Println("NATS:", err)
			}
		}
	})
	running.Go(func() {
		if sleep(ctx, length/6) {
			n.paused.Add(1)
			c.replicas[0].pause(ctx, length/6)
		}
	})
	for sleep(ctx, 5*time.Second) {
		one := c.replicas[1+r.IntN(2)]
		n.killed.Add(1)
		one.kill()
		if !sleep(ctx, 500*time.Millisecond) {
			break
		}
		if err := one.start(ctx); err != nil && ctx.Err() == nil {
			fmt.Println(err)
		}
	}
	for _, one := range c.replicas[1:] { // so that the last change is heard of; the first one has only been paused
		one.kill()
		if err := one.start(context.Background()); err != nil {
			fmt.Println(err)
		}
	}
}

// sleep reports whether ctx lasts longer.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// lastChange changes the list of tools once all faults are over, and returns how many of the clients with a session do not hear of it.
func lastChange(ctx context.Context, n *counts, all []*user) (unheard int) {
	before := make([]int64, len(all))
	for i, u := range all {
		before[i] = u.heard.Load()
	}
	for start := time.Now(); time.Since(start) < settling; {
		all[1].call(ctx, n, "test_trigger_tool_change") // of a stateless client
		unheard = 0
		for i, u := range all {
			if u.client.Era() == mcp.Handshake && u.heard.Load() == before[i] {
				unheard++
			}
		}
		if unheard == 0 || !sleep(ctx, time.Second) {
			break
		}
	}
	return unheard
}

// left returns how many records of sessions, and how many consumers of them, are left after their clients have closed them.
func left(ctx context.Context, url string) (records, consumers int, err error) {
	nc, err := nats.Connect(url)
	if err != nil {
		return 0, 0, err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return 0, 0, err
	}
	bucket, err := js.KeyValue(ctx, "cluster_sessions")
	if err != nil {
		return 0, 0, err
	}
	for start := time.Now(); time.Since(start) < settling; time.Sleep(200 * time.Millisecond) {
		keys, err := bucket.Keys(ctx)
		if records = len(keys); err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
			return 0, 0, err
		}
		stream, err := js.Stream(ctx, "KV_cluster_sessions")
		if err != nil {
			return 0, 0, err
		}
		if consumers = stream.CachedInfo().State.Consumers; records+consumers == 0 {
			break
		}
	}
	return records, consumers, nil
}

// goroutines returns how many goroutines each replica has, and where they are.
func (c *cluster) goroutines() (all []int, profiles []string, err error) {
	for _, r := range c.replicas {
		n, profile, err := r.goroutines()
		if err != nil {
			return nil, nil, err
		}
		all, profiles = append(all, n), append(profiles, profile)
	}
	return all, profiles, nil
}

// goroutinesLeft returns how many goroutines the replicas have in addition to those that they had without clients, and prints where the goroutines of
// such replicas are.
func (c *cluster) goroutinesLeft(ctx context.Context, idle []int) (left int, err error) {
	var now []int
	var profiles []string
	for start := time.Now(); time.Since(start) < settling; {
		c.balancer.next.CloseIdleConnections()
		if now, profiles, err = c.goroutines(); err != nil {
			return 0, err
		}
		left = 0
		for i, n := range now {
			left += max(0, n-idle[i])
		}
		if left == 0 || !sleep(ctx, 200*time.Millisecond) {
			return left, nil
		}
	}
	for i, n := range now {
		if n > idle[i] {
			fmt.Printf("replica %d has %d goroutines in place of %d:\n%s\n", i, n, idle[i], profiles[i])
		}
	}
	return left, nil
}
