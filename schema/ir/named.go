package ir

// Named returns a document that holds only the declarations of d with a name: types, errors, methods, tools, resources and prompts. It is
// nil when there are none. Known lists the names of all.
func (d *Document) Named(name string) (part *Document, known []string) {
	found := false
	is := func(declared string) bool {
		known = append(known, declared)
		found = found || declared == name
		return declared == name
	}
	part = &Document{
		File: d.File, Package: d.Package, Protocol: d.Protocol,
		Types:     withName(d.Types, is, func(t *Decl) string { return t.Name }),
		Errors:    withName(d.Errors, is, func(e *Error) string { return e.Name }),
		Methods:   withName(d.Methods, is, func(m *Method) string { return m.Name }),
		Tools:     withName(d.Tools, is, func(t *Tool) string { return t.Name }),
		Resources: withName(d.Resources, is, func(r *Resource) string { return r.Name }),
		Prompts:   withName(d.Prompts, is, func(p *Prompt) string { return p.Name }),
	}
	if !found {
		part = nil
	}
	return part, known
}

// withName returns the declarations whose name is one.
func withName[T any](all []T, is func(string) bool, name func(T) string) []T {
	return Where(all, func(one T) bool { return is(name(one)) })
}

// BoundType returns the existing Go type that t is bound to.
func BoundType(t Type) (GoName, bool) {
	for {
		ref, ok := t.(*Ref)
		if !ok {
			return GoName{}, false
		}
		if ref.Decl.Go.Bound() {
			return ref.Decl.Go, true
		}
		t = ref.Decl.Type
	}
}

// IsBound reports whether t is an existing Go type.
func IsBound(t Type) bool { _, ok := BoundType(t); return ok }

// IsText reports whether a type is text, or an enum of text.
func IsText(t Type) bool {
	switch t := Underlying(t).(type) {
	case *String:
		return true
	case *Enum:
		return t.Values[0].Value.Kind == Text
	}
	return false
}
