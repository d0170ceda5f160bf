package verify

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Text writes a report for people.
func Text(out io.Writer, r *contract.Report) {
	heading(out, r)
	tools(out, r)
	for _, f := range r.Findings {
		writeFinding(out, f)
	}
	if len(r.Unseen) > 0 {
		fmt.Fprintf(out, "\nnot seen again, and so no findings: %d\n", len(r.Unseen))
		for _, f := range r.Unseen {
			fmt.Fprintf(out, "  %s  %s\n", f.Check, f.Message)
		}
	}
	skipped := slices.Clone(r.Skipped)
	for i, s := range skipped {
		if next := i + 1; s.Check != "" && next < len(skipped) && skipped[next].Check == s.Check && skipped[next].Reason == s.Reason {
			skipped[next].Tool = s.Tool + ", " + skipped[next].Tool // one line
			continue
		}
		fmt.Fprintf(out, "left out: %s\n", strings.TrimPrefix(strings.TrimSpace(s.Check+" "+s.Tool)+": "+s.Reason, ": "))
	}
	for _, s := range r.Summary {
		fmt.Fprintln(out, s)
	}
	count(out, r)
}

func heading(out io.Writer, r *contract.Report) {
	s := r.Server
	name := cmp.Or(strings.TrimSpace(s.Name+" "+s.Version), "the server")
	line := name
	if s.Revision != "" {
		line += ", revision " + s.Revision
	}
	if len(s.Revisions) > 1 {
		line += " (and " + strings.Join(s.Revisions[1:], ", ") + ")"
	}
	fmt.Fprintf(out, "%s, seed %d\n\n", line, r.Seed)
}

// tools writes how far each tool was reached.
func tools(out io.Writer, r *contract.Report) {
	if len(r.Tools) == 0 {
		return
	}
	table := tabwriter.NewWriter(out, 2, 4, 2, ' ', 0)
	fmt.Fprintln(table, "  tool\tcalls\tsucceeded\trefused\tfailed\tfindings")
	for _, t := range r.Tools {
		if t.Skipped != "" {
			fmt.Fprintf(table, "  %s\t-\t%s: not called\t\t\t%s\n", t.Name, t.Skipped, about(r, t.Name))
			continue
		}
		fmt.Fprintf(table, "  %s\t%d\t%d\t%d\t%d\t%s\n", t.Name, t.Calls, t.Succeeded, t.Refused, t.Failed, about(r, t.Name))
	}
	_ = table.Flush() // the writer below says it
	for _, t := range r.Tools {
		if t.Calls > 0 && !t.Reached {
			fmt.Fprintf(out, "not reached: %s (%d calls; mostly %q)\n", t.Name, t.Calls, t.Reason)
		}
	}
}

// about counts the findings of a tool.
func about(r *contract.Report, tool string) string {
	counts := map[contract.Severity]int{}
	for _, f := range r.Findings {
		if slices.Contains(f.Tools, tool) {
			counts[f.Severity]++
		}
	}
	return severityCounts(counts)
}

// severityCounts is how many findings there are of each severity, in words.
func severityCounts(counts map[contract.Severity]int) string {
	var parts []string
	for _, s := range []contract.Severity{contract.Error, contract.Warning, contract.Note} {
		if n := counts[s]; n > 0 {
			word := string(s)
			if n > 1 {
				word += "s"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, ", ")
}

// mostShown is how many letters of a message are shown.
const mostShown = 200

// writeFinding writes a finding.
func writeFinding(out io.Writer, f contract.Finding) {
	head := f.Check + "  " + string(f.Severity)
	if f.Keyword != "" {
		head += "  " + f.Keyword
	}
	if f.Pointer != "" {
		head += " at " + f.Pointer
	}
	if len(f.Tools) > 1 {
		head += fmt.Sprintf("  (%d tools: %s)", len(f.Tools), strings.Join(f.Tools, ", "))
	}
	fmt.Fprintf(out, "\n%s\n  %s\n", head, f.Message)
	if f.Reproduce != "" {
		fmt.Fprintf(out, "  %s\n", f.Reproduce)
	}
	if n := len(f.Transcript); n > 1 && n <= 4 {
		for _, m := range f.Transcript {
			fmt.Fprintf(out, "    %s\n", text.Clip(m, mostShown))
		}
	} else if n > 1 {
		fmt.Fprintf(out, "    %d calls, the last one %s\n", n, text.Clip(f.Transcript[n-1], mostShown))
	}
	if f.Advice != "" {
		fmt.Fprintf(out, "  %s\n", f.Advice)
	}
	fmt.Fprintf(out, "  id %s\n", f.ID)
}

func count(out io.Writer, r *contract.Report) {
	counts, skipped := map[contract.Severity]int{}, 0
	for _, f := range r.Findings {
		counts[f.Severity]++
	}
	for _, t := range r.Tools {
		if t.Skipped != "" {
			skipped++
		}
	}
	line := cmp.Or(severityCounts(counts), "no findings")
	line += fmt.Sprintf(" in %.1f s; %d checks, %d calls", r.Elapsed.Seconds(), r.Checks, r.Calls)
	switch {
	case skipped == 1:
		line += "; 1 tool not called: see --sandbox, --allow-writes"
	case skipped > 1:
		line += fmt.Sprintf("; %d tools not called: see --sandbox, --allow-writes", skipped)
	}
	fmt.Fprintf(out, "\n%s\n", line)
}
