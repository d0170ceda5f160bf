// Command cluster starts NATS, three replicas of an MCP server and a balancer that knows nothing of sessions, and puts them under a load of clients
// of both eras while replicas are killed and paused and NATS restarts. It prints what became of the calls, and fails if a call did not end in
// time, or if a session was lost. With -serve it only starts them, until it is interrupted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	length := flag.Duration("time", 3*time.Minute, "how long to put it under load")
	seed := flag.Uint64("seed", 1, "what the random choices follow from")
	clients := flag.Int("clients", 200, "number of clients")
	serve := flag.String("serve", "", "only serve /mcp at this `address`")
	binary := flag.String("replica", "", "run this `file` as the replicas, built from ./replica; by default it is built")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *serve != "" {
		err = serveOnly(ctx, *serve, *binary)
	} else {
		err = prove(ctx, *binary, *length, *seed, *clients)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// cluster is everything that runs.
type cluster struct {
	folder   string // for the binary and what NATS keeps
	nats     *broker
	replicas []*replica
	balancer *balancer
	http     *http.Server
}

// start starts a cluster at an address. It builds the binary of the replicas if there is none.
func start(ctx context.Context, address, binary string) (c *cluster, err error) {
	c = new(cluster)
	defer func() {
		if err != nil {
			c.stop()
		}
	}()
	if c.folder, err = os.MkdirTemp("", "cluster"); err != nil {
		return c, err
	}
	if binary == "" {
		binary = filepath.Join(c.folder, "replica")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "./replica").CombinedOutput(); err != nil {
			return c, fmt.Errorf("%w\n%s", err, out)
		}
	}
	if c.nats, err = startBroker(filepath.Join(c.folder, "nats")); err != nil {
		return c, err
	}
	for range 3 {
		r, err := startReplica(ctx, binary, c.nats.url())
		if r != nil {
			c.replicas = append(c.replicas, r)
		}
		if err != nil {
			return c, err
		}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return c, err
	}
	c.balancer = newBalancer(ctx, c.replicas)
	c.http = &http.Server{Handler: c.balancer, ReadHeaderTimeout: 10 * time.Second}
	go c.http.Serve(l)
	c.http.Addr = l.Addr().String()
	return c, nil
}

// stop stops everything.
func (c *cluster) stop() error {
	var errs []error
	if c.http != nil {
		errs = append(errs, c.http.Close())
	}
	for _, r := range c.replicas {
		r.kill()
	}
	if c.nats != nil {
		c.nats.stop()
	}
	return errors.Join(append(errs, os.RemoveAll(c.folder))...)
}

func serveOnly(ctx context.Context, address, binary string) error {
	c, err := start(ctx, address, binary)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", c.http.Addr)
	<-ctx.Done()
	return c.stop()
}
