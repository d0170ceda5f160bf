package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// scopeName is a scope (RFC 6749 section 3.3).
var scopeName = text.Pattern(`^[!#-\[\]-~]+$`)

// scopes reads the scopes that callers of a method or a tool need.
func (c *reader) scopes(e syntax.Entry) (all []string) {
	for _, word := range c.words(e) {
		switch {
		case !scopeName().MatchString(word.Text):
			c.report(diag.InvalidValue, word.Span, "write printable ASCII without spaces, quotation marks and backslashes", "%q is not a scope", word.Text)
		case slices.Contains(all, word.Text):
			c.report(diag.InvalidValue, word.Span, "name each scope once", "%q is already there", word.Text)
		default:
			all = append(all, word.Text)
		}
	}
	return all
}

// scopes reads those of a method. Only a server knows whose a call is.
func (c *methodChecker) scopes(m *ir.Method, e syntax.Entry) {
	m.Scopes = c.d.scopes(e)
	c.d.settle(func() {
		if m.From == ir.FromServer {
			c.d.report(diag.ConflictingKeys, e.Key.Span, "remove it: a server is not a principal, and has no scopes", "%q is called by the server", m.Name)
		}
	})
}
