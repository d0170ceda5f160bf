package diff

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// forModels reports whether a language model reads what a document declares: it does where the document speaks MCP, or serves it.
func forModels(doc *ir.Document) bool {
	return doc.Server != nil || strings.EqualFold(doc.Protocol.Name, "mcp")
}

var notForModels = Judgement{NotApplicable, "no language model sees it"}

// toModels reports whether a method is one that a model's calls are made with: a tool, a resource, a prompt, or in a schema of MCP itself what calls tools.
func (c *traffic) toModels(m *ir.Method) bool {
	return c.pairing.declared[m] != nil || strings.HasPrefix(m.Name, "tools/") && !m.Notification && m.From != ir.FromServer
}

// modelSees judges a change of a part for a language model that was told of the old schema.
func (c *recorder) modelSees(s scope, kind Kind, r relation) Judgement {
	worst := notForModels
	if !c.models {
		return worst
	}
	if c.traffic.strict(s.uses) {
		r = r.whereRefused()
	}
	for _, one := range s.uses.all {
		judged := notForModels
		switch {
		case one.part == inParams && one.sender == ir.FromClient && c.traffic.toModels(one.method):
			judged = modelSends(kind, r)
		case c.pairing.declared[one.method] != nil:
			judged = modelReads(kind, r)
		}
		if judged.Verdict > worst.Verdict {
			worst = judged
		}
	}
	return worst
}

var otherWords = Judgement{Warning, "a model that reads other words may choose otherwise"}

// modelSends judges what a model's calls hold.
func modelSends(kind Kind, r relation) Judgement {
	switch {
	case kind == DocsChanged || kind == Deprecation:
		return otherWords
	case r.lost != "":
		return Judgement{Break, "calls that a model has learnt to make are refused: " + r.lost}
	case r.ignored != "" || r.meaning != "":
		return Judgement{Warning, "calls that a model has learnt to make do something else: " + joinWords(r.ignored, r.meaning)}
	}
	return Judgement{OK, "calls that a model has learnt to make stay as they are"}
}

// modelReads judges what a model is answered.
func modelReads(kind Kind, r relation) Judgement {
	switch {
	case kind == DocsChanged || kind == Deprecation || kind == ErrorSetting:
		return Judgement{Warning, "a model that reads other words may understand otherwise"}
	case r.gained != "" || r.ignored != "" || r.meaning != "":
		return Judgement{Warning, "a model is answered otherwise than it was told: " + joinWords(r.gained, r.ignored, r.meaning)}
	}
	return Judgement{OK, "what a model is answered is as it was told"}
}

// joinWords lists what there is to say.
func joinWords(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), ", ")
}

// modelCalls judges a whole method.
func (c *recorder) modelCalls(m *ir.Method, v Verdict, reason string) Judgement {
	if !c.models || !c.traffic.toModels(m) {
		return notForModels
	}
	return Judgement{v, reason}
}
