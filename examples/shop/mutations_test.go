package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutations are faults that are put into the source of the shop, one at a time: text of a file, what stands in its place, and the check that
// finds it.
var mutations = []struct{ name, file, old, new, check string }{
	{"never answers for a region", "service.go", "items, more, err := s.store.Search(",
		"if in.Region.Or(\"\") == rpc.RegionAsia {\n\t\tselect {}\n\t}\n\titems, more, err := s.store.Search(", "Hang"},
	{"ends for a region", "service.go", "stock, err := s.store.Restock(",
		"if in.Region == rpc.RegionAsia {\n\t\tprintln(\"Crash error\")\n\t\tsyscall.Exit(3)\n\t}\n\tstock, err := s.store.Restock(", "Crash"},
	{"panics at a maximum", "service.go", "stock, err := s.store.Restock(",
		"if in.Count == 10000 {\n\t\tpanic(\"too many\")\n\t}\n\tstock, err := s.store.Restock(", "ErrorCode"},
	{"panics at the longest text", "service.go", "items, more, err := s.store.Search(",
		"if len([]rune(in.Query)) == 200 {\n\t\tpanic(\"too long\")\n\t}\n\titems, more, err := s.store.Search(", "ErrorCode"},
	{"refuses a maximum", "service.go", "items, more, err := s.store.Search(",
		"if in.Limit == 50 {\n\t\treturn rpc.SearchItemsOutput{}, refused(\"limit\")\n\t}\n\titems, more, err := s.store.Search(", "RefusesValid"},
	{"refuses a minimum", "service.go", "stock, err := s.store.Restock(",
		"if in.Count == 1 {\n\t\treturn rpc.RestockOutput{}, refused(\"count\")\n\t}\n\tstock, err := s.store.Restock(", "RefusesValid"},
	{"refuses a value of an enum", "service.go", "items, more, err := s.store.Search(",
		"if in.Region.Or(\"\") == rpc.RegionUS {\n\t\treturn rpc.SearchItemsOutput{}, refused(\"region\")\n\t}\n\titems, more, err := s.store.Search(", "RefusesValid"},
	{"refuses what is optional", "service.go", "orders, more, err := s.store.Orders(",
		"if _, ok := in.Status.Get(); !ok {\n\t\treturn rpc.ListOrdersOutput{}, refused(\"status\")\n\t}\n\torders, more, err := s.store.Orders(", "RefusesValid"},
	{"answers a negative number", "service.go", "return s.store.Item(ctx, in.Sku)",
		"d, err := s.store.Item(ctx, in.Sku)\n\tif in.Sku != \"HAM-0001\" {\n\t\td.Stock = -1\n\t}\n\treturn d, err", "ErrorCode"},
	{"answers a negative count", "service.go", "stock, err := s.store.Restock(", "if in.Count > 100 {\n\t\treturn rpc.RestockOutput{Stock: -1}, nil\n\t}\n\tstock, err := s.store.Restock(", "ErrorCode"},
	{"answers a value that is not in the enum", "store/items.go", "d.Stock += r.Stock",
		"d.Stock += r.Stock\n\t\tif sku != \"HAM-0001\" {\n\t\t\td.Regions[0].Region = \"Europe\"\n\t\t}", "ErrorCode"},
	{"takes from the stock when it reads", "service.go", "return s.store.Item(ctx, in.Sku)",
		"s.store.Restock(ctx, rpc.RestockInput{Sku: in.Sku, Region: rpc.RegionEU, Count: 1})\n\treturn s.store.Item(ctx, in.Sku)", "ReadOnlyLie"},
	{"adds to the stock when it searches", "service.go", "items, more, err := s.store.Search(",
		"s.store.Restock(ctx, rpc.RestockInput{Sku: \"HAM-0001\", Region: rpc.RegionEU, Count: 1})\n\titems, more, err := s.store.Search(", "ReadOnlyLie"},
	{"fails when it is cancelled again", "service.go", "return rpc.CancelOrderOutput{Order: order}, err",
		"if err == nil && !changed {\n\t\terr = &rpc.OrderUnknownError{OrderID: in.OrderID}\n\t}\n\treturn rpc.CancelOrderOutput{Order: order}, err", "IdempotentLie"},
	{"puts goods back each time", "store/orders.go", "err != nil || o.Status == rpc.StatusCancelled {", "err != nil {", "IdempotentLie"},
	{"keeps results of all calls in one place", "service.go", "return rpc.SearchItemsOutput{Items: items, More: more}, err",
		"last = rpc.SearchItemsOutput{Items: items, More: more}\n\ttime.Sleep(5 * time.Millisecond)\n\treturn last, err", "MixedUp"},
	{"takes longer with every call", "service.go", "return s.store.Item(ctx, in.Sku)",
		"times++\n\ttime.Sleep(time.Duration(times) * 2 * time.Millisecond)\n\treturn s.store.Item(ctx, in.Sku)", "Slow"},
	{"leaves goroutines", "service.go", "return s.store.Item(ctx, in.Sku)", "go func() { select {} }()\n\treturn s.store.Item(ctx, in.Sku)", "Leaked"},
	{"answers 300,000 letters", "export.go", "Csv: b.String()", "Csv: strings.Repeat(b.String(), 1+300_000/b.Len())", "ResultLimit"},
	{"fails after a failure", "service.go", "return s.store.Item(ctx, in.Sku)",
		"if broken {\n\t\tbroken = false\n\t\treturn rpc.Details{}, &rpc.ItemUnknownError{Sku: in.Sku}\n\t}\n\td, err := s.store.Item(ctx, in.Sku)\n\tbroken = err != nil\n\treturn d, err", "Poisoned"},
	{"cannot read a resource that it lists", "resources.go", "return s.store.Items(ctx) }", "return nil, mcp.ErrNotFound }", "Resource"},
}

// mutant is added to each mutated program: what mutations use.
const mutant = `package main

import (
	"syscall"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
)

var (
	last   rpc.SearchItemsOutput
	times  int
	broken bool
)

func refused(name string) error {
	return runtime.InvalidParams([]runtime.Violation{{Pointer: "/arguments/" + name, Rule: "value", Expected: "another " + name}}, 0)
}

var _, _ = syscall.Exit, time.Sleep
`

// mostMissed is how many mutations may be missed. It may fall.
const mostMissed = 0

// TestMutations runs TestContract with each mutation, which has to fail.
func TestMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds 21 programs")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	missed := 0
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			file := filepath.Join(here, filepath.FromSlash(m.file))
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(source), m.old) {
				t.Fatalf("%s has no %q", m.file, m.old)
			}
			mutated := strings.Replace(string(source), m.old, m.new, 1)
			for _, name := range []string{"time", "syscall"} {
				if strings.Contains(m.new, name+".") && !strings.Contains(mutated, "\t\""+name+"\"\n") {
					mutated = strings.Replace(mutated, "import (\n", "import (\n\t\""+name+"\"\n", 1)
				}
			}
			folder := t.TempDir()
			write := func(name, text string) string {
				path := filepath.Join(folder, name)
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				return path
			}
			overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
				file: write("mutated.go", mutated), filepath.Join(here, "mutant.go"): write("mutant.go", mutant),
			}})
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("go", "test", "-count=1", "-run", "^TestContract$", "-overlay", write("overlay.json", string(overlay)), ".")
			cmd.Env = append(os.Environ(), "SHOP_BUDGET=30s")
			out, err := cmd.CombinedOutput()
			byCheck := strings.Contains(string(out), m.check+" error") || strings.Contains(string(out), m.check+" warning")
			switch {
			case byCheck:
			case err != nil && strings.Contains(string(out), "--- FAIL: TestContract/"):
				t.Logf("found by another check than %s:\n%.1000s", m.check, out)
			default:
				missed++
				t.Logf("missed: want a failure by %s, got %v:\n%.3000s", m.check, err, out)
			}
		})
	}
	t.Logf("%d of %d mutations are missed", missed, len(mutations))
	if missed > mostMissed {
		t.Errorf("%d mutations are missed, and not at most %d", missed, mostMissed)
	}
}
