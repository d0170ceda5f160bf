package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// compareErrors compares the declared errors of the current documents.
func (c *comparer) compareErrors() {
	eachPair(c.pairing.errors, declaredErrors(c.doc.old), declaredErrors(c.doc.new), c.errorGone, c.error, func(n *ir.Error) {
		s := scope{path: c.doc.path("errors", n.Name), new: n.Pos, uses: uses{moved: true}}
		c.emit(s, ErrorAdded, "", errorText(n), "a new error "+codeWords(n), relation{}, Judgement{OK, "it only adds to the package"})
	})
}

func (c *comparer) errorGone(o *ir.Error) {
	typ, constant := c.names.old.Error(o)
	judged := Judgement{Break, typ + " is gone"}
	if constant != "" {
		judged.Reason = typ + " and " + constant + " are gone"
	}
	s := scope{path: c.doc.path("errors", o.Name), old: o.Pos, uses: c.traffic.carriers(o, o)}
	c.emit(s, ErrorRemoved, errorText(o), "", "the error is gone", relation{}, judged)
}

// declaredErrors lists the errors of a document, and those that its tools declare.
func declaredErrors(doc *ir.Document) []*ir.Error {
	return slices.Concat(doc.Errors, doc.ErrorsOfTools())
}

func errorText(e *ir.Error) string { return strings.TrimSpace(e.Name + " " + codeText(e)) }

func codeText(e *ir.Error) string {
	if e.OfTool {
		return ""
	}
	return strconv.Itoa(e.Code)
}

func codeWords(e *ir.Error) string {
	if e.OfTool {
		return "of tools"
	}
	return "with the code " + codeText(e)
}

// carriers are the methods that may return an error in both schemas.
func (c *traffic) carriers(old, new *ir.Error) uses {
	u := uses{unreached: true}
	for _, n := range c.listing(old) {
		if slices.Contains(n.Errors, new) || old == new {
			u.all = append(u.all, slots(n, inError)...)
			u.unreached = false
		}
	}
	if u.unreached && (old.OfTool || new.OfTool) {
		return uses{moved: true}
	}
	if u.unreached {
		c.anyCall(&u)
	}
	u.sort(c.pairing.order)
	return u
}

// listing are the methods of the new document whose old ones list an error.
func (c *traffic) listing(old *ir.Error) []*ir.Method {
	if c.listed == nil {
		c.listed = map[*ir.Error][]*ir.Method{}
		for n, o := range c.pairing.methods {
			for _, e := range o.Errors {
				c.listed[e] = append(c.listed[e], n)
			}
		}
	}
	return c.listed[old]
}

// anyCall makes uses of an error that no method lists: any method may return it.
func (c *traffic) anyCall(u *uses) {
	u.unlisted = true
	all := c.callees()
	u.unreached = u.unreached && len(all) == 0
	u.all = append(u.all, all...)
}

// callees are the errors of one method for each side that is called.
func (c *traffic) callees() []use {
	if c.called != nil {
		return c.called
	}
	c.called = []use{}
	seen := map[ir.Side]bool{}
	for n := range c.pairing.methods {
		for _, one := range slots(n, inError) {
			if !seen[one.sender] && !n.Notification {
				seen[one.sender] = true
				c.called = append(c.called, one)
			}
		}
	}
	return c.called
}

// error compares two versions of one error.
func (c *comparer) error(o, n *ir.Error) {
	s := scope{path: c.doc.path("errors", n.Name), old: o.Pos, new: n.Pos, uses: c.traffic.carriers(o, n)}
	oldType, _ := c.names.old.Error(o)
	newType, _ := c.names.new.Error(n)
	c.rename(s, ErrorRenamed, o.Name, n.Name, oldType, newType, c.traffic.namedOnWire(s.uses, o, n))
	c.meta(s, o.Meta, n.Meta)
	if codeText(o) != codeText(n) {
		c.code(s.key("code", o.Meta, n.Meta), o, n)
	}
	c.errorSettings(s, o, n)
	c.data(s, o, n)
}

// namedOnWire: tools answer with the name of an error, everything else with its code.
func (c *traffic) namedOnWire(u uses, o, n *ir.Error) relation {
	ofTool := func(one use) bool { _, tool := c.pairing.declared[one.method].(*ir.Tool); return tool }
	if slices.ContainsFunc(u.all, ofTool) {
		return relation{lost: "the error " + o.Name + " as " + n.Name, gained: "the error " + n.Name + " as " + o.Name, always: true}
	}
	return relation{}
}

// code compares the codes of an error, either of which may have none.
func (c *comparer) code(s scope, o, n *ir.Error) {
	was, is := codeText(o), codeText(n)
	r, judged := relation{}, Judgement{OK, "the constant has another value"}
	switch {
	case o.OfTool:
		judged = Judgement{OK, "it only adds to the package"}
	case n.OfTool:
		_, constant := c.names.old.Error(o)
		judged = Judgement{Break, constant + " is gone"}
	default:
		r = relation{lost: "the code " + was + " as " + n.Name, gained: "the code " + is + " as " + n.Name, always: true}
	}
	c.emit(s, ErrorCode, was, is, changeWords("the code", was, is), r, judged)
}

func (c *comparer) errorSettings(s scope, o, n *ir.Error) {
	c.set(s, ErrorSetting, o.Meta, n.Meta, []setting{
		{name: "message", was: messageText(o), is: messageText(n)},
		meaning("when", "when it is sent", whens(o), whens(n)),
		{name: "category", was: o.Category, is: n.Category},
		{name: "severity", was: o.Severity, is: n.Severity},
		meaning("http", "the HTTP status", status(o), status(n)),
		meaning("retry", "retry", onOff(o.Retry), onOff(n.Retry)),
		{name: "reserved", was: onOff(o.Reserved), is: onOff(n.Reserved)},
	})
}

// whens are the conditions that an error answers, in an order of their own.
func whens(e *ir.Error) string { return strings.Join(slices.Sorted(slices.Values(e.When)), ", ") }

func status(e *ir.Error) string {
	if e.HTTP == 0 {
		return ""
	}
	return strconv.Itoa(e.HTTP)
}

func messageText(e *ir.Error) string { return ir.MessageText(e.Message) }

// data compares the data of an error.
func (c *comparer) data(s scope, o, n *ir.Error) {
	s = s.below("data").at(posOf(o.Data), posOf(n.Data))
	switch {
	case o.Data == nil && n.Data == nil:
	case o.Data == nil:
		s.old = diag.Pos{}
		r := relation{unseen: "its data"}
		if !c.types.harmless(n.Data) {
			r.lost = "the error without data"
		}
		c.emit(s, DataChanged, "", typeWords(n.Data), "it has data now: "+typeWords(n.Data), r, Judgement{OK, "it only adds to the Go type"})
	case n.Data == nil:
		s.new = diag.Pos{}
		r := relation{ignored: "its data"}
		if !c.types.harmless(o.Data) {
			r.gained, r.always = "the error without data", true
		}
		c.emit(s, DataChanged, typeWords(o.Data), "", "its data are gone", r, Judgement{Break, "the fields of the error are gone"})
	default:
		c.types.compare(s.holds(c.names.old.Type(o.Data), c.names.new.Type(n.Data)), o.Data, n.Data)
	}
}
