package allkinds_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/exact"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

// counter is a server that counts its calls.
type counter struct {
	allkinds.UnimplementedServer
	calls int
}

func (s *counter) AllList(context.Context, []int64) ([]allkinds.Point, error) {
	s.calls++
	return nil, nil
}

func budgeted(budget int) (*counter, *runtime.Dispatcher) {
	s := new(counter)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	return s, runtime.NewDispatcher(allkinds.NewHandler(s), runtime.Options{DecodeBudget: budget, BatchCalls: 1, Logger: quiet})
}

func listCall(id, n int) string {
	return `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"all/list","params":[[` + repeat("1", 2*n-1) + `]]}`
}

// TestDecodeBudget refuses params that need more memory than the budget, with the error that the schema declares and before the handler
// runs, and says what is wrong with params that break a rule before they reach the budget.
func TestDecodeBudget(t *testing.T) {
	s, d := budgeted(4 << 10)
	call := func(msg string) string { return string(d.Dispatch(t.Context(), nil, []byte(msg))) }
	params := func(list string) string { return `{"jsonrpc":"2.0","id":1,"method":"all/list","params":` + list + `}` }
	if got := call(params("[" + repeat("1", 200) + "]")); s.calls != 1 || strings.Contains(got, "error") {
		t.Errorf("%d calls: %s", s.calls, got)
	}
	many := params("[" + repeat("1", 4000) + "]")
	want := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":1012,"message":"all/list would take more than 4096 bytes",`+
		`"data":{"method":"all/list","maxSize":4096,"size":%d,"unit":"bytes"}}}`, len(many))
	if got := call(many); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := call(params(`["x",` + repeat("1", 4000) + "]")); !strings.Contains(got, `"pointer":"/0","rule":"type"`) {
		t.Errorf("a violation before the budget is spent: %s", got)
	}
	if s.calls != 1 {
		t.Errorf("%d calls", s.calls)
	}
}

// TestBatchSharesBudget gives one budget to all messages of a batch: those that come when it is spent are refused.
func TestBatchSharesBudget(t *testing.T) {
	s, d := budgeted(12 << 10)
	one := strings.Replace(listCall(1, 400), "[[", "[", 1)
	one = strings.Replace(one, "]]", "]", 1)
	got := string(d.Dispatch(t.Context(), nil, []byte("["+one+","+one+","+one+"]")))
	if n := strings.Count(got, `"code":1012`); s.calls != 1 || n != 2 {
		t.Errorf("%d calls, %d refused: %s", s.calls, n, got)
	}
}

// TestCountsStopDecoding reads a list that may hold five elements and holds a million: what is beyond takes no memory, and the answer says
// how many there were.
func TestCountsStopDecoding(t *testing.T) {
	text := []byte("[" + numbered(`"%d"`, 8<<20) + "]")
	n := strings.Count(string(text), ",") + 1
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	var tags allkinds.Tags
	err := wire.Unmarshal(text, tags.DecodeJSON, tags.CheckRules)
	goruntime.ReadMemStats(&after)
	want := fmt.Sprintf("maxItems: expected at most 5 elements, got %d elements", n)
	if err == nil || err.Error() != want || len(tags) != 5 {
		t.Errorf("%d tags: %v, want %s", len(tags), err, want)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<10 {
		t.Errorf("%d bytes of memory", took)
	}
}

// TestLongDecimals divides decimals of a million digits as math/big does, whose time grows with the square of their length.
func TestLongDecimals(t *testing.T) {
	digits := strings.Repeat("1234567890", 300)
	for _, c := range []struct{ v, of string }{
		{digits, "10"}, {digits, "7"}, {digits + "1", "10"}, {digits, "0.5"}, {digits + ".25", "0.25"}, {digits + ".26", "0.25"},
		{digits, "12345678901234567890123"}, {"-" + digits, "3"}, {"0.0" + digits, "0.01"}, {digits + "e5", "100000"}, {digits + "e-5", "0.00001"},
	} {
		var vs rule.Violations
		exact.DecimalMultipleOf(&vs, "", c.v, c.of)
		v, _ := new(big.Rat).SetString(c.v)
		of, _ := new(big.Rat).SetString(c.of)
		if whole := new(big.Rat).Quo(v, of).IsInt(); whole != (vs.Len() == 0) {
			t.Errorf("%.20s... of %s: %v, math/big says %t", c.v, c.of, vs.All(), whole)
		}
	}
}
