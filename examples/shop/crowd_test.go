//go:build unix

package main

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
)

// limitFiles limits how many files the process may have open. Empty: as many as before.
func limitFiles(text string) {
	if text == "" {
		return
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err == nil {
		err = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: n})
	}
	if err != nil {
		panic(err)
	}
}

// TestCrowd: a shop that may have 1,024 files open gives 800 callers at the same time, of both eras, the right answers.
func TestCrowd(t *testing.T) {
	const callers, clients = 800, 16
	file := filepath.Join(t.TempDir(), "shop.db")
	cmd := command("-db", file, "-http", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, "SHOP_FILES=1024")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(strings.TrimPrefix(line, "shop: "))

	var all []*customer
	for i := range clients {
		all = append(all, newCustomer(t, mcphttp.Dial(url, mcphttp.ClientOptions{}), []mcp.Era{mcp.Stateless, mcp.Handshake}[i%2]))
	}
	if _, err := all[0].Restock(t.Context(), rpc.RestockInput{Sku: "HAM-0001", Region: rpc.RegionEU, Count: 1000}); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	begin := make(chan struct{})
	failures := make(chan string, callers)
	for i := range callers {
		group.Go(func() {
			<-begin
			if err := all[i/4%clients].visit(t, i); err != nil {
				failures <- fmt.Sprint(i, ": ", err)
			}
		})
	}
	close(begin)
	group.Wait()
	close(failures)
	for failure := range failures {
		t.Error(failure)
	}
	item, err := all[0].ItemDetails(t.Context(), rpc.ItemDetailsInput{Sku: "HAM-0001"})
	if want := int32(40 + 1000 - callers/4); err != nil || item.Regions[1].Stock != want {
		t.Errorf("%+v, %v; expected %d in the EU", item.Regions, err, want)
	}
}

// visit makes one of four calls, and says what is wrong with its answer.
func (c *customer) visit(t *testing.T, i int) error {
	ctx := t.Context()
	switch i % 4 {
	case 0:
		out, err := c.SearchItems(ctx, rpc.SearchItemsInput{Query: "claw hammer", Limit: 5})
		if err == nil && (len(out.Items) != 1 || out.Items[0].Sku != "HAM-0001") {
			err = fmt.Errorf("found %+v", out)
		}
		return err
	case 1:
		out, err := c.PlaceOrder(ctx, rpc.PlaceOrderInput{Sku: "HAM-0001", Count: 1, Region: rpc.RegionEU, Key: runtime.Some(fmt.Sprint("call ", i))})
		if err == nil && (out.Order.Sku != "HAM-0001" || out.Order.Count != 1 || out.Order.Cents != 2490) {
			err = fmt.Errorf("ordered %+v", out)
		}
		return err
	case 2:
		item, err := c.ReadItem(ctx, rpc.ItemParams{Sku: "HAM-0001"})
		if err == nil && (item.Sku != "HAM-0001" || len(item.Regions) != 3) {
			err = fmt.Errorf("read %+v", item)
		}
		return err
	}
	_, err := c.ItemDetails(ctx, rpc.ItemDetailsInput{Sku: "HAM-9999"})
	if !is[*rpc.ItemUnknownError](err) {
		return fmt.Errorf("an unknown item: %v", err)
	}
	return nil
}
