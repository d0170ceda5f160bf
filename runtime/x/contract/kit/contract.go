package kit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
)

// budget is how long new cases are tried unless an option says otherwise.
const budget = 5 * time.Second

// Contract checks the server that conn reaches. A finding that is an error or a warning fails a subtest TOOL/CHECK of each tool that has it,
// and notes are logged. When the server is in memory, goroutines that it leaves behind fail the test. Tools that write are called only with
// the option contract.AllowWrites.
func Contract(t *testing.T, conn contract.Conn, opts ...contract.Option) {
	t.Helper()
	known := leak.Current()
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
	leak.Check(t, known)
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
	fmt.Fprintf(&b, "\nseed %d, id %s", seed, f.ID)
	return b.String()
}
