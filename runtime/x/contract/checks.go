package contract

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Check describes a check.
type Check struct {
	Name    string
	What    string // it looks for, as a sentence
	Why     string // that matters
	Example string // of a finding
	Advice  string // how to repair it

	severity Severity          // of its faults that have no other
	proof    Proof             // of these
	advice   map[string]string // in place of Advice, by the keyword of the fault
}

// Names returns the names of all checks, in the order in which they are described.
func Names() []string {
	var all []string
	for _, c := range checks() {
		all = append(all, c.Name)
	}
	return all
}

// Checks returns all checks.
func Checks() []Check { return slices.Clone(checks()) }

// checksText describes each check in a paragraph: its name, severity and proof, and then a field a line.
//
//go:embed checks.txt
var checksText string

var checks = sync.OnceValue(func() (all []Check) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(checksText), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		first := strings.Fields(lines[0])
		c := Check{Name: first[0], severity: Severity(first[1]), proof: Proof(first[2]), advice: map[string]string{}}
		for _, line := range lines[1:] {
			field, text, _ := strings.Cut(line, ": ")
			switch kind, keywords, some := strings.Cut(field, " "); {
			case some:
				for keyword := range strings.SplitSeq(keywords, ", ") {
					c.advice[keyword] = text
				}
			default:
				*map[string]*string{"what": &c.What, "why": &c.Why, "example": &c.Example, "advice": &c.Advice}[kind] = text
			}
		}
		all = append(all, c)
	}
	return all
})

// complete fills in what a fault leaves to its check.
func (f fault) complete() fault {
	i := slices.IndexFunc(checks(), func(c Check) bool { return c.Name == f.check })
	c := checks()[i]
	f.severity, f.proof = cmp.Or(f.severity, c.severity), cmp.Or(f.proof, c.proof)
	f.advice = cmp.Or(f.advice, c.advice[f.keyword], c.Advice)
	return f
}

// reach reports tools of which no call succeeded, and why.
func reach(r rig) {
	for _, t := range r.tools {
		if t.stats.Calls == 0 || t.stats.Reached {
			continue
		}
		t.stats.Reason = mostFrequent(t.refusals)
		message := t.name + " never succeeded"
		if t.stats.Reason != "" {
			message += ": " + t.stats.Reason
		}
		r.fact(t, fault{check: "ReachNone", message: message})
	}
	confirm(r)
}
