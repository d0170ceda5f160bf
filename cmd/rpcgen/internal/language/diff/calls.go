package diff

import (
	"fmt"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// addCalls makes a method of every tool, resource and prompt of a document: what is called, with what, and what is answered. Who sends
// what is then judged as it is for methods.
func (c *pairing) addCalls(doc *ir.Document) {
	for _, t := range doc.Tools {
		c.addCall(t, &ir.Method{Meta: t.Meta, Name: "the tool " + t.Name, Params: t.Input, Result: t.Published(), Errors: t.Errors})
	}
	for _, r := range doc.Resources {
		c.addCall(r, &ir.Method{Meta: r.Meta, Name: "the resource " + r.Name, Params: anObject(r.Params), Result: r.Content})
	}
	for _, p := range doc.Prompts {
		c.addCall(p, &ir.Method{Meta: p.Meta, Name: "the prompt " + p.Name, Params: anObject(p.Arguments)})
	}
}

func (c *pairing) addCall(declared any, m *ir.Method) { c.calls[declared], c.declared[m] = m, declared }

// anObject keeps no object at all from becoming a type that is not nil.
func anObject(s *ir.Struct) ir.Type {
	if s == nil {
		return nil
	}
	return s
}

// callsOf lists whatever is called of a document.
func (c *pairing) callsOf(doc *ir.Document) []*ir.Method {
	return slices.Concat(doc.Methods, callsOf(c, doc.Tools), callsOf(c, doc.Resources), callsOf(c, doc.Prompts))
}

func callsOf[T any](c *pairing, declared []*T) []*ir.Method {
	return ir.Each(declared, func(one *T) *ir.Method { return c.calls[one] })
}

// strict reports whether a part is decoded where members that are not named are refused: in what models and users send.
func (c *traffic) strict(u uses) bool {
	for _, one := range u.all {
		if one.part != inParams {
			continue
		}
		switch c.pairing.declared[one.method].(type) {
		case *ir.Tool, *ir.Prompt:
			return true
		}
	}
	return false
}

// whereRefused is r where members that are not named are refused, not ignored.
func (r relation) whereRefused() relation {
	if r.lost == "" {
		r.lost, r.ignored = r.ignored, ""
	}
	if r.gained == "" {
		r.gained, r.unseen = r.unseen, ""
	}
	return r
}

// callGone reports what is gone: old callers still call it.
func (c *recorder) callGone(s scope, kind Kind, o *ir.Method, was, text string, judged Judgement) {
	change := c.emit(s, kind, was, "", text, relation{}, judged)
	change.Wire = nil
	for _, caller := range callers(o.From) {
		change.Wire = append(change.Wire, Direction{caller, judgeRemoval(o, caller), Judgement{OK, "new " + caller.String() + "s never send it"}})
	}
	change.Model = c.modelCalls(o, Break, "a model may still call what is gone")
}

// judgeRemoval judges that old callers go on to call what new peers do not know: requests fail, notifications are ignored.
func judgeRemoval(o *ir.Method, caller ir.Side) Judgement {
	if o.Notification {
		return Judgement{Warning, fmt.Sprintf("new %[1]ss ignore it when old %[2]ss send it, and old %[1]ss wait for it in vain", oppositeSide(caller), caller)}
	}
	return Judgement{Break, fmt.Sprintf("new %ss do not know it when old %ss call it", oppositeSide(caller), caller)}
}

// callAdded reports what is new: new callers may call what old peers do not know.
func (c *recorder) callAdded(s scope, kind Kind, n *ir.Method, is, text string, judged Judgement) {
	change := c.emit(s, kind, "", is, text, relation{}, judged)
	change.Wire = nil
	for _, caller := range callers(n.From) {
		sent := Judgement{OK, fmt.Sprintf("old %ss answer that they do not know it", oppositeSide(caller))}
		if n.Notification {
			sent = Judgement{OK, fmt.Sprintf("old %ss ignore it", oppositeSide(caller))}
		}
		change.Wire = append(change.Wire, Direction{caller, Judgement{OK, "old " + caller.String() + "s never send it"}, sent})
	}
	change.Model = c.modelCalls(n, OK, "there is more to call")
}

// callName compares the names of what is called. By another name neither version knows that of the other.
func (c *recorder) callName(s scope, renaming Kind, n *ir.Method, was, is, before, after string) {
	change := c.rename(s, renaming, was, is, before, after, relation{})
	if change == nil {
		return
	}
	change.Wire = nil
	for _, caller := range callers(n.From) {
		change.Wire = append(change.Wire, Direction{caller,
			Judgement{Break, fmt.Sprintf("new %ss do not know %s when old %ss call it", oppositeSide(caller), was, caller)},
			Judgement{Break, fmt.Sprintf("old %ss do not know %s when new %ss call it", oppositeSide(caller), is, caller)}})
	}
	change.Model = c.modelCalls(n, Break, "a model may still call "+was)
}
