package diff

import (
	"cmp"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// asks compares what a tool may need of the client. Each question says itself what it takes, so that its form may change.
func (c *callComparer) asks(s scope, o, n *ir.Tool) {
	s = s.below("asks").holds("", "")
	s.uses = uses{moved: true}
	pairs := map[*ir.Ask]*ir.Ask{}
	pairUp(pairs, o.Asks, n.Asks, askName, func(old, new *ir.Ask) float64 {
		if old.Form == nil || new.Form == nil {
			return 0
		}
		return likeness(closeness(old.Name, new.Name), askParts(old), askParts(new))
	})
	eachPair(pairs, o.Asks, n.Asks,
		func(was *ir.Ask) { c.askGone(s, was) },
		func(was, is *ir.Ask) { c.ask(s, was, is) },
		func(is *ir.Ask) { c.askAdded(s, is, o) })
}

// askName is the name of a question, or the method.
func askName(a *ir.Ask) string { return cmp.Or(a.Name, a.Method) }

func askParts(a *ir.Ask) []string {
	return append(features(a.Form), "message "+ir.MessageText(a.Message))
}

func (c *callComparer) askGone(s scope, a *ir.Ask) {
	name, _ := c.names.old.Ask(a)
	judged := Judgement{OK, "it compiles"}
	if name != "" {
		judged = Judgement{Break, name + " is gone"}
	}
	s = s.below(askName(a)).at(a.Pos, diag.Pos{})
	s.new = diag.Pos{}
	c.emit(s, AskRemoved, a.Method, "", "it is no longer asked", relation{}, judged)
}

// askAdded reports what may be asked now: a client that cannot answer is refused the call.
func (c *callComparer) askAdded(s scope, a *ir.Ask, old *ir.Tool) {
	s = s.below(askName(a)).at(diag.Pos{}, a.Pos)
	s.old = diag.Pos{}
	change := c.emit(s, AskAdded, "", a.Method, "it may be asked: "+a.Method, relation{}, Judgement{OK, "it only adds to the package"})
	if !slices.ContainsFunc(old.Asks, func(o *ir.Ask) bool { return o.Method == a.Method }) {
		change.Wire = []Direction{{ir.FromServer, Judgement{OK, "old servers do not ask"},
			Judgement{Warning, "new servers fail the call when old clients cannot answer " + a.Method}}}
	}
}

func (c *callComparer) ask(s scope, o, n *ir.Ask) {
	s = s.below(askName(n)).at(o.Pos, n.Pos)
	before, held := c.names.old.Ask(o)
	after, holds := c.names.new.Ask(n)
	if o.Name != n.Name {
		c.emit(s, AskChanged, o.Name, n.Name, "it was called "+o.Name, relation{}, judgeRename(before, after))
	}
	signature := speaksOf(held, holds, before)
	switch {
	case o.Params != nil && n.Params != nil:
		c.types.compare(s.below("params").at(o.Params.Pos, n.Params.Pos), o.Params, n.Params)
	case o.Params != n.Params:
		was, is := describedObject(o.Params), describedObject(n.Params)
		c.emit(s.below("params"), AskChanged, was, is, changeWords("what its message speaks of", was, is), relation{}, signature)
		signature = Judgement{OK, "the Go types stay as they are"} // it has been told
	}
	if was, is := ir.MessageText(o.Message), ir.MessageText(n.Message); was != is {
		c.emit(s.below("message"), AskChanged, was, is, changeWords("the message", was, is), relation{}, signature)
	}
	if o.Form != nil && n.Form != nil {
		c.types.compare(s.below("form").at(o.Form.Pos, n.Form.Pos), o.Form, n.Form)
	}
}

// speaksOf judges the parameter that the function of a question takes for its message.
func speaksOf(was, is, function string) Judgement {
	if was == is {
		return Judgement{OK, "the Go types stay as they are"}
	}
	return Judgement{Break, function + " has another signature: it takes " + heldAs(is) + ", and took " + heldAs(was)}
}

func describedObject(s *ir.Struct) string {
	if s == nil {
		return ""
	}
	return typeWords(s)
}
