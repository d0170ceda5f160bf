package diff

import "github.com/rpcgen-go/rpcgen/schema/ir"

// comparePrompts compares the prompts of the current documents.
func (c *comparer) comparePrompts() {
	olds, news := c.doc.old.Prompts, c.doc.new.Prompts
	for _, o := range gone(c.prompts, olds, news) {
		c.callGone(scope{path: c.path("prompts", o.Name), old: o.Pos}, PromptRemoved, c.calls[o], promptText(o), "the prompt is gone", handlerGone(c.oldNames().Prompt(o)))
	}
	for _, n := range news {
		if o := c.prompts[n]; o != nil {
			c.prompt(o, n)
		} else {
			c.callAdded(scope{path: c.path("prompts", n.Name), new: n.Pos}, PromptAdded, c.calls[n], promptText(n), "a new prompt", handlerLacks(c.newNames().Prompt(n)))
		}
	}
}

// promptText is a prompt on one line.
func promptText(p *ir.Prompt) string { return p.Name + "(" + describedObject(p.Arguments) + ")" }

// prompt compares two editions of one prompt.
func (c *comparer) prompt(o, n *ir.Prompt) {
	before, after := c.oldNames().Prompt(o), c.newNames().Prompt(n)
	s := scope{path: c.path("prompts", n.Name), old: o.Pos, new: n.Pos, uses: both(c.calls[o], c.calls[n], inParams)}
	switch judged := renamed(before, after); {
	case o.Name != n.Name:
		c.callRenamed(s, PromptRenamed, c.calls[n], o.Name, n.Name, judged)
	case before != after:
		c.emit(s, NameInGo, before, after, changed("its name in Go", before, after), relation{}, judged)
	}
	c.meta(s, o.Meta, n.Meta)
	c.set(s, PromptSetting, o.Meta, n.Meta, []setting{{name: "icons", was: pictures(o.Icons), is: pictures(n.Icons)}})
	old, new := anObject(o.Arguments), anObject(n.Arguments)
	c.payload(c.part(s, "arguments", c.calls[o], c.calls[n], inParams, old, new), "arguments", old, new)
}
