package templates

import (
	"cmp"
	"fmt"
	"sort"
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// claims are the identifiers of a package that are taken, and what is wrong with names.
type claims struct {
	scope   map[string]diag.Span // identifiers of the package and where they come from
	sites   map[string]site      // and where they can be given others
	diags   diag.List
	fields  map[*ir.Field]site // where fields can be
	clashes []clash
}

// claim takes an identifier of the package for what a site names.
func (n *claims) claim(id, what string, at site) {
	n.claimOr(id, what, "give one of them another name with go:", at)
}

// claimOr takes an identifier of the package, or reports that it is taken, with help.
func (n *claims) claimOr(id, what, help string, at site) {
	first, taken := n.scope[id]
	span := diag.Span{Pos: at.pos, Len: len(what)}
	if at.span.Valid() {
		span.Pos = at.span
	}
	if !taken {
		n.scope[id], n.sites[id] = span, at
		return
	}
	d := diag.Diagnostic{
		Code: diag.GoNameClash, Span: span,
		Message: fmt.Sprintf("%q becomes %s in Go, which is taken", what, id), Help: help,
	}
	if first.Valid() {
		d.Related = []diag.Related{{Span: first, Message: "other declaration of " + id}}
	}
	n.clash(d, id, at)
}

// clash reports a name that cannot be had.
func (n *claims) clash(d diag.Diagnostic, name string, at site) {
	n.diags = append(n.diags, d)
	n.clashes = append(n.clashes, clash{name, at, n.sites[name]})
}

func (n *claims) fault(code diag.Code, pos diag.Pos, length int, message, help string) {
	n.diags = append(n.diags, diag.Diagnostic{Code: code, Span: diag.Span{Pos: pos, Len: length}, Message: message, Help: help})
}

// Other returns the part of the document that has the name of a clash, as one that could get another name instead. It reports false if there is none, or none
// that can be renamed.
func (c Clash) Other() (Clash, bool) {
	if h := c.holder; h.take != nil && h.pos.Valid() {
		return Clash{Pos: h.pos, Keyed: h.keyed, Branch: h.branch, Name: c.Name, site: h}, true
	}
	return Clash{}, false
}

// Free takes a name that it could have instead, as `go:` spells it.
func (c Clash) Free() string { return c.site.free() }

// apart lists the clashes.
func (n *claims) apart() []Clash {
	var all []Clash
	found := map[diag.Pos]bool{}
	for _, c := range n.clashes {
		if found[c.site.pos] || c.site.take == nil {
			continue
		}
		found[c.site.pos] = true
		all = append(all, Clash{Pos: c.site.pos, Keyed: c.site.keyed, Branch: c.site.branch, Name: c.name, site: c.site, holder: c.holder})
	}
	sort.SliceStable(all, func(i, j int) bool { // of one file
		return cmp.Or(all[i].Pos.Line-all[j].Pos.Line, all[i].Pos.Col-all[j].Pos.Col) < 0
	})
	return all
}

// free takes the first name with a number that is free.
func (s site) free() string {
	base := cmp.Or(s.own, "X") // a name of signs alone leaves nothing
	if last := base[len(base)-1]; last >= '0' && last <= '9' {
		base += "X"
	}
	for at := 2; ; at++ {
		if name := base + strconv.Itoa(at); s.take(name) {
			return name
		}
	}
}

// at is the site of what has a key at pos; its identifier is what go: spells, between prefix and suffix.
func (n *claims) at(pos diag.Pos, own, prefix, suffix string) site {
	return site{pos: pos, keyed: true, own: own, take: func(name string) bool { return n.take(prefix + name + suffix) }}
}

// take takes an identifier of the package, and reports whether it was free.
func (n *claims) take(id string) bool {
	owner, taken := n.scope[id]
	if !taken {
		n.scope[id] = owner // nobody
	}
	return !taken
}

// ofField is the site of a field of owner, and of the type that is written in it.
func (n *claims) ofField(f *ir.Field, name, owner string, taken map[string]*ir.Field, methods map[string]bool) site {
	at := site{pos: f.Pos, keyed: true, own: name, take: func(name string) bool {
		if taken[name] != nil || methods[name] || methodsOfTypes[name] || !n.take(owner+name) {
			return false
		}
		taken[name] = f
		return true
	}}
	if _, twice := n.fields[f]; !twice {
		n.fields[f] = at
	}
	return at
}

// clashOfField reports a field that cannot have its name.
func (n *claims) clashOfField(f *ir.Field, message, help string, at site) {
	n.clash(diag.Diagnostic{Code: diag.GoNameClash, Span: diag.Span{Pos: f.Pos, Len: len(f.Name)}, Message: message, Help: help}, at.own, at)
}

// ofBranch is the site of a branch that is called name.
func (n *claims) ofBranch(b *ir.Branch, name string) site {
	return site{pos: b.Pos, keyed: b.Pos != b.Type.Position(), branch: true, own: name, take: n.take}
}
