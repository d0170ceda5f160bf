package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

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

// prove puts a cluster under load.
func prove(ctx context.Context, binary string, length time.Duration, seed uint64, clients int) error {
	c, err := start(ctx, "127.0.0.1:0", binary)
	if err != nil {
		return err
	}
	defer c.stop()
	under, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	idle, _, err := c.goroutines()
	if err != nil {
		return err
	}
	all, err := connectAll(ctx, "http://"+c.http.Addr+"/mcp", clients, c.witness)
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	for i, one := range all {
		running.Go(func() { one.work(under, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	running.Go(func() { c.breakDown(under, rand.New(rand.NewPCG(seed, 1<<33))) })
	running.Go(func() { c.havoc(under, rand.New(rand.NewPCG(seed, 1<<32))) })
	running.Wait()
	unheard := lastChange(ctx, all)
	for _, one := range all {
		one.client.Close()
	}
	records, consumers, err := c.left(ctx)
	if err != nil {
		return err
	}
	goroutines, descriptors, err := c.goroutinesLeft(ctx, idle)
	if err != nil {
		return err
	}
	c.twice()
	c.add(broken+"client without the last change", unheard)
	c.add(broken+"record or consumer left", records+consumers)
	c.add(broken+"goroutine or descriptor left", goroutines+descriptors)
	fmt.Printf("clients %d, seed %d, %s, ready %s after an outage at most\n", clients, seed, length, c.slowest.Round(time.Millisecond))
	faults := 0
	for _, name := range slices.Sorted(maps.Keys(c.counts)) {
		fmt.Printf("%8d  %s\n", c.counts[name], name)
		if strings.HasPrefix(name, broken) {
			faults += c.counts[name]
		}
	}
	if faults > 0 || len(c.answered) == 0 || c.counts["texts of calls begun"] == 0 {
		return errors.New("the cluster has not kept its promises")
	}
	return nil
}

// user is a client and what it has heard of.
type user struct {
	client *mcpclient.Client
	w      *witness
	name   string // begins the texts of its calls, which are numbered
	made   int
	heard  atomic.Int64
}

// connectAll connects clients, of both eras in turn, which subscribe to changes of the list of tools.
func connectAll(ctx context.Context, url string, clients int, w *witness) (all []*user, err error) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	for i := range clients {
		u, era := &user{name: fmt.Sprintf("client %d, call ", i), w: w}, mcp.Handshake
		if i%2 == 1 {
			era = mcp.Stateless
		}
		u.client, err = mcpclient.Connect(ctx, mcphttp.Dial(url, mcphttp.ClientOptions{HTTP: &http.Client{Transport: w},
			Runtime: runtime.Options{Logger: quiet}, Reconnects: 1000}), mcpclient.Options{
			Logger: quiet, Era: era,
			OnElicit: func(_ context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
				if !strings.HasPrefix(p.Message, u.name) {
					w.add(broken+"question of another", 1)
				}
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
func (u *user) work(ctx context.Context, r *rand.Rand) {
	tools := []string{"greet", "greet", "slow_compute", "test_tool_with_progress", "test_elicitation", "test_tool_with_logging"}
	for ctx.Err() == nil {
		tool := tools[r.IntN(len(tools))]
		u.count(tool, u.call(context.Background(), tool))
		sleep(ctx, time.Duration(r.IntN(400))*time.Millisecond)
	}
}

// arguments are those of tools, with a text of the call in some.
var arguments = map[string]string{
	"greet": `{"name":%q}`, "slow_compute": `{"seconds":1,"label":%q}`, "test_elicitation": `{"message":%q}`,
	"test_tool_with_progress": "{}%.0s", "test_tool_with_logging": "{}%.0s", "test_trigger_tool_change": "{}%.0s",
}

// call calls a tool, and counts what is missing or came twice of the progress that each call of one tool reports.
func (u *user) call(ctx context.Context, tool string) error {
	patience := deadline
	if tool == "slow_compute" {
		patience *= 4 // replicas that were away do not know for a while whether the one that runs a task has gone
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var mu sync.Mutex
	reports := map[float64]int{}
	ctx = mcpclient.WithProgress(ctx, func(p mcpclient.ProgressReport) {
		mu.Lock()
		defer mu.Unlock()
		reports[p.Done]++
	})
	u.made++
	text := u.name + strconv.Itoa(u.made) + "."
	raw, err := wire.ParseRaw([]byte(fmt.Sprintf(arguments[tool], text)))
	if err != nil {
		return err
	}
	var result mcp.CallToolResult
	if tool == "slow_compute" {
		result, err = u.runTask(ctx, tool, raw)
	} else {
		result, err = u.client.CallTool(ctx, tool, raw)
	}
	if err != nil {
		return err
	}
	got, err := wire.Marshal(&result)
	if err != nil {
		return err
	}
	if strings.Contains(arguments[tool], `{"`) && tool != "test_elicitation" {
		if result.IsError.Or(false) {
			return errors.New("the tool failed")
		}
		if !strings.Contains(string(got), text) {
			fmt.Printf("%s is answered by %s\n", text, got)
			u.w.add(broken+"answer of another", 1)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	u.w.mu.Lock()
	defer u.w.mu.Unlock()
	u.w.answered[text] = true
	for i := 0; i < 3 && tool == "test_tool_with_progress"; i++ {
		u.w.counts[broken+"report missing"] += max(0, 1-reports[float64(50*i)])
		u.w.counts[broken+"report doubled"] += max(0, reports[float64(50*i)]-1)
	}
	return nil
}

// count counts a call of a tool that has ended with err.
func (u *user) count(tool string, err error) {
	name := "call answered"
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), ": read tcp")
		name = "call failed: " + reason[:min(len(reason), 120)]
	}
	if errors.Is(err, context.DeadlineExceeded) {
		name = broken + "call hung: " + tool + ", " + u.client.Era().String()
	}
	u.w.add(name, 1)
}

// havoc kills a replica every five seconds.
func (c *cluster) havoc(ctx context.Context, r *rand.Rand) {
	for sleep(ctx, 5*time.Second) {
		c.add("outage: replica killed", 1)
		one := c.replicas[1+r.IntN(2)]
		one.kill()
		time.Sleep(500 * time.Millisecond)
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
func lastChange(ctx context.Context, all []*user) (unheard int) {
	before := make([]int64, len(all))
	for i, u := range all {
		before[i] = u.heard.Load()
	}
	for start := time.Now(); time.Since(start) < settling; {
		all[1].call(ctx, "test_trigger_tool_change") // of a stateless client
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
func (c *cluster) left(ctx context.Context) (records, consumers int, err error) {
	js, done, err := c.jetStream()
	if err != nil {
		return 0, 0, err
	}
	defer done()
	bucket, err := js.KeyValue(ctx, "cluster_sessions")
	if err != nil {
		return 0, 0, err
	}
	var left string
	for start := time.Now(); time.Since(start) < settling; time.Sleep(200 * time.Millisecond) {
		keys, err := bucket.Keys(ctx)
		if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
			return 0, 0, err
		}
		records = 0
		for _, key := range keys { // not those of sessions that a client has asked for and not heard of
			if begun, known := c.begun[key]; known {
				records++
				left = fmt.Sprintf("the session %s of %s ago is left", key, time.Since(begun))
			}
		}
		stream, err := js.Stream(ctx, "KV_cluster_sessions")
		if err != nil {
			return 0, 0, err
		}
		if consumers = stream.CachedInfo().State.Consumers; records+consumers == 0 {
			return 0, 0, nil
		}
	}
	fmt.Println(left)
	return records, consumers, nil
}

// goroutines returns how many goroutines each replica has, and where they are.
func (c *cluster) goroutines() (all [][3]int, profiles []string, err error) {
	for _, r := range c.replicas {
		n, profile, err := r.goroutines()
		if err != nil {
			return nil, nil, err
		}
		all, profiles = append(all, n), append(profiles, profile)
	}
	return all, profiles, nil
}

// goroutinesLeft returns how many goroutines and descriptors the replicas have in addition to those that they had without clients, and prints where the
// goroutines of such replicas are.
func (c *cluster) goroutinesLeft(ctx context.Context, idle [][3]int) (goroutines, descriptors int, err error) {
	var now [][3]int
	waiting := 0
	var profiles []string
	for start := time.Now(); time.Since(start) < settling; {
		c.balancer.next.CloseIdleConnections()
		if now, profiles, err = c.goroutines(); err != nil {
			return 0, 0, err
		}
		goroutines, descriptors, waiting = 0, 0, 0
		for i, n := range now {
			waiting += n[2]
			goroutines, descriptors = goroutines+max(0, n[0]-idle[i][0]), descriptors+max(0, n[1]-idle[i][1])
		}
		if goroutines+descriptors+waiting == 0 || !sleep(ctx, 200*time.Millisecond) {
			return goroutines, descriptors, nil
		}
	}
	for i, n := range now {
		for range n[2] { // a session whose record is lost stays at its home until it was idle for long
			c.lose("question or stream that still waits", time.Time{})
		}
		if n[0] > idle[i][0] || n[1] > idle[i][1] {
			fmt.Printf("replica %d has %d goroutines and descriptors in place of %d:\n%s\n", i, n, idle[i], profiles[i])
		}
	}
	return goroutines, descriptors, nil
}
