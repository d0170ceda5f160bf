package lint

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// MCPCode is an error code that MCP uses, in a document that is not MCP's. In one that is, and for the codes of JSON-RPC itself, loading reports ReservedCode.
const MCPCode diag.Code = "MCPCode"

// The codes that JSON-RPC leaves to implementations, apart from the last, which loading reports.
const lowestFree, highestFree = -32099, -32001

func (p *pass) mcpCode() {
	for _, e := range p.doc.Errors {
		at := span(e.Pos, e.Name)
		switch {
		case e.Reserved:
			p.report("errors."+e.Name, at, "keep it if your peers give the code this meaning",
				fmt.Sprintf("the code %d of %q has %s, and is used on purpose", e.Code, e.Name, meaning(e.Code)))
		case p.doc.Protocol.Name != "mcp" && e.Code >= lowestFree && e.Code <= highestFree:
			p.report("errors."+e.Name, at, "choose a code outside -32768..-32000", fmt.Sprintf("the code %d of %q has %s", e.Code, e.Name, meaning(e.Code)))
		}
	}
}

func meaning(code int) string {
	switch {
	case code < lowestFree:
		return "or may get a meaning in JSON-RPC"
	case code == -32002 || code == -32042:
		return "a former meaning in MCP"
	case code <= -32020:
		return "or may get a meaning in MCP"
	}
	return "meanings in older implementations of MCP"
}
