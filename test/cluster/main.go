// Command cluster starts NATS, three replicas of an MCP server and a balancer that knows nothing of sessions, and puts them under a load of clients
// of both eras while replicas are killed and NATS fails in several ways. It prints what became of the calls, and fails if a promise was broken. With
// -serve it only starts them, until it is interrupted; with -to as well it is only the balancer, of replicas that were started before.
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
	"strings"
	"syscall"
	"time"
)

func main() {
	length := flag.Duration("time", 3*time.Minute, "how long to put it under load")
	seed := flag.Uint64("seed", 1, "what the random choices follow from")
	clients := flag.Int("clients", 200, "number of clients")
	serve := flag.String("serve", "", "only serve /mcp at this `address`")
	to := flag.String("to", "", "with -serve, balance the replicas at these `addresses`, separated by commas, in place of starting some")
	binary := flag.String("replica", "", "run this `file` as the replicas, built from ./replica; by default it is built")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch {
	case *to != "":
		err = balanceOnly(ctx, *serve, strings.Split(*to, ","))
	case *serve != "":
		err = serveOnly(ctx, *serve, *binary)
	default:
		err = prove(ctx, *binary, *length, *seed, *clients)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// cluster is everything that runs.
type cluster struct {
	folder string // for the binary and what NATS keeps
	nats   *broker
	relay  relay // between the replicas and NATS
	*witness
	replicas []*replica
	balancer *balancer
	http     *http.Server
}

// start starts a cluster at an address. It builds the binary of the replicas if there is none.
func start(ctx context.Context, address, binary string) (c *cluster, err error) {
	c = &cluster{witness: &witness{counts: map[string]int{}, begun: map[string]time.Time{}, answered: map[string]bool{}}}
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
	if c.relay.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return c, err
	}
	go c.relay.serve(c.nats.server.Addr().String())
	for range 3 {
		r, err := startReplica(ctx, binary, "nats://"+c.relay.Addr().String())
		if r != nil {
			c.replicas = append(c.replicas, r)
		}
		if err != nil {
			return c, err
		}
	}
	return c, c.balance(ctx, address)
}

// balance starts the balancer.
func (c *cluster) balance(ctx context.Context, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	c.balancer = newBalancer(ctx, c.replicas)
	c.http = &http.Server{Handler: c.balancer, ReadHeaderTimeout: 10 * time.Second}
	go c.http.Serve(l)
	c.http.Addr = l.Addr().String()
	return nil
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
	if c.relay.Listener != nil {
		c.relay.Close()
	}
	if c.nats != nil {
		c.nats.stop()
	}
	if c.folder != "" {
		errs = append(errs, os.RemoveAll(c.folder))
	}
	return errors.Join(errs...)
}

func serveOnly(ctx context.Context, address, binary string) error {
	c, err := start(ctx, address, binary)
	if err != nil {
		return err
	}
	return c.wait(ctx)
}

func balanceOnly(ctx context.Context, address string, replicas []string) error {
	c := new(cluster)
	for _, at := range replicas {
		c.replicas = append(c.replicas, &replica{address: at})
	}
	if err := c.balance(ctx, address); err != nil {
		return err
	}
	return c.wait(ctx)
}

// wait says where the cluster is, and stops it when ctx ends.
func (c *cluster) wait(ctx context.Context) error {
	fmt.Printf("http://%s/mcp\n", c.http.Addr)
	<-ctx.Done()
	return c.stop()
}
