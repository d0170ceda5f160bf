// Package pattern checks strings against regular expressions. It is apart from package rule so that only a program whose
// schema has patterns links package regexp.
package pattern

import (
	"regexp"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
)

// Pattern is a regular expression (RE2 syntax) that is compiled when it is first needed, so that it costs a program nothing
// at its start. Generated code declares one as a variable and never copies it.
type Pattern struct {
	Expr string

	once sync.Once
	re   *regexp.Regexp
}

// Match reports whether s contains a match.
func (p *Pattern) Match(s string) bool {
	p.once.Do(func() { p.re = regexp.MustCompile(p.Expr) }) // the schema checker has compiled it before
	return p.re.MatchString(s)
}

// Check asks s to contain a match.
func (p *Pattern) Check(vs *rule.Violations, at, s string) {
	if p.Match(s) || vs.Closed() {
		return
	}
	vs.Add(rule.Violation{Pointer: at, Rule: "pattern", Expected: "a match of " + p.Expr, Got: rule.Shorten(s)})
}
