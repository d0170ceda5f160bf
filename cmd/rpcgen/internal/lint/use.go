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

func useRules() []Rule {
	return []Rule{
		rule(diag.Warning, (*pass).unusedType, diag.Info{Code: UnusedType, Title: "A type that no message has",
			Explanation: "Neither params nor results nor the data of an error hold it, directly or within another type. A document without methods, errors and tools is not asked: its types are there for others.",
			Example: `rpcgen: v1
types:
  Report: {fields: {ok: boolean}}
methods:
  report/get: {description: The latest report.}
`}),
		rule(diag.Error, (*pass).sensitiveHeader, diag.Info{Code: SensitiveHeader, Title: "A sensitive field that is repeated in a header",
			Explanation: "Proxies and access logs keep headers. What sensitive keeps out of the logs here would be in theirs.",
			Example: `rpcgen: v1
types:
  Login: {fields: {token: {type: string, maxLength: 99, sensitive: true, header: Token, description: From the mail.}}}
methods:
  session/open: {description: Begin., params: Login}
`}),
	}
}

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
	p.everything(func(at place) {
		if at.field != nil && at.field.Sensitive && at.field.Header != "" {
			p.report(at.path, at.span, "drop header, or sensitive", fmt.Sprintf("the sensitive field %q is repeated in the header %q", at.field.Name, at.field.Header))
		}
	})
}
