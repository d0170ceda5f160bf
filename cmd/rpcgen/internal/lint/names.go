package lint

import (
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// What methods are called.
const (
	RPCPrefix  diag.Code = "RPCPrefix"  // rpc.something
	MethodName diag.Code = "MethodName" // not noun/verb
)

func nameRules() []Rule {
	return []Rule{
		rule(diag.Error, (*pass).rpcPrefix, diag.Info{Code: RPCPrefix, Title: "A method in the space of JSON-RPC",
			Explanation: "Names that begin with rpc. are reserved for methods of JSON-RPC itself (section 4.3 of the specification).",
			Example: `rpcgen: v1
methods:
  rpc.discover: {description: What there is to call.}
`}),
		rule(diag.Warning, (*pass).methodName, diag.Info{Code: MethodName, Title: "A method that is not called noun/verb",
			Explanation: "Names such as report/get sort by what they are about, and read like the names of MCP. A document that has a protocol.name is not asked: the names of a protocol are given.",
			Example: `rpcgen: v1
methods:
  getReport: {description: The latest report.}
`}),
	}
}

func (p *pass) rpcPrefix() {
	for _, m := range p.doc.Methods {
		if strings.HasPrefix(m.Name, "rpc.") {
			p.report(methodPath(m), span(m.Pos, m.Name), "choose another prefix", fmt.Sprintf("%q is reserved: names that begin with rpc. belong to JSON-RPC", m.Name))
		}
	}
}

func (p *pass) methodName() {
	if p.doc.Protocol.Name != "" {
		return
	}
	for _, m := range p.doc.Methods {
		noun, verb, _ := strings.Cut(m.Name, "/")
		if (noun == "" || verb == "") && !strings.HasPrefix(m.Name, "rpc.") {
			p.report(methodPath(m), span(m.Pos, m.Name), "such as report/get", fmt.Sprintf("%q does not say what it is about: write noun/verb", m.Name))
		}
	}
}
