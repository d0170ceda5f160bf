package importer

import (
	"fmt"
	"slices"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// unionReader decides about the unions of which a value that fits one branch may be read as another, or be refused. JSON Schema would try each
// branch, so these become raw; those of named objects stay typed, and are reported as weakened.
type unionReader struct {
	convert.Decisions
	places  places
	ofNamed map[string]bool // unions whose branches are all objects with names, or parts of these
	tagged  map[string]bool // unions that tags decide, whatever fits their branches
}

func (r unionReader) read(t ir.Type) {
	u, ok := t.(*ir.Union)
	if !ok {
		return
	}
	reason, named := misreading(u)
	at := r.places.before(u.Position()).at
	if union, ok := unionIn(at); ok {
		at = union
	}
	if reason == "" && at.Has("oneOf") {
		reason = severalEmpty(u)
	}
	refused := func(b *ir.Branch) bool { _, refused := judge.Picks(u.Decide, b.Type); return refused } // some of its values fit no branch
	switch {
	case reason == "" || at.Pos.File == "" || r.Context[at.Pointer] || r.tagged[at.Pointer]:
	case named || r.ofNamed[at.Pointer] && !slices.ContainsFunc(u.Branches, refused):
		r.Misread[at.Pointer] = reason
	case r.OpaqueAt[at.Pointer] == "":
		r.OpaqueAt[at.Pointer] = reason
	}
}

// misreading says why a union does not judge as JSON Schema does; empty if it does. Named says that all the branches in question are objects with names.
func misreading(u *ir.Union) (reason string, named bool) {
	if _, raw := u.Decide.(*ir.ByContext); raw {
		return "", false
	}
	named = true
	for _, b := range u.Branches {
		reached, refused := judge.Picks(u.Decide, b.Type)
		if refused {
			return fmt.Sprintf("what fits the branch %s may fit none by its look", source.Quote(b.Name)), false
		}
		for _, other := range reached {
			if other == b {
				continue
			}
			if reason == "" {
				reason = fmt.Sprintf("a value of %s that may be %s as well is read as the latter", source.Quote(b.Name), source.Quote(other.Name))
			}
			named = named && isNamedObject(b.Type) && isNamedObject(other.Type)
		}
	}
	return reason, named && reason != ""
}

// isNamedObject reports whether a type is a use of an object, or of a union, that has a name.
func isNamedObject(t ir.Type) bool {
	ref, ok := t.(*ir.Ref)
	if !ok {
		return false
	}
	switch t := ref.Decl.Type.(type) {
	case *ir.Struct, *ir.Map, *ir.Union:
		return true
	case *ir.Ref:
		return isNamedObject(t)
	}
	return false
}

// severalEmpty says why exactly one branch may not fit: the empty array fits several.
func severalEmpty(u *ir.Union) string {
	fit := slices.DeleteFunc(slices.Clone(u.Branches), func(b *ir.Branch) bool { return len(judge.Judge(b.Type, ir.Value{Kind: ir.Array})) > 0 })
	if len(fit) < 2 {
		return ""
	}
	return fmt.Sprintf("an empty array fits both %s and %s", source.Quote(fit[0].Name), source.Quote(fit[1].Name))
}

// visitTypes visits all types that a document writes, each once.
func visitTypes(doc *ir.Document, visit func(ir.Type)) {
	seen := map[ir.Type]bool{}
	var walk func(t ir.Type)
	walk = func(t ir.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		visit(t)
		for part := range ir.Parts(t) {
			walk(part.Type)
		}
	}
	all := slices.Concat(ir.Each(doc.Types, func(d *ir.Decl) ir.Type { return d.Type }), ir.Each(doc.Errors, func(e *ir.Error) ir.Type { return e.Data }))
	for _, m := range doc.Methods {
		for _, t := range m.Types() {
			all = append(all, t)
		}
	}
	for _, t := range doc.Tools {
		all = append(all, t.Input, t.Published())
	}
	for _, t := range all {
		walk(t)
	}
}
