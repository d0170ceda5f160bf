package templates

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// needs is which code of the types is generated, for the sides and with the codec that are asked for.
type needs struct {
	names   *names
	forms   *forms
	side    Side
	schemas bool // with the JSON Schemas of params

	ways   map[*namedType]directions // in a package with the compact codec, of what does not lie in other types' lists of members
	walks  map[*namedType]bool       // structs with a WalkJSON
	walked map[*namedType]directions // the ways that a Walker takes their values
}

// newNeeds finds out which directions the calls of the generated sides need: a server reads params and writes results, a client
// the other way round. With the full codec every type has both.
func newNeeds(n *names, f *forms, opts Options) *needs {
	ns := &needs{
		names: n, forms: f, side: opts.Side, schemas: opts.Schemas,
		ways: map[*namedType]directions{}, walks: map[*namedType]bool{}, walked: map[*namedType]directions{},
	}
	if ns.compact() {
		ns.findFast()
		ns.findWalks()
		ns.findWays()
	}
	return ns
}

// compact reports whether the package has the compact codec: codecs only where calls need them.
func (ns *needs) compact() bool { return ns.names.doc.Compact }

// directions are the directions of a type's codec, and whether its rules are checked without it.
type directions uint8

const (
	needsAppend directions = 1 << iota
	needsDecode
	needsCheck
	isFast    // a type reads and writes itself as in the full codec
	needsBoth = needsAppend | needsDecode
)

// findWays notes which ways everything goes.
func (ns *needs) findWays() {
	routers, stubs := ns.sides()
	for _, s := range routers {
		for _, m := range ns.names.servedMethods(s) {
			ns.reachServed(m)
		}
	}
	for _, s := range stubs {
		for _, m := range ns.names.servedMethods(s) {
			ns.reachCalled(m)
		}
	}
	for _, e := range ns.names.codedErrors() {
		if ns.decodesErrors() {
			ns.reach(e.Data, needsDecode)
		}
		ns.reach(e.Data, needsAppend)
	}
	ns.reachMCP()
}

// reachServed notes which ways the params and the result of a method go that is served.
func (ns *needs) reachServed(m *method) {
	params, result := ns.reach, ns.reach
	if ns.decodesWhole(m) {
		params = ns.reachCall
	}
	if ns.repliesWhole(m) {
		result = ns.reachCall
	}
	params(m.Params, needsDecode)
	result(m.Result, needsAppend)
	if m.Items != nil {
		ns.reach(m.Items.Type, needsAppend)
	}
}

// reachCalled notes which ways the params and the result of a method go that is called.
func (ns *needs) reachCalled(m *method) {
	reach := ns.reach
	if ns.invokesWhole(m) {
		reach = ns.reachCall
	}
	reach(m.Params, needsAppend)
	reach(m.Result, needsDecode)
	if m.Items != nil {
		reach(m.Items.Type, needsDecode)
	}
}

// toCheck adds the directions that the rules at t itself need to n: some are checked on what a value is written as.
func (n directions) toCheck(t ir.Type) directions {
	if n == isFast {
		return n
	}
	for _, r := range ir.RulesOf(t) {
		_, differ := r.(*ir.Unique)
		if _, fits := r.(*ir.Conform); differ || fits && isCompound(ir.NonNull(t)) {
			return n | needsAppend
		}
	}
	return n
}

// reach notes that a value of t goes the way n.
func (ns *needs) reach(t ir.Type, n directions) {
	if t == nil || ir.IsBound(t) {
		return
	}
	n = n.toCheck(t)
	if own := ns.names.of(t); own != nil {
		if own.pkg != "" {
			return // another package's codec has both directions
		}
		ns.reachNamed(own, n)
		return
	}
	ns.reachInside(t, n)
}

func (ns *needs) reachNamed(t *namedType, n directions) {
	n = n.toCheck(t.typ)
	if ns.ways[t]&n == n {
		return
	}
	ns.ways[t] |= n
	if ns.walks[t] {
		ns.reachWalk(t, n)
		return
	}
	if _, ok := t.typ.(*ir.Ref); ok {
		ns.reach(t.typ, n)
		return
	}
	ns.reachInside(t.typ, n)
}

// reachInside notes the same of what lies in a value of t.
func (ns *needs) reachInside(t ir.Type, n directions) {
	for part := range ir.Parts(t) {
		if part.Branch != nil {
			if own := ns.names.branchType(part.Branch); own != nil {
				ns.reachNamed(own, n)
			}
			continue
		}
		if part.Field != nil {
			ns.reachField(part.Field, n)
			continue
		}
		ns.reach(part.Type, n)
	}
}

// reachField notes the same of the value of a field.
func (ns *needs) reachField(f *ir.Field, n directions) {
	if f.Go.Bound() {
		return
	}
	ns.reach(f.Type, n)
	if f.Default != nil && n != isFast {
		ns.reach(f.Type, needsDecode) // a default that is not a plain literal is decoded
	}
}

// findFast finds out what the schema says to be fast, in a package with the compact codec: what calls carry, with all that it holds.
func (ns *needs) findFast() {
	for _, m := range ns.names.methods {
		if m.Fast {
			for _, t := range m.Types() {
				ns.reach(t, isFast)
			}
		}
	}
	for _, t := range ns.names.tools {
		if t.Fast {
			ns.reach(t.Input, isFast)
			ns.reach(t.Output, isFast)
			ns.reach(t.Published(), isFast)
		}
	}
}

// fast reports whether t reads and writes itself as in the full codec, in a package with the compact one.
func (ns *needs) fast(t *namedType) bool { return ns.ways[t]&isFast != 0 && t.pkg == "" }

// findWalks finds out which structs have a WalkJSON.
func (ns *needs) findWalks() {
	for _, t := range ns.names.types {
		s, ok := t.typ.(*ir.Struct)
		ns.walks[t] = ok && !ns.fast(t) && t.kind() == kindStruct && !t.isError && ns.walkable(s)
	}
}

// walkable reports whether a Walker can handle every member of s.
func (ns *needs) walkable(s *ir.Struct) bool {
	beyond := func(f *ir.Field) bool {
		return f.Go.Bound() || ir.IsBound(f.Type) || ns.names.nullAbsent(f) || jsonString(f.Name) != `"`+f.Name+`"`
	}
	return len(s.Fields) > 0 && s.Additional != ir.AdditionalKept && !ir.HasRule[*ir.Conform](s.Rules) && !slices.ContainsFunc(s.Fields, beyond)
}

// reachCall is reach for params and results that the runtime reads and writes: a struct with a WalkJSON needs no other methods.
func (ns *needs) reachCall(t ir.Type, n directions) {
	if own := ns.names.of(t); own != nil && ns.walks[own] && !ir.IsBound(t) {
		ns.reachWalk(own, n)
		return
	}
	ns.reach(t, n)
}

// reachWalk notes that a Walker takes values of t the way n.
func (ns *needs) reachWalk(t *namedType, n directions) {
	if ns.walked[t]&n == n {
		return
	}
	ns.walked[t] |= n
	for _, f := range t.typ.(*ir.Struct).Fields {
		if _, inner := ns.walksTo(f); inner != nil {
			ns.reachWalk(inner, n)
			continue
		}
		ns.reachField(f, n)
	}
}

// lies is how a struct that a Walker takes lies in a member.
type lies uint8

const (
	liesNot lies = iota
	liesWhole
	liesPointed
	liesListed
)

// walksTo returns the struct in f that a Walker takes as it is, and how it lies there.
func (ns *needs) walksTo(f *ir.Field) (lies, *namedType) {
	form, in, t := formOf(f), liesNot, f.Type
	list, isList := t.(*ir.List)
	switch {
	case f.Sensitive && ns.forms.fieldChecked(f):
		return liesNot, nil
	case isList && ns.names.of(t) == nil && (form == formPlain || form == formNil):
		if _, ok := onlyCount(list); !ok {
			return liesNot, nil
		}
		in, t = liesListed, list.Elem
	case form == formPlain:
		in = liesWhole
	case form == formPointer:
		in = liesPointed
	}
	own := ns.names.of(t)
	if ref, ok := t.(*ir.Ref); in == liesNot || own == nil || !ns.walks[own] || ir.IsBound(t) || ok && len(ref.Rules) > 0 {
		return liesNot, nil
	}
	return in, own
}

// onlyCount returns how many elements a list may have. It reports false if there are other rules, or several of that kind.
func onlyCount(list *ir.List) (*ir.Count, bool) {
	count := &ir.Count{Max: -1}
	for i, r := range list.Rules {
		c, ok := r.(*ir.Count)
		if !ok || i > 0 {
			return nil, false
		}
		count = c
	}
	return count, true
}

// choice returns the closed enumeration of strings that f holds, if a Walker takes and checks it.
func (ns *needs) choice(f *ir.Field) *ir.Enum {
	e, ok := ir.Underlying(f.Type).(*ir.Enum)
	own, form := ns.names.of(f.Type), formOf(f)
	if !ok || e.Open || enumBase(e) != "string" || own == nil || own.kind() != kindEnum || own.pkg != "" || f.Sensitive {
		return nil
	}
	if ref, ok := f.Type.(*ir.Ref); ok && len(ref.Rules) > 0 {
		return nil
	}
	if form == formPlain || form == formDefault && zeroMeansDefault(f.Type) {
		return e
	}
	return nil
}

// namesKeys reports whether the code of t needs the names of all members: those that a message may not have are compared with them.
func (ns *needs) namesKeys(t *namedType, s *ir.Struct) bool {
	return s.Additional == ir.AdditionalRejected || ns.forms.strict[t]
}

// hasKeys reports whether the names of the members of t are a constant.
func (ns *needs) hasKeys(t *namedType, s *ir.Struct) bool {
	if ns.walks[t] {
		return ns.namesKeys(t, s) && ns.walked[t]&needsDecode != 0
	}
	return ns.wants(t, needsDecode)
}

// wantsCheck reports whether something calls the function that checks t.
func (ns *needs) wantsCheck(t *namedType) bool {
	switch t.kind() {
	case kindEnum:
		return t.decl != nil // an inline one is checked where it is used, by checkNamed
	case kindScalar:
		return true
	}
	return ns.wants(t, needsBoth|needsCheck)
}

// reachMCP notes which directions what MCP carries goes.
func (ns *needs) reachMCP() {
	serves, calls := ns.side != ClientOnly, ns.side != ServerOnly
	way := func(t ir.Type, server, client directions) {
		if t == nil {
			return
		}
		if serves {
			ns.reach(t, server|needsCheck)
		}
		if calls {
			ns.reach(t, client|needsCheck)
		}
	}
	for _, t := range ns.names.tools {
		sent, read := directions(0), directions(0) // by the backend
		if t.HTTP != nil {
			sent, read = needsAppend, needsDecode
		}
		way(t.Input, needsDecode|sent, needsAppend)
		if t.reduced() {
			way(t.Output, needsAppend|read, 0)
			way(t.Published(), 0, needsDecode)
		} else {
			way(t.Output, needsAppend|read, needsDecode)
		}
		for _, e := range t.Errors {
			way(e.Data, needsAppend|read, needsBoth)
		}
		for _, a := range t.asks {
			way(a.Form, needsDecode, 0)
		}
	}
	for _, r := range ns.names.resources {
		if r.Params != nil {
			way(r.Params, 0, 0)
		}
		way(r.Content, needsAppend, needsDecode)
	}
	for _, o := range ns.names.prompts {
		if o.Arguments != nil {
			way(o.Arguments, needsDecode, needsAppend)
		}
	}
}

// wants reports whether the codec of t has the direction n.
func (ns *needs) wants(t *namedType, n directions) bool { return !ns.compact() || ns.ways[t]&n != 0 }

// sides lists which sides' routers and which sides' stubs are part of what is generated.
func (ns *needs) sides() (routers, stubs []sideNames) {
	if ns.side != ClientOnly {
		routers, stubs = append(routers, serverSide), append(stubs, clientSide)
	}
	if ns.side != ServerOnly {
		routers, stubs = append(routers, clientSide), append(stubs, serverSide)
	}
	return routers, stubs
}

// callsOut reports whether a stub with requests is generated: their errors have to be recognised.
func (ns *needs) callsOut() bool {
	_, stubs := ns.sides()
	return slices.ContainsFunc(stubs, func(s sideNames) bool {
		return slices.ContainsFunc(ns.names.servedMethods(s), func(m *method) bool { return !m.Notification })
	})
}

// decodesErrors reports whether a generated client recognises declared errors by their codes.
func (ns *needs) decodesErrors() bool {
	callsServer := ns.side != ServerOnly && len(ns.names.tools)+len(ns.names.resources)+len(ns.names.prompts) > 0
	return len(ns.names.codedErrors()) > 0 && (callsServer || ns.callsOut())
}

// serves reports whether a router is generated.
func (ns *needs) serves() bool {
	routers, _ := ns.sides()
	return slices.ContainsFunc(routers, func(s sideNames) bool {
		return s == serverSide && len(ns.names.methods) > 0 || len(ns.names.servedMethods(s)) > 0
	})
}

// describes reports whether the router of a side has the schemas of its params.
func (ns *needs) describes(s sideNames) bool {
	return ns.schemas && ns.serves() && (s == serverSide || len(ns.names.servedMethods(s)) > 0)
}

// invokesWhole reports whether the runtime makes a whole call, see invoke.
func (ns *needs) invokesWhole(m *method) bool {
	if m.Items != nil {
		return false
	}
	return ns.small(m, m.Params) && ns.small(m, m.Result) && !byPosition(m) && ns.names.speaksForItself(m.Params) && ns.names.speaksForItself(m.Result)
}

// decodesWhole reports whether the runtime decodes and checks the params of a call.
func (ns *needs) decodesWhole(m *method) bool {
	return ns.small(m, m.Params) && !m.ParamsOptional && ns.names.speaksForItself(m.Params)
}

// repliesWhole reports whether the runtime checks and writes the result of a call.
func (ns *needs) repliesWhole(m *method) bool {
	return ns.small(m, m.Result) && ns.names.speaksForItself(m.Result)
}

// small reports whether the compact codec is that of t, which m carries.
func (ns *needs) small(m *method, t ir.Type) bool {
	return ns.compact() && t != nil && !m.Fast && !ns.fast(ns.names.of(t))
}

// byPosition reports whether a client writes the fields of the params as an array.
func byPosition(m *method) bool {
	if m.Params == nil || m.ParamsBy != ir.ByPosition {
		return false
	}
	_, fields := ir.Underlying(m.Params).(*ir.Struct)
	return fields
}
