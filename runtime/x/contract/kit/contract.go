package kit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
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
	o := contract.Options{Time: budget}
	for _, opt := range opts {
		opt(&o)
	}
	checkLeaks(t, &o)
	run := contract.Run
	if o.Bubble {
		run = bubble(t)
	}
	r, err := run(t.Context(), conn, contract.With(o))
	if err != nil {
		t.Fatal(err)
	}
	if o.Finding != "" && len(r.Findings) == 0 {
		t.Logf("The finding %s was not seen with seed %d.", o.Finding, r.Seed)
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

// bubble returns contract.Run in a bubble of synctest.
func bubble(t *testing.T) func(context.Context, contract.Conn, ...contract.Option) (*contract.Report, error) {
	return func(_ context.Context, conn contract.Conn, opts ...contract.Option) (r *contract.Report, err error) {
		defer func() {
			if blocked := recover(); blocked != nil && r == nil && err == nil {
				err = fmt.Errorf("contract.Bubble: %v", blocked) // it waits for what is outside
			} // else goroutines are left, which is what Leaked reports
		}()
		synctest.Test(t, func(t *testing.T) {
			r, err = contract.Run(t.Context(), conn, opts...)
			time.Sleep(settleTime)
		})
		return r, err
	}
}

// settleTime is the time in a bubble for what the server still does after the last call.
const settleTime = 5 * time.Second

// leakCheck is the check of the goroutines that a server in memory leaves.
const leakCheck = "Leaked"

// checkLeaks compares the goroutines that exist now with those at the end of the test, when what the server started has been closed by Cleanup.
func checkLeaks(t *testing.T, o *contract.Options) {
	if slices.Contains(o.Skip, leakCheck) || o.Checks != nil && !slices.Contains(o.Checks, leakCheck) {
		return
	}
	known := leak.Current()
	t.Cleanup(func() {
		starts := map[string]int{} // what started how many
		left := leak.Leaks(known)
		for _, stack := range left {
			_, start, _ := strings.Cut(stack, "created by ")
			start, _, _ = strings.Cut(start, " in goroutine ")
			starts[start]++
		}
		if len(left) == 0 {
			return
		}
		t.Errorf("%s error: %d goroutines are left after the test, started by:", leakCheck, len(left))
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
		fmt.Fprintf(&b, "\nto see it alone, add contract.Seed(%d), contract.Replay(%q)", seed, f.ID)
	}
	return b.String()
}

// Fuzzer returns [Fuzz] for a tool.
func Fuzzer[T any](tool string, shape *Shape[T]) func(*testing.F, contract.Conn, ...contract.Option) {
	return func(f *testing.F, conn contract.Conn, opts ...contract.Option) {
		f.Helper()
		Fuzz(f, conn, tool, shape, opts...)
	}
}

// Fuzz calls a tool of the server that conn reaches with arguments that its schema describes, and with ones that break one rule. It begins with the bounds of
// all rules; the bytes of an input are the choices that draw the arguments. An answer that contradicts what the server publishes fails, as in Contract.
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
		var arguments []byte // nil if none were drawn
		if c.Chance(3) {
			arguments, _ = shape.Invalid(c)
		} else {
			arguments, _, _ = shape.drawPair(c)
		}
		if arguments != nil {
			try(t, arguments)
		}
	})
}
