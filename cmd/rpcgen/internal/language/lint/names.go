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

func (p *pass) rpcPrefix() {
	for _, m := range p.doc.Methods {
		if name := m.OnWire(); strings.HasPrefix(name, "rpc.") {
			p.report(methodPath(m), span(m.Pos, m.Name), "choose another prefix", fmt.Sprintf("%q is reserved: names that begin with rpc. belong to JSON-RPC", name))
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
