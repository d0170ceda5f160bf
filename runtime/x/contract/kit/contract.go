package kit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// budget is how long new cases are tried unless an option says otherwise.
const budget = 5 * time.Second

// Contract checks the server that conn reaches. A finding that is an error or a warning fails a subtest TOOL/CHECK of each tool that has it,
// and notes are logged. Goroutines that are left after the cleanup of the test fail it, too, as the check Leaked, which a test that runs in parallel
// with others has to skip. Tools that write are called only with the option contract.AllowWrites.
func Contract(t *testing.T, conn contract.Conn, opts ...contract.Option) {
	t.Helper()
	checkLeaks(t, opts)
	r, err := contract.Run(t.Context(), conn, append([]contract.Option{contract.Budget(budget)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity == contract.Note {
			t.Log(describe(f, r.Seed))
			continue
		}
		tools := f.Tools
		if len(tools) == 0 {
			tools = []string{"server"}
		}
		for _, tool := range tools {
			t.Run(tool+"/"+f.Check, func(t *testing.T) {
				t.Helper()
				t.Error(describe(f, r.Seed))
			})
		}
	}
	for _, tool := range r.Tools {
		switch {
		case tool.Skipped != "":
			t.Logf("%s was not called: %s", tool.Name, tool.Skipped)
		case !tool.Reached:
			t.Logf("no call of %s succeeded: %s", tool.Name, tool.Reason)
		}
	}
}

// leaked is the check of the goroutines that a server in memory leaves.
const leaked = "Leaked"

// checkLeaks compares the goroutines that exist now with those at the end of the test, when what the server started has been closed by Cleanup.
func checkLeaks(t *testing.T, opts []contract.Option) {
	var o contract.Options
	for _, opt := range opts {
		opt(&o)
	}
	if slices.Contains(o.Skip, leaked) || o.Checks != nil && !slices.Contains(o.Checks, leaked) {
		return
	}
	known := leak.Current()
	t.Cleanup(func() {
		starts := map[string]int{} // what started how many
		left := leak.Left(known)
		for _, stack := range left {
			_, start, _ := strings.Cut(stack, "created by ")
			start, _, _ = strings.Cut(start, " in goroutine ")
			starts[start]++
		}
		if len(left) == 0 {
			return
		}
		t.Errorf("%s error: %d goroutines are left after the test, started by:", leaked, len(left))
		for _, start := range slices.Sorted(maps.Keys(starts)) {
			t.Logf("%d by %s", starts[start], start)
		}
		t.Log("Close what the server uses by t.Cleanup in the function that makes it, or pass contract.Skip(\"Leaked\").")
	})
}

// describe writes a finding in lines.
func describe(f *contract.Finding, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", f.Check, f.Severity)
	if f.Keyword != "" {
		fmt.Fprintf(&b, " (%s)", f.Keyword)
	}
	fmt.Fprintf(&b, ": %s", f.Message)
	if f.Advice != "" {
		fmt.Fprintf(&b, "\n%s", f.Advice)
	}
	if f.Arguments != "" {
		fmt.Fprintf(&b, "\narguments: %s", f.Arguments)
	}
	for _, m := range f.Transcript {
		fmt.Fprintf(&b, "\n-> %s", m)
	}
	if f.ID != "" {
		fmt.Fprintf(&b, "\nseed %d, id %s", seed, f.ID)
	}
	return b.String()
}

// Fuzz calls a tool of the server that conn reaches with arguments that its schema describes, and with ones that break one rule. It begins
// with the bounds of all rules; the bytes of an input are the choices that draw the arguments. An answer that contradicts what the server
// publishes fails, as in Contract.
func Fuzz[T any](f *testing.F, conn contract.Conn, tool string, shape *Shape[T], opts ...contract.Option) {
	f.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p, err := contract.NewProbe(ctx, conn, tool, opts...)
	if err != nil {
		cancel()
		f.Fatal(err)
	}
	f.Cleanup(func() {
		p.Close()
		cancel()
	})
	var mu sync.Mutex
	try := func(t testing.TB, arguments []byte) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		for _, found := range p.Try(arguments) {
			t.Error(describe(&found, 1))
		}
	}
	for _, arguments := range p.Fixed() {
		try(f, []byte(arguments))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, choices []byte) {
		c := values.FromBytes(choices)
		arguments, ok := []byte(nil), false
		if c.Chance(3) {
			arguments, _ = shape.Invalid(c)
			ok = arguments != nil
		} else {
			arguments, ok = shape.json(c)
		}
		if ok {
			try(t, arguments)
		}
	})
}
