package importer

import (
	"net/url"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// references finds what references lead to: schemas by the `$id` around them, by anchors and by pointers.
type references struct {
	base      cursor
	resources map[string]cursor // by URI, without a fragment
	anchors   map[string]cursor // by URI and fragment
	dynamic   map[string]int    // how many schemas bear a dynamic anchor
	within    []resource
	id        string // the keyword by which a schema calls itself
}

// resource is a schema with an `$id`: what lies in it refers from there.
type resource struct {
	pointer string
	uri     *url.URL
}

// referencesOf reads the ids and anchors of a schema document.
func referencesOf(base cursor) *references {
	r := &references{base: base, resources: map[string]cursor{}, anchors: map[string]cursor{}, dynamic: map[string]int{}, id: "$id"}
	if strings.Contains(base.text("$schema"), "json-schema.org/draft-04/") {
		r.id = "id"
	}
	root := &url.URL{}
	r.within = append(r.within, resource{base.pointer, root})
	r.resources[""] = base
	r.read(base, root, 0)
	return r
}

// read notes the id and anchors of a value and of what lies in it. Only data can hold what merely looks like one.
func (r *references) read(s cursor, around *url.URL, depth int) {
	if depth > deepest {
		return
	}
	if id := s.text(r.id); id != "" {
		if name, anchor := strings.CutPrefix(id, "#"); anchor { // as in draft-07
			r.anchors[around.String()+"#"+name] = s
		} else if uri, err := around.Parse(id); err == nil {
			uri.Fragment = ""
			around = uri
			r.resources[uri.String()] = s
			r.within = append(r.within, resource{s.pointer, uri})
		}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if name := s.text(keyword); name != "" {
			r.anchors[around.String()+"#"+name] = s
		}
	}
	if name := s.text("$dynamicAnchor"); name != "" {
		r.dynamic[name]++
	}
	for _, item := range s.items() {
		r.read(item, around, depth+1)
	}
	for _, m := range s.members() {
		switch m.name {
		case "const", "enum", "default", "examples":
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			for _, named := range m.members() {
				r.read(named.cursor, around, depth+2)
			}
		default:
			r.read(m.cursor, around, depth+1)
		}
	}
}

// around is the URI that a schema refers from.
func (r *references) around(s cursor) *url.URL {
	best := r.within[0]
	for _, w := range r.within[1:] {
		if len(w.pointer) >= len(best.pointer) && (s.pointer == w.pointer || strings.HasPrefix(s.pointer, w.pointer+"/")) {
			best = w
		}
	}
	return best.uri
}

// follow returns what a reference in s leads to; local is false when that is in another document.
func (r *references) follow(s cursor, ref string) (target cursor, local, ok bool) {
	uri, err := r.around(s).Parse(ref)
	if err != nil {
		return cursor{}, true, false
	}
	fragment := uri.Fragment
	uri.Fragment, uri.RawFragment = "", ""
	root, local := r.resources[uri.String()]
	if !local && strings.HasPrefix(ref, "#") {
		root, local = r.base, true
	}
	switch {
	case !local:
		return cursor{}, false, false
	case fragment == "" || fragment[0] == '/':
		if target, ok = root.follow(fragment); !ok {
			target, ok = r.base.follow(fragment)
		}
	default:
		target, ok = r.anchors[uri.String()+"#"+fragment]
	}
	return target, true, ok
}

// dynamicTarget is what a dynamic reference leads to, where only one schema can be meant.
func (r *references) dynamicTarget(s cursor, ref string) (cursor, bool) {
	_, name, _ := strings.Cut(ref, "#")
	target, _, ok := r.follow(s, ref)
	return target, ok && (r.dynamic[name] == 1 || target.text("$dynamicAnchor") != name)
}

// resolver reads the schemas of one document as they are: what they refer to, and what they admit. It converts nothing.
type resolver struct {
	draft7   bool
	early    bool                  // the source names draft-07 or an earlier draft
	base     cursor                // what a reference that begins with # is resolved from
	troubles map[diag.Pos]*trouble // references that cannot be followed
	admits   map[objectID][]string // the JSON kinds that schemas admit, see kindsOf
}

// refersTo returns what the `$ref` of s leads to, and the fault otherwise.
func (r *resolver) refersTo(s cursor) (target cursor, message, help string) {
	ref, _ := s.get("$ref")
	if ref.Kind != ir.Text {
		return cursor{}, "$ref must be text, not " + ref.Kind.String(), ""
	}
	if t := r.troubles[ref.Pos]; t != nil {
		return cursor{}, t.message, t.help
	}
	target, local, ok := r.references().follow(s, ref.Text)
	switch {
	case !local:
		return cursor{}, "$ref " + quoted(ref.Text) + " leads out of this file", "bring the definition into this file first: nothing is fetched"
	case !ok:
		return cursor{}, "$ref " + quoted(ref.Text) + " leads nowhere", ""
	}
	return target, "", ""
}

// references are those of the document that is being converted.
func (r *resolver) references() *references {
	if r.base.index.references == nil {
		r.base.index.references = map[string]*references{}
	}
	found := r.base.index.references[r.base.pointer]
	if found == nil {
		found = referencesOf(r.base)
		r.base.index.references[r.base.pointer] = found
	}
	return found
}
