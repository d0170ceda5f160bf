package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	longest = 10 * time.Second // of an outage
	soon    = 10 * time.Second // after an outage, each replica is ready: not counted while work waits for a processor
)

// outages are what is done to NATS and to the replica that is never killed. The end is nil of what does not last.
var outages = []struct {
	name       string
	begin, end func(c *cluster) error
}{
	{"NATS restarted", func(c *cluster) error { c.nats.stop(); return nil }, func(c *cluster) error { return c.nats.start() }},
	{"NATS paused", func(c *cluster) error { c.relay.pause.Lock(); return nil }, func(c *cluster) error { c.relay.pause.Unlock(); return nil }},
	{"NATS emptied", (*cluster).empty, nil},
	{"NATS full", storage(1), storage(-1)},
	{"login refused", login("others"), login("")},
	{"replica asleep", send(syscall.SIGSTOP), send(syscall.SIGCONT)},
}

// empty deletes the buckets.
func (c *cluster) empty() error {
	js, done, err := c.jetStream()
	if err != nil {
		return err
	}
	defer done()
	err = errors.Join(js.DeleteStream(context.Background(), "KV_cluster_sessions"), js.DeleteStream(context.Background(), "KV_cluster_tasks"))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.emptied = time.Now()
	return err
}

// jetStream connects to NATS, past the relay.
func (c *cluster) jetStream() (js jetstream.JetStream, done func(), err error) {
	nc, err := nats.Connect(c.nats.url())
	if err != nil {
		return nil, nil, err
	}
	js, err = jetstream.New(nc)
	return js, nc.Close, err
}

// storage limits what NATS stores.
func storage(bytes int64) func(c *cluster) error {
	all := server.JetStreamAccountLimits{MaxMemory: -1, MaxStore: bytes, MaxStreams: -1, MaxConsumers: -1, MaxAckPending: -1, MemoryMaxStreamBytes: -1,
		StoreMaxStreamBytes: -1}
	return func(c *cluster) error {
		return c.nats.server.GlobalAccount().UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{"": all})
	}
}

// login has NATS let in only one user, or all if it is empty.
func login(user string) func(c *cluster) error {
	return func(c *cluster) error {
		o := c.nats.options.Clone()
		o.Username, o.Password = user, user
		return c.nats.server.ReloadOptions(o)
	}
}

func send(s syscall.Signal) func(c *cluster) error {
	return func(c *cluster) error { return c.replicas[0].cmd.Process.Signal(s) }
}

// breakDown makes outages until ctx ends, one after the other: each kind once before one comes again. After each, all replicas become ready.
func (c *cluster) breakDown(ctx context.Context, r *rand.Rand) {
	end, _ := ctx.Deadline()
	length := float64(min(longest, time.Until(end)/4))
	var next []int
	for sleep(ctx, time.Duration(length*(0.2+1.8*r.Float64()))) {
		if len(next) == 0 {
			next = r.Perm(len(outages))
		}
		one := outages[next[0]]
		next = next[1:]
		c.add("outage: "+one.name, 1)
		err := one.begin(c)
		if one.end != nil {
			sleep(ctx, time.Duration(length*(0.1+0.9*r.Float64())))
			err = errors.Join(err, one.end(c))
		}
		back, before := time.Now(), stalled()
		for _, r := range c.replicas {
			for !r.ready() && time.Since(back) < deadline {
				time.Sleep(20 * time.Millisecond)
			}
		}
		took := time.Since(back)
		if took < deadline {
			took -= stalled() - before
		}
		c.slowest = max(c.slowest, took)
		if took > soon || err != nil {
			fmt.Printf("%s: %v, and ready after %s\n", one.name, err, took)
			c.add(broken+"not ready soon", 1)
		}
	}
}

// stalled returns for how long this machine has had work that waited for a processor, which is no time in which a replica could have become ready. It is zero
// where the kernel does not tell.
func stalled() time.Duration {
	text, _ := os.ReadFile("/proc/pressure/cpu")
	_, total, _ := strings.Cut(string(text), "total=")
	total, _, _ = strings.Cut(total, "\n")
	microseconds, _ := strconv.ParseInt(total, 10, 64)
	return time.Duration(microseconds) * time.Microsecond
}
