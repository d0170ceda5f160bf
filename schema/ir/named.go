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
