package diff

import "github.com/rpcgen-go/rpcgen/schema/ir"

// comparePrompts compares the prompts of the current documents.
func (c *callComparer) comparePrompts() {
	eachPair(c.pairing.prompts, c.doc.old.Prompts, c.doc.new.Prompts, func(o *ir.Prompt) {
		c.callGone(scope{path: c.doc.path("prompts", o.Name), old: o.Pos}, PromptRemoved, c.pairing.calls[o], promptText(o), "the prompt is gone",
			handlerGone(c.names.old.Prompt(o)))
	}, c.prompt, func(n *ir.Prompt) {
		c.callAdded(scope{path: c.doc.path("prompts", n.Name), new: n.Pos}, PromptAdded, c.pairing.calls[n], promptText(n), "a new prompt",
			handlerLacks(c.names.new.Prompt(n)))
	})
}

// promptText is a prompt on one line.
func promptText(p *ir.Prompt) string { return p.Name + "(" + describedObject(p.Arguments) + ")" }

// prompt compares two versions of one prompt.
func (c *callComparer) prompt(o, n *ir.Prompt) {
	before, after := c.names.old.Prompt(o), c.names.new.Prompt(n)
	s := scope{path: c.doc.path("prompts", n.Name), old: o.Pos, new: n.Pos, uses: usesOfPair(c.pairing.calls[o], c.pairing.calls[n], inParams)}
	c.callName(s, PromptRenamed, c.pairing.calls[n], o.Name, n.Name, before, after)
	c.meta(s, o.Meta, n.Meta)
	c.set(s, PromptSetting, o.Meta, n.Meta, []setting{{name: "icons", was: pictures(o.Icons), is: pictures(n.Icons)}})
	old, new := anObject(o.Arguments), anObject(n.Arguments)
	c.payload(c.part(s, "arguments", c.pairing.calls[o], c.pairing.calls[n], inParams, old, new), "arguments", old, new)
}
