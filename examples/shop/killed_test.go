package main

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
)

// command is the shop as a program.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "BE_THE_SHOP=1")
	return cmd
}

// TestKilled: a shop that is killed while customers order has every order that it has answered, and no goods are lost.
func TestKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.db")
	cmd := command("-db", file, "-http", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(strings.TrimPrefix(line, "shop: "))

	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var mu sync.Mutex
	answered := map[rpc.OrderID]bool{}
	for i := range 4 {
		c := newCustomer(t, mcphttp.Dial(url, mcphttp.ClientOptions{}), []mcp.Era{mcp.Stateless, mcp.Handshake}[i%2])
		group.Go(func() {
			for {
				o, err := c.order(ctx, 1)
				if err != nil {
					return // the stock is at its end, or so is the shop
				}
				mu.Lock()
				answered[o.ID] = true
				mu.Unlock()
			}
		})
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		mu.Lock()
		enough := len(answered) >= 10
		mu.Unlock()
		if enough {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // it was killed
	cancel()
	group.Wait()

	c := newCustomer(t, overStdio("-db", file), mcp.Stateless)
	list, err := c.ListOrders(t.Context(), rpc.ListOrdersInput{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list.Orders {
		delete(answered, o.ID)
	}
	if len(answered) > 0 || len(list.Orders) < 10 {
		t.Errorf("of %d orders there are %v missing", len(list.Orders), answered)
	}
	item, err := c.ReadItem(t.Context(), rpc.ItemParams{Sku: "HAM-0001"})
	if err != nil || int(item.Regions[1].Stock)+len(list.Orders) != 40 {
		t.Errorf("%d orders, and %+v in stock: %v", len(list.Orders), item.Regions, err)
	}
}

// overStdio starts the shop.
func overStdio(args ...string) mcpclient.Dialer {
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		return stdio.Command(ctx, command(args...), inbound)
	}
}

// TestStdio: the shop keeps its goods where the option says, and reports what is wrong with that.
func TestStdio(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.db")
	var placed rpc.Order
	for _, era := range []mcp.Era{mcp.Handshake, mcp.Stateless} {
		c := newCustomer(t, overStdio("-db", file), era)
		o, err := c.order(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if placed.ID != "" {
			if read, err := c.ReadOrder(t.Context(), rpc.OrderParams{OrderID: placed.ID}); err != nil || read != placed {
				t.Error(read, err)
			}
		}
		placed = o
		if err := c.conn.Close(); err != nil {
			t.Error(err)
		}
	}
	out, err := command("-db", filepath.Join(t.TempDir(), "none", "shop.db")).CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != 1 || !strings.HasPrefix(string(out), "shop: the shop in ") {
		t.Errorf("%v: %s", err, out)
	}
}
