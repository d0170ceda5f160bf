package check

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

func (c *typeChecker) relation(n *syntax.Node, s *ir.Struct) ir.Rule {
	rule := &ir.Require{RuleAt: ir.RuleAt{Pos: n.Span.Pos}, Text: n.Text}
	var parts []string
	if first, others, ok := strings.Cut(n.Text, "->"); ok {
		rule.How = ir.RequireImplies
		parts = append([]string{first}, strings.Split(others, "&")...)
	} else if strings.Contains(n.Text, "^") {
		rule.How = ir.RequireOne
		parts = strings.Split(n.Text, "^")
	} else {
		parts = strings.Split(n.Text, "|")
	}
	if len(parts) < 2 {
		c.d.report(diag.InvalidRequire, n.Span, "write a | b, a ^ b or a -> b", "%q relates no two fields", n.Text)
		return nil
	}
	offset := 0
	for _, part := range parts {
		name := strings.TrimSpace(part)
		at := offset + strings.Index(n.Text[offset:], part) + strings.Index(part, name)
		offset = at + len(name)
		if f := s.Field(name); f != nil && f.Default != nil {
			c.d.report(diag.InvalidRequire, n.Within(at, max(1, len(name))), "leave it out, or remove the default", "%q has a default, so that it is always there", name)
			return nil
		}
		if s.Field(name) == nil {
			c.d.report(diag.InvalidRequire, n.Within(at, max(1, len(name))), c.d.suggest(name, func() []string { return fieldNames(s) }),
				"%q is not a field of this object", name)
			return nil
		}
		rule.Fields = append(rule.Fields, name)
	}
	return rule
}
