package templates

import "github.com/rpcgen-go/rpcgen/schema/ir"

// needs says which directions of a type's codec are generated, and whether its rules are checked without it.
type needs uint8

const (
	needsAppend needs = 1 << iota
	needsDecode
	needsCheck
	needsBoth = needsAppend | needsDecode
)

// finder adds to a plan what depends on all names: which types have rules, patterns and strict decoders, and which codecs are needed.
type finder struct{ *plan }

// findNeeds finds out which directions the calls of the generated sides need: a server reads params and writes results, a client
// the other way round. With the full codec every type has both.
func (p *finder) findNeeds(codec Codec) {
	if codec == Declared && p.doc.Codec == ir.CodecCompact {
		codec = Compact
	}
	p.compact = codec == Compact && (len(p.methods) > 0 || p.ownsServer())
	p.findFast()
	p.findWalks()
	if !p.compact {
		return
	}
	p.needs = map[*named]needs{}
	routers, stubs := p.sides()
	for _, s := range routers {
		for _, m := range p.served(s) {
			p.reachServed(m)
		}
	}
	for _, s := range stubs {
		for _, m := range p.served(s) {
			p.reachCalled(m)
		}
	}
	for _, e := range p.coded() {
		if p.decodesErrors() {
			p.reach(e.Data, needsDecode)
		}
		p.reach(e.Data, needsAppend)
	}
	p.reachMCP()
}

// reachServed notes which ways the params and the result of a method go that is served.
func (p *finder) reachServed(m *method) {
	calls := &callWriter{&valueWriter{p.plan}}
	params, result := p.reach, p.reach
	if calls.decodesWhole(m) {
		params = p.reachCall
	}
	if calls.repliesWhole(m) {
		result = p.reachCall
	}
	params(m.Params, needsDecode)
	result(m.Result, needsAppend)
}

// reachCalled notes which ways the params and the result of a method go that is called.
func (p *finder) reachCalled(m *method) {
	reach := p.reach
	if (&callWriter{&valueWriter{p.plan}}).invokesWhole(m) {
		reach = p.reachCall
	}
	reach(m.Params, needsAppend)
	reach(m.Result, needsDecode)
}

// toCheck says which directions the rules at t itself need: some are checked on what a value is written as.
func toCheck(t ir.Type) needs {
	for _, r := range ir.RulesOf(t) {
		_, differ := r.(*ir.Unique)
		if _, fits := r.(*ir.Conform); differ || fits && isCompound(ir.NonNull(t)) {
			return needsAppend
		}
	}
	return 0
}

// isCompound reports whether t is a type whose values are made of others.
func isCompound(t ir.Type) bool {
	switch t.(type) {
	case *ir.List, *ir.Map, *ir.Struct, *ir.Tuple:
		return true
	}
	return false
}

// reach notes that a value of t goes the way n.
func (p *finder) reach(t ir.Type, n needs) {
	if t == nil || isBound(t) {
		return
	}
	n |= toCheck(t)
	if own := p.of(t); own != nil {
		if own.pkg != "" {
			return // another package's codec has both directions
		}
		p.reachNamed(own, n)
		return
	}
	p.reachInside(t, n)
}

func (p *finder) reachNamed(t *named, n needs) {
	n |= toCheck(t.typ)
	if p.needs[t]&n == n {
		return
	}
	p.needs[t] |= n
	if p.walks[t] {
		p.reachWalk(t, n)
		return
	}
	if _, ok := t.typ.(*ir.Ref); ok {
		p.reach(t.typ, n)
		return
	}
	p.reachInside(t.typ, n)
}

// reachInside notes the same of what lies in a value of t.
func (p *finder) reachInside(t ir.Type, n needs) {
	for part := range ir.Parts(t) {
		if part.Branch != nil {
			if own := p.branchType(part.Branch); own != nil {
				p.reachNamed(own, n)
			}
			continue
		}
		if part.Field != nil {
			p.reachField(part.Field, n)
			continue
		}
		p.reach(part.Type, n)
	}
}

// reachField notes the same of the value of a field.
func (p *finder) reachField(f *ir.Field, n needs) {
	if f.Go.Bound() {
		return
	}
	p.reach(f.Type, n)
	if f.Default != nil {
		p.reach(f.Type, needsDecode) // a default that is not a plain literal is decoded
	}
}

// wants reports whether the codec of t has the direction n.
func (p *plan) wants(t *named, n needs) bool { return !p.compact || p.needs[t]&n != 0 }
