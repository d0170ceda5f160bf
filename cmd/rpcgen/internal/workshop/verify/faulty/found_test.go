package faulty

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
)

var (
	only   = flag.String("fault", "", "look for the faults whose names match this regular expression only")
	budget = flag.Duration("budget", 20*time.Second, "how long new cases are tried on one server")
	seeds  = flag.Uint64("seeds", 1, "try the seeds from 1 to this one")
)

// TestFound runs package contract against the server with each fault, in a process of its own. A fault is found if there is a finding of its
// check, or of Crash or Hang, that is an error or a warning, and that the server without a fault does not have, in two of three seeds.
func TestFound(t *testing.T) {
	if testing.Short() && *only == "" {
		t.Skip("it takes minutes")
	}
	wanted := regexp.MustCompile(*only)
	clean := map[string]bool{} // what is found without a fault counts for none
	for seed := uint64(1); seed <= *seeds; seed++ {
		for _, f := range check(t, "none", "library", seed, time.Minute).Findings {
			clean[f.ID] = true
		}
	}
	found, all := 0, 0
	for _, f := range Faults() {
		if !wanted.MatchString(f.Name) {
			continue
		}
		all++
		t.Run(f.Name, func(t *testing.T) {
			seen := uint64(0)
			for seed := uint64(1); seed <= *seeds; seed++ {
				r := check(t, f.Name, "library", seed, 3*time.Second)
				if slices.ContainsFunc(r.Findings, func(one contract.Finding) bool {
					return !clean[one.ID] && one.Severity != contract.Note && slices.Contains([]string{f.Check(), "Crash", "Hang"}, one.Check)
				}) {
					seen++
				}
				t.Logf("seed %d, %.1f s, %d calls:%s", seed, r.Elapsed.Seconds(), r.Calls, brief(r))
			}
			if seen*3 < *seeds*2 {
				t.Logf("NOT FOUND: with %d of %d seeds", seen, *seeds)
				return
			}
			found++
		})
	}
	t.Logf("%d of %d faults are found", found, all)
	if found*100 < all*95 {
		t.Error("fewer than 95 of 100 faults are found")
	}
}

// TestClean runs package contract against servers without a fault, in which there is none to find.
func TestClean(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	for seed := uint64(1); seed <= *seeds; seed++ {
		r := check(t, "none", "library", seed, time.Minute)
		t.Logf("seed %d, %.1f s, %d calls:%s", seed, r.Elapsed.Seconds(), r.Calls, brief(r))
		if r.Worst().Rank() > contract.Note.Rank() {
			t.Errorf("seed %d: a server without a fault has findings", seed)
		}
	}
}

// check runs package contract against a server in a process of its own. A call has the time timeout, and much more than one takes if none is to be too slow.
func check(t *testing.T, fault, server string, seed uint64, timeout time.Duration) *contract.Report {
	t.Helper()
	conn := &contract.Process{Args: []string{os.Args[0]}, Env: func(string) []string {
		return append(os.Environ(), "RPCGEN_TEST_FAULT="+fault+" "+server)
	}}
	r, err := contract.Run(t.Context(), conn, contract.With(contract.Options{
		Seed: seed, Time: *budget, Writes: true, Destructive: true, Timeout: timeout, Patience: max(8*time.Second, timeout), Secrets: []string{Secret},
	}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// brief lists what a report has found.
func brief(r *contract.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n  %s %s %s %v: %.300s", f.Check, f.Severity, f.Keyword, f.Tools, f.Message)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "\n  skipped: %s %s: %s", s.Check, s.Tool, s.Reason)
	}
	for _, f := range r.Unseen {
		fmt.Fprintf(&b, "\n  not seen again: %s %s %v: %.200s", f.Check, f.Keyword, f.Tools, f.Message)
	}
	return b.String()
}
