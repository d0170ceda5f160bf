// Package pattern checks strings against regular expressions. It is separate from package rule so
// that only programs whose schema has patterns link package regexp.
//
//test:sequential
//test:by ./test/profiles
package pattern

import (
	"regexp"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

// Pattern is a regular expression in RE2 syntax. It is compiled when it is first used, so that it
// costs nothing when the program starts. Generated code declares patterns as variables; they must
// not be copied.
type Pattern struct {
	Expr string

	once sync.Once
	re   *regexp.Regexp
}

// Match reports whether s contains a match. It is safe for concurrent use.
func (p *Pattern) Match(s string) bool {
	p.once.Do(func() { p.re = regexp.MustCompile(p.Expr) }) // the schema compiler has compiled it as well
	return p.re.MatchString(s)
}

// Check checks that s contains a match.
func (p *Pattern) Check(vs *violation.List, at, s string) {
	if p.Match(s) || vs.Closed() {
		return
	}
	vs.Add(violation.Violation{Pointer: at, Rule: "pattern", Expected: vs.Text("a match of ", p.Expr), Got: vs.Quoted("", s)})
}
