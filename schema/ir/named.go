package ir

// Named returns a document that holds only the declarations of d with a name: types, errors, methods, tools, resources and prompts. It is
// nil when there are none. Known lists the names of all.
func (d *Document) Named(name string) (part *Document, known []string) {
	part = &Document{File: d.File, Package: d.Package, Protocol: d.Protocol}
	found := false
	is := func(declared string) bool {
		known = append(known, declared)
		found = found || declared == name
		return declared == name
	}
	for _, t := range d.Types {
		if is(t.Name) {
			part.Types = append(part.Types, t)
		}
	}
	for _, e := range d.Errors {
		if is(e.Name) {
			part.Errors = append(part.Errors, e)
		}
	}
	for _, m := range d.Methods {
		if is(m.Name) {
			part.Methods = append(part.Methods, m)
		}
	}
	part.nameServer(d, is)
	if !found {
		part = nil
	}
	return part, known
}

// nameServer adds what d declares for MCP under a name.
func (d *Document) nameServer(from *Document, is func(string) bool) {
	for _, t := range from.Tools {
		if is(t.Name) {
			d.Tools = append(d.Tools, t)
		}
	}
	for _, r := range from.Resources {
		if is(r.Name) {
			d.Resources = append(d.Resources, r)
		}
	}
	for _, p := range from.Prompts {
		if is(p.Name) {
			d.Prompts = append(d.Prompts, p)
		}
	}
}
