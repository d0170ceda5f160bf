package templates

import "github.com/rpcgen-go/rpcgen/schema/ir"

// findFast finds out what the schema says to be fast, in a package with the compact codec: declarations, and what calls carry, with all that
// these hold and that is not said to be compact.
func (p *finder) findFast() {
	p.fast = map[*named]bool{}
	if !p.compact {
		return
	}
	for _, t := range p.types {
		if t.decl != nil && t.decl.Codec == ir.CodecFast {
			p.hasten(t)
		}
	}
	for _, m := range p.methods {
		if m.Codec == ir.CodecFast {
			p.hastenIn(m.Params)
			p.hastenIn(m.Result)
		}
	}
	for _, t := range p.tools {
		if t.Codec == ir.CodecFast {
			p.hastenIn(t.Input)
			p.hastenIn(t.Output)
		}
	}
}

// hasten notes that t is fast.
func (p *finder) hasten(t *named) {
	if t.pkg != "" || p.fast[t] || t.decl != nil && t.decl.Codec == ir.CodecCompact {
		return
	}
	p.fast[t] = true
	if _, ok := t.typ.(*ir.Ref); ok {
		p.hastenIn(t.typ)
		return
	}
	p.hastenParts(t.typ)
}

// hastenIn notes that values of t are fast.
func (p *finder) hastenIn(t ir.Type) {
	if t == nil || isBound(t) {
		return
	}
	if own := p.of(t); own != nil {
		p.hasten(own)
		return
	}
	p.hastenParts(t)
}

// hastenParts notes that what lies in a value of t is fast.
func (p *finder) hastenParts(t ir.Type) {
	for part := range ir.Parts(t) {
		if part.Branch != nil {
			if own := p.branchType(part.Branch); own != nil {
				p.hasten(own)
			}
			continue
		}
		if part.Field == nil || !part.Field.Go.Bound() {
			p.hastenIn(part.Type)
		}
	}
}

// findSmall finds out which types have the compact codec: in a package with that codec all that are not fast, in other packages what the
// schema says, with the types that lie in it and have no name of their own.
func (p *finder) findSmall() map[*named]bool {
	small := map[*named]bool{}
	for _, t := range p.types {
		if p.compact {
			small[t] = !p.fast[t]
		} else if t.decl != nil && t.decl.Codec == ir.CodecCompact {
			p.shrink(t, small)
		}
	}
	return small
}

// shrink notes that t is small.
func (p *finder) shrink(t *named, small map[*named]bool) {
	small[t] = true
	p.shrinkParts(t.typ, small)
}

// shrinkParts notes the same of what lies in a value of t.
func (p *finder) shrinkParts(t ir.Type, small map[*named]bool) {
	for part := range ir.Parts(t) {
		if own := p.byType[part.Type]; own != nil && own.decl == nil {
			p.shrink(own, small)
		} else if own == nil {
			p.shrinkParts(part.Type, small)
		}
	}
}
