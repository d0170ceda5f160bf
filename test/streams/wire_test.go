package streams

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

// chain serves two streams that have one name on the wire.
type chain struct{ service }

func (chain) EthHeads(ctx context.Context, _ rpc.EthHeadsParams, out rpc.EthHeadsStream) error {
	for n := range 20 {
		if err := out.Send(ctx, rpc.Head{Number: fmt.Sprintf("0x%x", n)}); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

func (chain) EthLogs(ctx context.Context, p rpc.EthLogsParams, out rpc.EthLogsStream) error {
	for n := range 20 {
		if err := out.Send(ctx, fmt.Sprint(p.Filter.Address.Or(""), n)); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

// TestSharedName: streams of one name on the wire get their own items, many at once.
func TestSharedName(t *testing.T) {
	_, dial := serveOf(t, chain{})
	client := rpc.NewClient(dial())
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			next := 0
			for head, err := range client.EthHeads(t.Context(), rpc.EthHeadsParams{}) {
				if err != nil || head.Number != fmt.Sprintf("0x%x", next) {
					t.Error(head, next, err)
				}
				if next++; err != nil || next == 20 {
					break
				}
			}
		})
		all.Go(func() {
			next, filter := 0, &rpc.LogFilter{Address: runtime.Some("0xa")}
			for line, err := range client.EthLogs(t.Context(), rpc.EthLogsParams{Filter: filter}) {
				if err != nil || line != fmt.Sprint("0xa", next) {
					t.Error(line, next, err)
				}
				if next++; err != nil || next == 20 {
					break
				}
			}
		})
	}
	all.Wait()
}

// TestNoConstant: the constant is the first param, or the member that is called so. What has none gets a list of what there is.
func TestNoConstant(t *testing.T) {
	_, dial := serveOf(t, chain{})
	conn := dial()
	const oneOf = `,"expected":"one of newHeads, logs"`
	for params, want := range map[string]string{
		`["newHeads"]`: ``, ` [ "\u006cogs" , {} ]`: ``, `{"kind":"newHeads"}`: ``, `{"filter":{},"kind":"logs"}`: ``,
		`["newHeads",1]`: `"","rule":"maxItems"`, `["logs",1]`: `"/1","rule":"type"`, `{"kind":"logs","kind":"heads"}`: `"/kind","rule":"duplicate"`,
		`["NewHeads",1,2]`: `"/0","rule":"enum"` + oneOf + `,"got":"\"NewHeads\"","closest":"newHeads"`, `[["logs"]]`: `"/0","rule":"enum"` + oneOf,
		`[]`: `"/0","rule":"required"` + oneOf, `{}`: `"/kind","rule":"required"` + oneOf, `{"kind":7}`: `"/kind","rule":"enum"` + oneOf + `,"got":"7"`,
	} {
		id, err := conn.NextID(1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := conn.Call(t.Context(), id, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"eth_subscribe","params":%s}`, id, params))
		outcome := `"code":-32602`
		if want == "" {
			outcome = `"result":"`
		}
		if err != nil || !strings.Contains(string(got), outcome) || !strings.Contains(string(got), want) {
			t.Errorf("%s: %s, %v", params, got, err)
		}
	}
}
