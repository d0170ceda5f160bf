package source

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// References finds what references lead to: schemas by the `$id` around them, by anchors and by pointers.
type References struct {
	base      Cursor
	resources map[string]Cursor   // by URI, without a fragment
	anchors   map[string]Cursor   // by URI and fragment
	dynamic   map[string]int      // how many schemas bear a dynamic anchor
	bears     map[string][]string // the dynamic anchors of resources, by their URIs
	settled   map[string]bool     // pointers of schemas of which it is known that they do not depend on the scope
	within    map[string]*url.URL // of resources, by their pointers: what lies in one refers from there
	led       map[reference]referenceTarget
	onlyRef   bool   // what stands next to a reference says nothing
	ID        string // the keyword by which a schema calls itself
}

// referencesOf reads the ids and anchors of a schema document.
func referencesOf(base Cursor, onlyRef bool) *References {
	r := &References{base: base, resources: map[string]Cursor{}, anchors: map[string]Cursor{}, dynamic: map[string]int{}, bears: map[string][]string{},
		settled: map[string]bool{}, led: map[reference]referenceTarget{}, onlyRef: onlyRef, ID: "$id"}
	if strings.Contains(base.TextOf("$schema"), "json-schema.org/draft-04/") {
		r.ID = "id"
	}
	root := &url.URL{}
	r.within = map[string]*url.URL{base.Pointer: root}
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
			r.within[s.Pointer] = uri
		}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if name := s.TextOf(keyword); name != "" {
			r.anchors[around.String()+"#"+name] = s
		}
	}
	if name := s.TextOf("$dynamicAnchor"); name != "" {
		r.dynamic[name]++
		r.bears[around.String()] = append(r.bears[around.String()], name)
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
	for at := s.Pointer; len(at) > len(r.base.Pointer); at = at[:strings.LastIndexByte(at, '/')] {
		if uri := r.within[at]; uri != nil {
			return uri
		}
	}
	return r.within[r.base.Pointer]
}

// reference is the text of a reference, with the URI that it is of.
type reference struct {
	around *url.URL
	ref    string
}

// referenceTarget is what a reference leads to; local is false when that is in another document.
type referenceTarget struct {
	target    Cursor
	local, ok bool
}

// follow returns what a reference in s leads to; each is looked for once.
func (r *References) follow(s Cursor, ref string) (target Cursor, local, ok bool) {
	is := reference{r.around(s), ref}
	to, known := r.led[is]
	if !known {
		to.target, to.local, to.ok = r.find(is)
		r.led[is] = to
	}
	return to.target, to.local, to.ok
}

func (r *References) find(is reference) (target Cursor, local, ok bool) {
	ref := is.ref
	uri, err := is.around.Parse(ref)
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
		if _, written, _ := strings.Cut(ref, "#"); !ok { // tsoa does not escape what it takes for escaped
			target, ok = root.Follow(written)
		}
	default:
		target, ok = r.anchors[uri.String()+"#"+fragment]
	}
	return target, true, ok
}

// Scope says what dynamic anchors that several schemas bear mean: the first of a name that evaluation came past. The zero Scope is before all of them.
type Scope struct {
	Key string // by which scopes are compared
	is  map[string]Cursor
}

// Enter returns the scope in which what a schema refers to is found, which was entered in another one.
func (r *References) Enter(in Scope, s Cursor) Scope {
	uri := r.around(s).String()
	for _, name := range r.bears[uri] {
		if _, known := in.is[name]; known || r.dynamic[name] < 2 {
			continue
		}
		is := map[string]Cursor{name: r.anchors[uri+"#"+name]}
		maps.Copy(is, in.is)
		in = Scope{is: is}
		for _, name := range slices.Sorted(maps.Keys(is)) {
			in.Key += name + "\x00" + is[name].Pointer + "\x00"
		}
	}
	return in
}

// DynamicTarget is what a dynamic reference leads to in a scope.
func (r *References) DynamicTarget(s Cursor, ref string, in Scope) (Cursor, bool) {
	target, local, ok := r.follow(s, ref)
	if name, depends := r.depends(target, ref); depends && ok {
		if first, there := in.is[name]; there {
			return first, true
		}
	}
	return target, local && ok
}

// Nowhere is the fault of the dynamic reference of a schema, if it leads nowhere; nil if there is none, or if it leads to a schema or to another document.
func (r *References) Nowhere(s Cursor) *Fault {
	ref, is := s.Get("$dynamicRef")
	if _, local, ok := r.follow(s, ref.Text); !is || !local || ok {
		return nil
	}
	return &Fault{Pos: ref.Pos, Pointer: ref.Pointer, Message: "$dynamicRef " + Quote(ref.Text) + " leads nowhere"}
}

// depends reports whether the scope says what a dynamic reference leads to, by the dynamic anchor with a name: its own target has it, and others have, too.
func (r *References) depends(target Cursor, ref string) (name string, yes bool) {
	_, name, _ = strings.Cut(ref, "#")
	return name, r.dynamic[name] > 1 && target.TextOf("$dynamicAnchor") == name
}

// Scoped reports whether something that a schema holds or refers to depends on the scope, so that it means something else where it is referred to.
func (r *References) Scoped(s Cursor, work *Work) bool {
	if !slices.ContainsFunc(slices.Collect(maps.Values(r.dynamic)), func(n int) bool { return n > 1 }) {
		return false
	}
	seen := map[string]bool{}
	for todo := []Cursor{s}; len(todo) > 0; {
		s, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if seen[s.Pointer] || r.settled[s.Pointer] {
			continue
		}
		if !work.May(1) {
			return true
		}
		seen[s.Pointer] = true
		for _, keyword := range []string{"$ref", "$dynamicRef"} {
			if ref := s.TextOf(keyword); ref != "" {
				target, _, ok := r.follow(s, ref)
				if _, depends := r.depends(target, ref); depends && keyword == "$dynamicRef" {
					return true
				} else if ok {
					todo = append(todo, target)
				}
			}
		}
		EachInner(s, func(inner Cursor, _ int) {
			if !strings.HasPrefix(inner.Pointer, s.Pointer+"/$defs/") {
				todo = append(todo, inner)
			}
		})
	}
	maps.Copy(r.settled, seen)
	return false
}
