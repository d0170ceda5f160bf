package diff

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

func noun(m *ir.Method) string {
	if m.Notification {
		return "notification"
	}
	return "method"
}

// methodKind is what a method is to those who call it.
func methodKind(m *ir.Method) string {
	if m.Items != nil {
		return "stream"
	}
	return noun(m)
}

// toMethod is the scope of a whole method.
func (c *callComparer) toMethod(m *ir.Method, old, new diag.Pos) scope {
	return scope{path: c.doc.path(noun(m)+"s", m.Name), old: old, new: new}
}

func (c *callComparer) methodGone(o *ir.Method) {
	c.callGone(c.toMethod(o, o.Pos, diag.Pos{}), MethodRemoved, o, callText(o), "the "+noun(o)+" is gone",
		Judgement{Break, c.names.old.Method(o) + " is gone for callers, and is never called any more"})
}

func (c *callComparer) methodAdded(n *ir.Method) {
	c.callAdded(c.toMethod(n, diag.Pos{}, n.Pos), MethodAdded, n, callText(n), "a new "+noun(n)+" from the "+fromText(n.From),
		Judgement{Warning, "handlers that do not embed the Unimplemented type lack " + c.names.new.Method(n)})
}

func fromText(from ir.Side) string {
	if from == ir.FromBoth {
		return "client and the server"
	}
	return from.String()
}

// callText is a method on one line.
func callText(m *ir.Method) string {
	text := m.Name + "(" + strings.TrimPrefix(typeWords(m.Params), "nothing") + ")"
	if m.Items != nil {
		text += " -> stream of " + typeWords(m.Items.Type)
	}
	if m.Notification {
		return text
	}
	return text + " -> " + typeWords(orEmpty(m.Result))
}

// method compares two versions of one method.
func (c *callComparer) method(o, n *ir.Method) {
	s := c.toMethod(n, o.Pos, n.Pos)
	s.uses = usesOfPair(o, n, paramsPart(n))
	before, after := c.names.old.Method(o), c.names.new.Method(n)
	s = s.holds(before, after)
	c.callName(s, MethodRenamed, n, o.OnWire(), n.OnWire(), before, after)
	c.meta(s, o.Meta, n.Meta)
	if was, is := methodKind(o), methodKind(n); was != is {
		c.emit(s, MethodKind, was, is, fmt.Sprintf("it is a %s now, and was a %s", is, was),
			relation{lost: was + "s of this name", gained: is + "s of this name", always: true}, Judgement{Break, "its Go method has another signature"})
		return
	}
	if o.From != n.From {
		c.direction(s, o, n)
	}
	c.params(s, o, n)
	c.result(s, o, n)
	c.methodErrors(s, o, n)
	c.settings(s.holds("", ""), o, n)
}

// direction compares who calls. A side that may no longer call is refused; one that may call now is refused by old peers.
func (c *callComparer) direction(s scope, o, n *ir.Method) {
	change := c.emit(s, MethodDirection, fromText(o.From), fromText(n.From),
		fmt.Sprintf("it is called by the %s, and was by the %s", fromText(n.From), fromText(o.From)), relation{},
		Judgement{Warning, "handlers of the side that is called now need it"})
	change.Wire = nil
	defer func() { change.Script = c.script(s, change, relation{}) }() // it is judged by what follows
	for _, caller := range []ir.Side{ir.FromClient, ir.FromServer} {
		was, is := slices.Contains(callers(o.From), caller), slices.Contains(callers(n.From), caller)
		switch {
		case was && !is:
			change.Wire = append(change.Wire, Direction{caller, judgeRemoval(o, caller), Judgement{OK, "new " + caller.String() + "s never send it"}})
			change.Go = Judgement{Break, c.names.old.Method(o) + " is gone from what a " + caller.String() + " may call"}
		case is && !was:
			change.Wire = append(change.Wire, Direction{caller, Judgement{OK, "old " + caller.String() + "s never send it"},
				Judgement{OK, fmt.Sprintf("old %ss answer that they do not know it", oppositeSide(caller))}})
		}
	}
}

// params compares params. None at all are as good as an object without fields that may be left out.
func (c *callComparer) params(s scope, o, n *ir.Method) {
	s = c.part(s, "params", o, n, paramsPart(n), o.Params, n.Params)
	s.ordered = c.doc.byPosition(o, n)
	leftOut := func(m *ir.Method) bool { return m.ParamsOptional || m.Params == nil }
	if leftOut(o) != leftOut(n) && !(o.Params == nil && c.types.harmless(n.Params)) && !(n.Params == nil && c.types.harmless(o.Params)) {
		r, was, is := relation{lost: "calls without params"}, "optional", "required"
		if leftOut(n) {
			r, was, is = relation{gained: "calls without params"}, "required", "optional"
		}
		if o.Params != nil && n.Params != nil {
			c.emit(s, ParamsPresence, was, is, fmt.Sprintf("params are %s now, and were %s", is, was), r, Judgement{OK, "the Go types stay as they are"})
		}
	}
	c.payload(s, "params", o.Params, n.Params)
}

// harmless reports whether an empty object fits a type.
func (c *typeComparer) harmless(t ir.Type) bool { return t == nil || c.fits(&ir.Struct{}, t) == "" }

func (c *callComparer) result(s scope, o, n *ir.Method) {
	if n.Items != nil {
		c.payload(c.part(s, "items", o, n, inResult, o.Items.Type, n.Items.Type), "items", o.Items.Type, n.Items.Type)
	}
	if !n.Notification {
		c.payload(c.part(s, "result", o, n, inResult, o.Result, n.Result), "a result", o.Result, n.Result)
	}
}

// part is the scope of the params or the result of a method.
func (c *callComparer) part(s scope, name string, o, n *ir.Method, p part, old, new ir.Type) scope {
	s = s.below(name).at(posOf(old), posOf(new))
	s.uses = usesOfPair(o, n, p)
	s.held = [2]string{}
	if old != nil {
		s.held[0] = c.names.old.Type(old)
	}
	if new != nil {
		s.held[1] = c.names.new.Type(new)
	}
	if renamedOnly(c.pairing, old, new) {
		s.held = [2]string{}
	}
	return s
}

// renamedOnly reports whether two types differ at most in the name of the declaration, which is reported where it stands.
func renamedOnly(c *pairing, old, new ir.Type) bool {
	o, ok := old.(*ir.Ref)
	n, also := new.(*ir.Ref)
	return ok && also && c.types[n.Decl] == o.Decl
}

// payload compares params or results, either of which may be nothing.
func (c *callComparer) payload(s scope, what string, old, new ir.Type) {
	switch {
	case old == nil && new == nil:
	case old == nil || new == nil:
		c.replacedByNothing(s, what, old, new)
	default:
		c.types.compare(s, old, new)
	}
}

func (c *callComparer) replacedByNothing(s scope, what string, old, new ir.Type) {
	r := relation{lost: c.types.fits(orEmpty(old), orEmpty(new)), gained: c.types.fits(orEmpty(new), orEmpty(old))}
	text := "it has " + what + " now: " + typeWords(new)
	switch {
	case new == nil:
		text = "it has no " + strings.TrimPrefix(what, "a ") + " any more"
		if r.lost == "" {
			r.ignored = typeWords(old)
		}
	case r.gained == "":
		r.unseen = typeWords(new)
	}
	change := c.emit(s, TypeChanged, strings.TrimPrefix(typeWords(old), "nothing"), strings.TrimPrefix(typeWords(new), "nothing"), text, r,
		Judgement{Break, "its Go method has another signature"})
	if _, written := s.uses.travels(); written { // it is a parameter of the function that calls
		change.Script = Judgement{Break, "its function of TypeScript takes other parameters"}
	}
}

func orEmpty(t ir.Type) ir.Type {
	if t == nil {
		return &ir.Struct{}
	}
	return t
}

// methodErrors compares which errors a method may return. Code that looks for an error compiles with or without it.
func (c *callComparer) methodErrors(s scope, o, n *ir.Method) {
	s = s.below("errors").holds("", "")
	s.uses = usesOfPair(o, n, inError)
	for _, e := range o.Errors {
		if !slices.ContainsFunc(n.Errors, func(m *ir.Error) bool { return c.pairing.errors[m] == e }) {
			c.emit(s.below(e.Name), MethodError, e.Name, "", "it no longer returns "+e.Name, relation{}, c.neverReturned(e))
		}
	}
	for _, e := range n.Errors {
		if !slices.Contains(o.Errors, c.pairing.errors[e]) || c.pairing.errors[e] == nil {
			c.emit(s.below(e.Name), MethodError, "", e.Name, "it may return "+e.Name, relation{}, Judgement{OK, "it compiles; callers may want to handle the error"})
		}
	}
}

// neverReturned judges that a method, or a tool, no longer returns an error. The types of errors of tools have methods for it.
func (c *callComparer) neverReturned(o *ir.Error) Judgement {
	for n, old := range c.pairing.errors {
		if old == o && !n.OfTool && listedByTool(c.doc.old, o) && !listedByTool(c.doc.new, n) {
			typ, _ := c.names.new.Error(n)
			return Judgement{Break, typ + " is no longer an mcp.ToolError"}
		}
	}
	return Judgement{OK, "it compiles; what handles the error is never reached"}
}

// settings compares what else is said of a method.
func (c *callComparer) settings(s scope, o, n *ir.Method) {
	c.set(s, MethodSetting, o.Meta, n.Meta, []setting{
		meaning("timeout", "the timeout", duration(o.Timeout), duration(n.Timeout)),
		{name: "rate", was: o.Rate.String(), is: n.Rate.String(), relation: relation{meaning: changeWords("how often it may be called", o.Rate.String(),
			n.Rate.String())}, inGo: func() Judgement { return c.without(rateFunction, o.From) }},
		scopesSetting(o.Scopes, n.Scopes),
		{name: "paramsBy", was: o.ParamsBy.String(), is: n.ParamsBy.String(), relation: structureRelation(o.ParamsBy, n.ParamsBy)},
		meaning("ordered", "whether later requests wait for it", onOff(o.Ordered), onOff(n.Ordered)),
		{name: "idempotent", was: onOff(o.Idempotent), is: onOff(n.Idempotent), relation: repeatRelation(o), inGo: c.idempotence},
		{name: "codec", was: wordIf(o.Fast, "fast"), is: wordIf(n.Fast, "fast")},
		meaning("capability", "the capability that the server must have", o.Capability, n.Capability),
		{name: "requires", was: o.Requires, is: n.Requires, relation: capabilityRelation(o, n)},
		{name: "embedded", was: onOff(o.Embedded), is: onOff(n.Embedded), relation: embeddingRelation(n),
			inGo: func() Judgement { return Judgement{Break, "embedded methods have no Go method"} }},
		meaning("stream", "what it streams", streamWords(o), streamWords(n)),
		{name: "items", was: travel(o), is: travel(n), relation: relation{lost: "streams " + travel(o), gained: "streams " + travel(n), always: true}},
		{name: "items.buffer", was: bufferWords(o), is: bufferWords(n)},
		{name: "page", was: o.Page, is: n.Page},
		{name: "cache", was: cacheWords(o), is: cacheWords(n), relation: relation{meaning: older(o, n)},
			inGo: func() Judgement { return c.without(keepFunction, o.From) }},
		meaning("header", "headers", headers(o), headers(n)),
	})
}

// scopesSetting compares the scopes that callers need. One more refuses callers that have the others.
func scopesSetting(o, n []string) setting {
	s := setting{name: "scopes", was: strings.Join(o, " "), is: strings.Join(n, " ")}
	if more := ir.Where(n, func(scope string) bool { return !slices.Contains(o, scope) }); len(more) > 0 {
		s.lost = "calls without " + strings.Join(more, " ")
	}
	return s
}

// idempotence judges that methods are idempotent, or no longer: the function of a client that sends calls again may be gone.
func (c *callComparer) idempotence() Judgement {
	if slices.ContainsFunc(c.doc.new.Methods, func(m *ir.Method) bool { return m.Idempotent }) {
		return Judgement{OK, "the Go types stay as they are"}
	}
	return Judgement{Break, "no method is idempotent any more, so the function Idempotent is gone"}
}

// cacheWords is what the key cache says of a method.
func cacheWords(m *ir.Method) string {
	if m.Keep != nil {
		return m.Keep.String()
	}
	return onOff(m.Cache)
}

// older says that results may be older than they were, or are made anew.
func older(o, n *ir.Method) string {
	if o.Keep.String() == n.Keep.String() {
		return ""
	}
	return changeWords("how long results are kept", o.Keep.String(), n.Keep.String())
}

// structureRelation relates the structures of params: only those by name alone refuse arrays.
func structureRelation(o, n ir.ParamsBy) relation {
	switch {
	case n == ir.ByName:
		return relation{lost: "positional params"}
	case o == ir.ByName:
		return relation{gained: "positional params", always: n == ir.ByPosition}
	}
	return relation{}
}

// duration is a timeout, in words; empty if none.
func duration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// repeatRelation relates methods of which one is idempotent: o was, or the new one is.
func repeatRelation(o *ir.Method) relation {
	if o.Idempotent {
		return relation{meaning: "an old client may send a call again that a new server executes twice"}
	}
	return relation{}
}

// capabilityRelation: a peer that lacks a capability that is asked for now is refused.
func capabilityRelation(o, n *ir.Method) relation {
	if n.Requires == "" {
		return relation{gained: "peers without " + o.Requires}
	}
	return relation{lost: "calls to peers without " + n.Requires}
}

func embeddingRelation(n *ir.Method) relation {
	if n.Embedded {
		return relation{lost: "it as a request", gained: "it inside of a result", always: true}
	}
	return relation{lost: "it inside of a result", gained: "it as a request", always: true}
}

// travel is how the items of a stream travel.
func travel(m *ir.Method) string {
	i := m.Items
	if i == nil {
		return ""
	}
	by := "by request"
	if i.First {
		by = "by id"
	}
	return strings.TrimSpace(fmt.Sprintf("%s, %s with %s and %s, ended by %s %s", by, i.Method, i.ID, i.Value, i.End, i.EndID))
}

// bufferWords is what a client keeps of the items of a stream.
func bufferWords(m *ir.Method) string {
	i := m.Items
	if i == nil {
		return ""
	}
	var all []string
	if i.Buffer > 0 {
		all = append(all, fmt.Sprintf("%d items", i.Buffer))
	}
	if i.Bytes > 0 {
		all = append(all, fmt.Sprintf("%d bytes", i.Bytes))
	}
	if i.Oldest {
		all = append(all, "over: oldest")
	}
	return strings.Join(all, ", ")
}

func streamWords(m *ir.Method) string {
	return strings.Join(ir.Each(m.Stream, func(s *ir.Method) string { return s.Name }), ", ")
}

func headers(m *ir.Method) string {
	return strings.Join(ir.Each(m.Header, func(h ir.Header) string { return h.Name + " from " + h.Path }), ", ")
}
