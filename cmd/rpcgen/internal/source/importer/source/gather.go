package source

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// Whole is a source with all that it refers to in other files.
type Whole struct {
	Root     ir.Value
	moved    map[string]part       // what came of other files, by its pointer in root
	Troubles map[diag.Pos]*trouble // why references are not followed, by where they stand
	Meta     []string              // pointers of what stands for a schema of schemas
	Ignored  []string              // what says nothing to an import, by file and pointer
	Others   int                   // the size of the other files, in bytes
}

// part is a part of a file.
type part struct{ file, pointer string }

// gatherer makes definitions of what a source refers to in other files. Each part has one definition, so that circles of references end.
type gatherer struct {
	*siblings
	Whole
	places map[part]string // where parts of other files stand in the source
	queue  []queueEntry
	taken  map[string]bool        // names of definitions, after what holds them
	added  map[string][]ir.Member // definitions, by what holds them
}

// queueEntry is a part that is yet to be brought into the source.
type queueEntry struct {
	from *sibling
	Cursor
	component string
	name      string
}

// Gather brings what a source refers to in other files into it. Lists of tools and meta models have no such references.
func Gather(name string, root ir.Value, folder Folder) *Whole {
	g := &gatherer{siblings: newSiblings(folder, name, root), places: map[part]string{}, taken: map[string]bool{}, added: map[string][]ir.Member{}}
	g.Whole = Whole{Root: root, moved: map[string]part{}, Troubles: map[diag.Pos]*trouble{}}
	source := g.source.root
	if _, tools := ToolsOf(source); root.Kind != ir.Object || IsMetaModel(source) || tools && !source.Has("openrpc") {
		return &g.Whole
	}
	g.take(source, 0)
	if len(g.source.refs.resources) == 1 {
		g.adopt(source)
	}
	place := anySchema
	if source.Has("openrpc") {
		place = openRPCPlace
	}
	g.Root = g.rewrite(g.source, source, place, 0)
	for len(g.queue) > 0 {
		next := g.queue[0]
		g.queue = g.queue[1:]
		holder := g.holder(next.component)
		g.added[holder] = append(g.added[holder], ir.Member{Name: next.name, Value: g.copyPart(next.from, next.Cursor, next.component)})
	}
	g.insert()
	if len(g.byPath) == 1 && len(g.source.refs.within) == 1 {
		g.Root = itself(g.Root)
	}
	g.Whole.Ignored, g.Others = g.siblings.twice, g.size
	return &g.Whole
}

// itself writes $recursiveRef as $ref in a schema with no other one around it, to which it would lead: there both mean the schema itself.
func itself(s ir.Value) ir.Value {
	s = jsonschema.Rewrite(s, func(_ *jsonschema.Keyword, _ string, inner ir.Value) ir.Value { return itself(inner) })
	_, both := s.Get("$ref")
	for i, m := range s.Fields {
		if m.Name == "$recursiveRef" && m.Value.Text == "#" && !both {
			s.Fields[i].Name = "$ref"
		}
	}
	s.Fields = slices.DeleteFunc(s.Fields, func(m ir.Member) bool { return m.Name == "$recursiveAnchor" && m.Value.Kind == ir.Boolean })
	return s
}

// take notes the names that definitions of the source have, at any depth: a reference may be looked up in each of them.
func (g *gatherer) take(s Cursor, depth int) {
	if depth > Deepest {
		return
	}
	for _, m := range s.Members() {
		holder := g.holder("schemas")
		if s.Pointer == "/components" {
			holder = m.Pointer
		}
		if m.Name == "$defs" || m.Name == "definitions" || s.Pointer == "/components" {
			for _, d := range m.Members() {
				g.taken[holder+"/"+tree.NameOf(d.Name)] = true
			}
		}
		g.take(m.Cursor, depth+1)
	}
	for _, item := range s.Elements() {
		g.take(item, depth+1)
	}
}

// adopt has definitions of the source that only refer to a part of another file stand for that part.
func (g *gatherer) adopt(source Cursor) {
	holders := []string{"$defs", "definitions"}
	from := source
	if source.Has("openrpc") {
		from, _ = source.Get("components")
		holders = from.Names()
	}
	for _, holder := range holders {
		for _, d := range from.MembersOf(holder) {
			if !isAlias(d.Cursor) {
				continue
			}
			to, target, t := g.target(g.source, d.Cursor)
			if t != nil || to == g.source {
				continue
			}
			if is := (part{to.path, target.Pointer}); g.places[is] == "" {
				g.places[is] = d.Pointer
				g.noteMeta(to, d.Pointer)
			}
		}
	}
}

// isAlias reports whether a value does nothing but refer to another.
func isAlias(s Cursor) bool {
	return s.TextOf("$ref") != "" && !HasAny(s.Without([]string{"$ref"}), Checks)
}

// target is what a reference leads to at last, through definitions of other files that only refer on.
func (g *gatherer) target(from *sibling, s Cursor) (*sibling, Cursor, *trouble) {
	seen := map[part]bool{}
	for {
		to, next, t := g.follow(from, s, s.TextOf("$ref"))
		if t != nil || to == g.source || len(next.Fields) != 1 || !next.Has("$ref") {
			return to, next, t
		}
		is := part{to.path, next.Pointer}
		if seen[is] {
			return nil, Cursor{}, &trouble{"$ref " + Quote(s.TextOf("$ref")) + " goes in a circle", ""}
		}
		seen[is] = true
		from, s = to, next
	}
}

// place says what the values are that the members or items of a value are.
type refPlace struct {
	data      bool                 // a value that only looks like a schema
	named     bool                 // its members are schemas, by their names
	component string               // the kind of component that it is
	members   map[string]*refPlace // those of particular members; others are schemas
	each      *refPlace            // all members or items
}

var (
	anySchema = &refPlace{component: "schemas"}
	bySchema  = &refPlace{component: "schemas", named: true}
	anyData   = &refPlace{data: true}
)

// IsData reports whether a member of a schema holds a value that only looks like a schema.
func IsData(member string) bool {
	return member == "example" || jsonschema.KeywordOf(member).Holds == jsonschema.Data
}

// openRPCPlace says where an OpenRPC document has components.
var openRPCPlace = func() *refPlace {
	list := func(of *refPlace) *refPlace { return &refPlace{component: of.component, each: of} }
	value := &refPlace{component: "examples", members: map[string]*refPlace{"value": anyData}}
	pairing := &refPlace{component: "examplePairingObjects", members: map[string]*refPlace{"params": list(value), "result": value}}
	content := &refPlace{component: "contentDescriptors", members: map[string]*refPlace{}}
	failure := &refPlace{component: "errors", members: map[string]*refPlace{}}
	link := &refPlace{component: "links", members: map[string]*refPlace{"params": anyData}}
	tag := &refPlace{component: "tags", members: map[string]*refPlace{}}
	method := &refPlace{component: "methods", members: map[string]*refPlace{"params": list(content), "result": content, "errors": list(failure),
		"links": list(link),
		"tags":  list(tag), "examples": list(pairing), "servers": anyData}}
	components := &refPlace{component: "schemas", members: map[string]*refPlace{"schemas": bySchema, "contentDescriptors": list(content),
		"errors": list(failure), "links": list(link),
		"tags": list(tag), "examples": list(value), "examplePairingObjects": list(pairing), "examplePairings": list(pairing), "methods": list(method)}}
	return &refPlace{component: "schemas", members: map[string]*refPlace{"methods": list(method), "x-callbacks": list(method), "components": components}}
}()

// componentPlace says what a part of a kind of component is.
func componentPlace(component string) *refPlace {
	if component == "schemas" {
		return anySchema
	}
	if component == "methods" {
		return openRPCPlace.members["methods"].each
	}
	if p := openRPCPlace.members["components"].members[component]; p != nil {
		return p.each
	}
	return anySchema
}

// within is the place of a member, or of an item where the name is empty.
func (p *refPlace) within(name string) *refPlace {
	switch {
	case p.data:
		return anyData
	case p.each != nil:
		return p.each
	case p.named:
		return anySchema
	case p.members != nil && p.members[name] != nil:
		return p.members[name]
	case p.members == nil && IsData(name):
		return anyData
	case p.members == nil && jsonschema.KeywordOf(name).Holds == jsonschema.Map:
		return bySchema
	}
	return anySchema
}

// rewrite copies a value of a file, with references that lead to where things stand in the source.
func (g *gatherer) rewrite(from *sibling, s Cursor, p *refPlace, depth int) ir.Value {
	v := s.Value
	if p.data || depth > 2*Deepest {
		return v
	}
	if s.Kind == ir.Array {
		v.Items = slices.Clone(v.Items)
		for at, item := range s.Elements() {
			v.Items[at] = g.rewrite(from, item, cmp.Or(p.each, p), depth+1)
		}
		return v
	}
	if s.Kind != ir.Object {
		return v
	}
	isNamed := p.named || p.each != nil
	if from == g.source && !isNamed && isAlias(s) && g.adopts(s) {
		return g.adoptPart(s, p)
	}
	v.Fields = make([]ir.Member, 0, len(s.Fields))
	for _, m := range s.Members() {
		switch {
		case isNamed:
			v.Fields = append(v.Fields, ir.Member{Name: m.Name, Value: g.rewrite(from, m.Cursor, p.within(m.Name), depth+1)})
		case m.Name == "$ref" && m.Kind == ir.Text:
			v.Fields = append(v.Fields, ir.Member{Name: m.Name, Value: g.reference(from, s, m.Cursor, p.component)})
		case from != g.source && m.Name == "$dynamicRef":
			if fault := from.refs.Nowhere(s); fault != nil {
				g.Troubles[m.Pos] = &trouble{fault.Message, ""}
			}
			v.Fields = append(v.Fields, ir.Member{Name: "$recursiveRef", Value: m.Value}) // neither is followed: which schema it means depends on the file
		case from != g.source && (slices.Contains(ofFile, m.Name) || m.Name == from.refs.ID):
		default:
			v.Fields = append(v.Fields, ir.Member{Name: m.Name, Value: g.rewrite(from, m.Cursor, p.within(m.Name), depth+1)})
		}
	}
	if from.onlyRef != g.source.onlyRef && !isNamed {
		v = inDialect(v, from.onlyRef)
	}
	return v
}

// ofFile are keywords by which the references of a file are resolved: none of its references needs them any more.
var ofFile = []string{"$id", "$anchor", "$dynamicAnchor", "$schema", "$defs", "definitions", "$vocabulary"}

// inDialect keeps the siblings of a reference as it is meant: the drafts up to 07 ignore it, and later drafts do not.
func inDialect(v ir.Value, onlyRef bool) ir.Value {
	s := Cursor{Value: v}
	ref, ok := s.Get("$ref")
	rest := s.Without([]string{"$ref"})
	switch {
	case !ok || !HasAny(rest, Checks):
	case onlyRef:
		v.Fields = s.Without(Checks).Fields
		v.Fields = append(v.Fields, ir.Member{Name: "$ref", Value: ref.Value})
	default:
		only := ir.Value{Pos: v.Pos, Kind: ir.Object, Fields: []ir.Member{{Name: "$ref", Value: ref.Value}}}
		all, _ := rest.Get("allOf")
		v.Fields = append(rest.Without([]string{"allOf"}).Fields, ir.Member{Name: "allOf",
			Value: ir.Value{Pos: v.Pos, Kind: ir.Array, Items: append(slices.Clone(all.Items), only)}})
	}
	return v
}

// reference is the text of a reference in the source.
func (g *gatherer) reference(from *sibling, s, ref Cursor, component string) ir.Value {
	v := ref.Value
	to, target, t := g.target(from, s)
	switch {
	case t != nil:
		g.Troubles[ref.Pos] = t
	case to == g.source && from == g.source:
		if _, local, _ := from.refs.follow(s, ref.Text); !local {
			v.Text = fragment(target.Pointer) // it came back through another file
		}
	case to == g.source:
		v.Text = fragment(target.Pointer)
	default:
		v.Text = fragment(g.placeOf(to, target, component))
	}
	return v
}

// fragment is a reference by a pointer.
func fragment(pointer string) string { return "#" + (&url.URL{Fragment: pointer}).EscapedFragment() }

// adopts reports whether a definition of the source stands for a part of another file.
func (g *gatherer) adopts(s Cursor) bool {
	to, target, t := g.target(g.source, s)
	return t == nil && to != g.source && s.Pointer != "" && g.places[part{to.path, target.Pointer}] == s.Pointer
}

// adoptPart is the part that a definition of the source stands for, with the words of the definition.
func (g *gatherer) adoptPart(s Cursor, p *refPlace) ir.Value {
	to, target, _ := g.target(g.source, s)
	if !slices.Contains(g.Whole.Meta, s.Pointer) {
		g.moved[s.Pointer] = part{to.root.Pos.File, target.Pointer}
	}
	v := g.copyPart(to, target, p.component)
	if v.Kind != ir.Object || g.source.onlyRef {
		return v
	}
	words := s.Without([]string{"$ref"})
	v.Fields = append(slices.Clone(words.Fields), Cursor{Value: v}.Without(words.Names()).Fields...)
	return v
}

// copyPart is a part of another file as it stands in the source.
func (g *gatherer) copyPart(from *sibling, s Cursor, component string) ir.Value {
	return g.rewrite(from, s, componentPlace(component), 0)
}

// placeOf is the pointer in the source to a part of another file, which is brought there first if it is new.
func (g *gatherer) placeOf(to *sibling, target Cursor, component string) string {
	is := part{to.path, target.Pointer}
	if at := g.places[is]; at != "" {
		return at
	}
	name := g.nameFor(to, target, g.holder(component)+"/")
	at := g.holder(component) + "/" + name
	g.places[is] = at
	if !g.noteMeta(to, at) {
		g.moved[at] = part{to.root.Pos.File, target.Pointer}
	}
	g.queue = append(g.queue, queueEntry{to, target, component, name})
	return at
}

// noteMeta notes that a schema of schemas stands at a pointer, where a file is one, which it reports.
func (g *gatherer) noteMeta(to *sibling, at string) bool {
	meta := Part{in: to}.IsMeta()
	if meta {
		g.Whole.Meta = append(g.Whole.Meta, at)
	}
	return meta
}

// holder is the pointer of the object that new definitions of a kind go to.
func (g *gatherer) holder(component string) string {
	switch root := g.source.root; {
	case root.Has("openrpc"):
		return "/components/" + component
	case root.Has("definitions") && !root.Has("$defs"):
		return "/definitions"
	}
	return "/$defs"
}

// nameFor is a new name of a definition: its own where it has one and that is free, otherwise with that of its file before it.
func (g *gatherer) nameFor(to *sibling, target Cursor, holder string) string {
	stem, _, _ := strings.Cut(path.Base(to.path), ".")
	last := ir.UnescapePointer(path.Base(target.Pointer))
	name := tree.NameOf(last)
	if target.Pointer == "" {
		if last = target.TextOf("title"); last == "" {
			last = stem
		}
		name = tree.JoinWords(last)
	}
	for n, next := 2, tree.JoinWords(stem+" "+last); g.taken[holder+name]; n++ {
		name, next = next, tree.JoinWords(stem+" "+last)+strconv.Itoa(n)
	}
	g.taken[holder+name] = true
	return name
}

// insert adds the new definitions to the source.
func (g *gatherer) insert() {
	components := []string{"schemas"}
	if g.source.root.Has("openrpc") {
		components = []string{"schemas", "contentDescriptors", "errors", "links", "tags", "examples", "examplePairingObjects", "methods"}
	}
	for _, component := range components {
		if holder := g.holder(component); len(g.added[holder]) > 0 {
			g.Root = extendObject(g.Root, strings.Split(holder, "/")[1:], g.added[holder])
		}
	}
}

// extendObject is an object with more members in the object that a path leads to.
func extendObject(v ir.Value, path []string, more []ir.Member) ir.Value {
	if len(path) == 0 {
		v.Kind, v.Fields = ir.Object, slices.Concat(v.Fields, more)
		return v
	}
	inner, there := v.Get(path[0])
	if !there {
		inner.Pos = v.Pos
	}
	return v.Set(path[0], extendObject(inner, path[1:], more))
}

// origin is where a part of the source comes from, and the pointer there; the file is empty for the source itself.
func (g *Whole) origin(pointer string) part {
	for at := pointer; at != ""; at = at[:strings.LastIndex(at, "/")] {
		if from, ok := g.moved[at]; ok {
			return part{from.file, from.pointer + pointer[len(at):]}
		}
	}
	return part{"", pointer}
}

// Relocate gives faults the pointers of the files that they are in.
func (g *Whole) Relocate(err error) error {
	faults, ok := err.(Faults)
	if !ok || len(g.moved) == 0 {
		return err
	}
	for _, f := range faults {
		if from := g.origin(f.Pointer); from.file != "" && from.file == f.Pos.File {
			f.Pointer = from.pointer
		}
	}
	return faults
}

// RelocateReport gives what a report lists of other files their names and pointers.
func (g *Whole) RelocateReport(r *report.Report) {
	if len(g.moved) == 0 {
		return
	}
	to := func(pointer *string) {
		if from := g.origin(*pointer); from.file != "" {
			*pointer = from.file + "#" + from.pointer
		}
	}
	for _, list := range [][]report.Opaque{r.Checked, r.Additional, r.Opaque, r.Weakened} {
		for at := range list {
			to(&list[at].Pointer)
		}
	}
	for at := range r.Ignored {
		to(&r.Ignored[at])
	}
	for at := range r.Renamed {
		to(&r.Renamed[at].Pointer)
	}
	for at := range r.Called {
		to(&r.Called[at].Pointer)
	}
}
