package templates

import "github.com/rpcgen-go/rpcgen/schema/ir"

// needs says which directions of a type's codec are generated.
type needs uint8

const (
	needsAppend needs = 1 << iota
	needsDecode
	needsBoth = needsAppend | needsDecode
)

// finder adds to a plan what depends on all names: which types have rules, patterns and strict decoders, and which codecs are needed.
type finder struct{ *plan }

// findNeeds finds out which directions the calls of the generated sides need: a server reads params and writes results, a client
// the other way round. With the full codec every type has both.
func (p *finder) findNeeds(codec Codec) {
	p.compact = codec == Compact && (len(p.methods) > 0 || p.ownsServer())
	if !p.compact {
		return
	}
	p.needs = map[*named]needs{}
	routers, stubs := p.sides()
	for _, s := range routers {
		for _, m := range p.served(s) {
			p.reach(m.Params, needsDecode)
			p.reach(m.Result, needsAppend)
		}
	}
	for _, s := range stubs {
		for _, m := range p.served(s) {
			p.reach(m.Params, needsAppend)
			p.reach(m.Result, needsDecode)
		}
	}
	for _, e := range p.coded() {
		if p.callsOut() {
			p.reach(e.Data, needsDecode)
		}
		p.reach(e.Data, needsAppend)
	}
	p.reachMCP()
}

// reach notes that a value of t goes the way n.
func (p *finder) reach(t ir.Type, n needs) {
	if t == nil || isBound(t) {
		return
	}
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
	if p.needs[t]&n == n {
		return
	}
	p.needs[t] |= n
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
		if part.Field != nil && part.Field.Go.Bound() {
			continue
		}
		p.reach(part.Type, n)
		if part.Field != nil && part.Field.Default != nil {
			p.reach(part.Type, needsDecode) // a default that is no plain literal is decoded
		}
	}
}

// wants reports whether the codec of t has the direction n.
func (p *plan) wants(t *named, n needs) bool { return !p.compact || p.needs[t]&n != 0 }
