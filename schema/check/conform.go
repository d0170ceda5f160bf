package check

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// conform lowers `schema`: a JSON Schema for values that are kept as they are.
func (c *ruleChecker) conform(e syntax.Entry, at ir.RuleAt) ir.Rule {
	schema := c.value(e.Value)
	if faults := judge.SchemaFaults(schema); len(faults) > 0 {
		code := diag.InvalidRule
		if faults[0].Rule == "pattern" {
			code = diag.InvalidPattern
		}
		c.report(code, e.Key.Span, "", "%s (at %s)", strings.TrimPrefix(faults[0].Message, "error parsing regexp: "), faults[0].Pointer)
		return nil
	}
	return &ir.Conform{RuleAt: at, Schema: schema}
}
