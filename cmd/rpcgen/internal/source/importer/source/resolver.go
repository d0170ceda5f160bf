package source

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Resolver reads the schemas of one document as they are: what they refer to, and what they admit. It converts nothing.
type Resolver struct {
	OnlyRef  bool                  // nothing next to $ref counts
	early    bool                  // the source names draft-07 or an earlier draft
	Base     Cursor                // what a reference that begins with # is resolved from
	Troubles map[diag.Pos]*trouble // references that cannot be followed
	admits   map[ObjectID][]string // the JSON kinds that schemas admit, see kindsOf
	Work     *Work                 // what may be done with the document
}

// NewResolver returns a resolver of a document.
func NewResolver(root Cursor) *Resolver {
	dialect := dialectOf(root)
	early := strings.Contains(dialect, "json-schema.org/draft-0") || strings.HasSuffix(dialect, "json-schema.org/schema")
	return &Resolver{Base: root, OnlyRef: OnlyRef(root), early: early, admits: map[ObjectID][]string{}}
}

// RefersTo returns what the `$ref` of s leads to, and the fault otherwise.
func (r *Resolver) RefersTo(s Cursor) (target Cursor, message, help string) {
	ref, _ := s.Get("$ref")
	if ref.Kind != ir.Text {
		return Cursor{}, "$ref must be text, not " + ref.Kind.String(), ""
	}
	if t := r.Troubles[ref.Pos]; t != nil {
		return Cursor{}, t.message, t.help
	}
	target, local, ok := r.References().follow(s, ref.Text)
	switch {
	case !local:
		return Cursor{}, "$ref " + Quote(ref.Text) + " leads out of this file", "bring the definition into this file first: nothing is fetched"
	case !ok:
		return Cursor{}, "$ref " + Quote(ref.Text) + " leads nowhere", ""
	}
	return target, "", ""
}

// Nowhere is the fault of the dynamic reference of s, if it leads nowhere; see [References.Nowhere].
func (r *Resolver) Nowhere(s Cursor) *Fault {
	ref, is := s.Get("$recursiveRef")
	if t := r.Troubles[ref.Pos]; is && t != nil { // it was $dynamicRef in another file
		return &Fault{Pos: ref.Pos, Pointer: s.Pointer + "/$dynamicRef", Message: t.message}
	}
	return r.References().Nowhere(s)
}

// References are those of the document that is being converted.
func (r *Resolver) References() *References {
	if r.Base.Index.references == nil {
		r.Base.Index.references = map[string]*References{}
	}
	found := r.Base.Index.references[r.Base.Pointer]
	if found == nil {
		found = referencesOf(r.Base, r.OnlyRef)
		r.Base.Index.references[r.Base.Pointer] = found
	}
	return found
}

// Limits says why the sibling limits of a reference cannot stand at its use: they are about other kinds than what it leads to.
func (r *Resolver) Limits(target, s Cursor) string {
	for n, keywords := range [][]string{TextRules, NumberRules, ListRules, ObjectRules} {
		kind := []string{"string", "number", "array", "object"}[n]
		only := func(kinds []string) bool { return len(kinds) == 1 && kinds[0] == kind }
		if HasAny(s, keywords) && !only(slices.DeleteFunc(slices.Clone(r.KindsOf(target)), func(k string) bool { return k == "null" })) {
			return "$ref has sibling limits that are of " + kind + " alone"
		}
	}
	return ""
}
