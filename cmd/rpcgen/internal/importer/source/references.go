package source

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// References finds what references lead to: schemas by the `$id` around them, by anchors and by pointers.
type References struct {
	base      Cursor
	resources map[string]Cursor // by URI, without a fragment
	anchors   map[string]Cursor // by URI and fragment
	dynamic   map[string]int    // how many schemas bear a dynamic anchor
	within    []resource
	onlyRef   bool   // what stands next to a reference says nothing
	ID        string // the keyword by which a schema calls itself
}

// resource is a schema with an `$id`: what lies in it refers from there.
type resource struct {
	pointer string
	uri     *url.URL
}

// referencesOf reads the ids and anchors of a schema document.
func referencesOf(base Cursor, onlyRef bool) *References {
	r := &References{base: base, resources: map[string]Cursor{}, anchors: map[string]Cursor{}, dynamic: map[string]int{}, onlyRef: onlyRef, ID: "$id"}
	if strings.Contains(base.TextOf("$schema"), "json-schema.org/draft-04/") {
		r.ID = "id"
	}
	root := &url.URL{}
	r.within = append(r.within, resource{base.Pointer, root})
	r.resources[""] = base
	r.read(base, root, 0)
	return r
}

// read notes the id and anchors of a value and of what lies in it. Only data can hold what merely looks like one.
func (r *References) read(s Cursor, around *url.URL, depth int) {
	if depth > Deepest {
		return
	}
	if id := s.TextOf(r.ID); id != "" && !(r.onlyRef && depth > 0 && s.TextOf("$ref") != "") {
		if name, anchor := strings.CutPrefix(id, "#"); anchor { // as in draft-07
			r.anchors[around.String()+"#"+name] = s
		} else if uri, err := around.Parse(id); err == nil {
			uri.Fragment = ""
			around = uri
			r.resources[uri.String()] = s
			r.within = append(r.within, resource{s.Pointer, uri})
		}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if name := s.TextOf(keyword); name != "" {
			r.anchors[around.String()+"#"+name] = s
		}
	}
	if name := s.TextOf("$dynamicAnchor"); name != "" {
		r.dynamic[name]++
	}
	EachInner(s, func(inner Cursor, deeper int) { r.read(inner, around, depth+deeper) })
}

// EachInner visits what lies in a value and may be a schema, or hold some, and says how much deeper it lies. Data and scalars are left out.
func EachInner(s Cursor, visit func(inner Cursor, deeper int)) {
	for i, item := range s.Items {
		if len(item.Fields)+len(item.Items) > 0 {
			visit(s.at(item, strconv.Itoa(i)), 1)
		}
	}
	for _, m := range s.Fields {
		if len(m.Value.Fields)+len(m.Value.Items) == 0 {
			continue
		}
		switch {
		case IsData(m.Name):
		case jsonschema.KeywordOf(m.Name).Holds == jsonschema.Map:
			all := s.at(m.Value, m.Name)
			for _, named := range all.Members() {
				visit(named.Cursor, 2)
			}
		default:
			visit(s.at(m.Value, ir.EscapePointer(m.Name)), 1)
		}
	}
}

// around is the URI that a schema refers from.
func (r *References) around(s Cursor) *url.URL {
	best := r.within[0]
	for _, w := range r.within[1:] {
		if len(w.pointer) >= len(best.pointer) && (s.Pointer == w.pointer || strings.HasPrefix(s.Pointer, w.pointer+"/")) {
			best = w
		}
	}
	return best.uri
}

// follow returns what a reference in s leads to; local is false when that is in another document.
func (r *References) follow(s Cursor, ref string) (target Cursor, local, ok bool) {
	uri, err := r.around(s).Parse(ref)
	if err != nil {
		return Cursor{}, true, false
	}
	fragment := uri.Fragment
	uri.Fragment, uri.RawFragment = "", ""
	root, local := r.resources[uri.String()]
	if !local && strings.HasPrefix(ref, "#") {
		root, local = r.base, true
	}
	switch {
	case !local:
		return Cursor{}, false, false
	case fragment == "" || fragment[0] == '/':
		if target, ok = root.Follow(fragment); !ok {
			target, ok = r.base.Follow(fragment)
		}
	default:
		target, ok = r.anchors[uri.String()+"#"+fragment]
	}
	return target, true, ok
}

// DynamicTarget is what a dynamic reference leads to, where only one schema can be meant.
func (r *References) DynamicTarget(s Cursor, ref string) (Cursor, bool) {
	_, name, _ := strings.Cut(ref, "#")
	target, _, ok := r.follow(s, ref)
	return target, ok && (r.dynamic[name] == 1 || target.TextOf("$dynamicAnchor") != name)
}
