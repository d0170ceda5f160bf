package diff

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// forModels tells whether a language model reads what a document declares: it does where the document speaks MCP.
func forModels(doc *ir.Document) bool { return strings.EqualFold(doc.Protocol.Name, "mcp") }

var notForModels = Judgement{NotApplicable, "no language model is told of it"}

// toModels tells whether a method is one that a model's calls are made with: in MCP, what it calls are tools.
func toModels(m *ir.Method) bool {
	return strings.HasPrefix(m.Name, "tools/") && !m.Notification && m.From != ir.FromServer
}

// modelSees judges a change of a part for a language model that was told of the old schema: its calls are the params of
// requests from the client.
func (c *comparer) modelSees(s scope, kind Kind, r relation) Judgement {
	if !c.models || !s.uses.called() {
		return notForModels
	}
	switch {
	case kind == DocsChanged || kind == Deprecation:
		return Judgement{Warning, "a model that reads other words may choose otherwise"}
	case r.lost != "":
		return Judgement{Break, "calls that a model has learnt to make are refused: " + r.lost}
	case r.ignored != "" || r.meaning != "":
		return Judgement{Warning, "calls that a model has learnt to make do something else: " + r.ignored + r.meaning}
	}
	return Judgement{OK, "calls that a model has learnt to make stay as they are"}
}

// called tells whether the part belongs to what a client asks for.
func (u uses) called() bool {
	for _, one := range u.all {
		if one.part == inParams && one.sender == ir.FromClient && toModels(one.method) {
			return true
		}
	}
	return false
}

// modelCalls judges a whole method.
func (c *comparer) modelCalls(m *ir.Method, v Verdict, reason string) Judgement {
	if !c.models || !toModels(m) {
		return notForModels
	}
	return Judgement{v, reason}
}
