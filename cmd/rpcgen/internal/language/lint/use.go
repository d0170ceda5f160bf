package lint

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// What is there and not used, or used in two ways that do not go together.
const (
	UnusedType      diag.Code = "UnusedType"      // no message has it
	SensitiveHeader diag.Code = "SensitiveHeader" // a secret in a header
)

func (p *pass) unusedType() {
	messages := p.messages()
	if len(messages) == 0 {
		return
	}
	used := map[*ir.Decl]bool{}
	for _, m := range messages {
		ir.Reach(m.t, used)
	}
	for _, t := range p.doc.Tools {
		ir.Reach(t.Output, used) // what is published may be a part of it
	}
	for _, t := range p.doc.Types {
		if !used[t] {
			p.report("types."+t.Name, span(t.Pos, t.Name), "remove it, or say in lint.ignore who uses it", fmt.Sprintf("no message has the type %q", t.Name))
		}
	}
}

func (p *pass) sensitiveHeader() {
	p.visitAll(func(at place) {
		if at.field != nil && at.field.Sensitive && at.field.Header != "" {
			p.report(at.path, at.span, "drop header, or sensitive", fmt.Sprintf("the sensitive field %q is repeated in the header %q", at.field.Name, at.field.Header))
		}
	})
}
