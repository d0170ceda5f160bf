package openapi

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	lazy "github.com/rpcgen-go/rpcgen/schema/text"
)

// shape is what a schema says of values in the end, through references and conjunctions. An object has the members of all its alternatives.
type shape struct {
	at       source.Part
	kind     string // object, map, array, string, integer, number, boolean, or any
	members  []shapeMember
	byName   map[string]int
	required map[string]bool
	items    *source.Part
	values   *source.Part // of a map, or of members that an object does not name
	named    *source.Part // the reference to the component that it is
	told     string
	enum     []string      // texts that it may be
	anyText  bool          // it may be a text that is not listed
	file     bool          // of binary content
	union    bool          // there are alternatives
	closed   bool          // an object has no other members
	expanded bool          // an identifier, or the object that it identifies
	kinds    []string      // all that it may be
	ruled    bool          // there are rules on an object as a whole
	lost     *source.Fault // why something that it says is not known, such as a reference that is not followed
}

// shapeMember is a member of an object.
type shapeMember struct {
	source.Part
	name string
}

// wholeRules are the keywords on an object as a whole that say more than its members do.
var wholeRules = slices.Concat(source.MemberKeywords, []string{"patternProperties", "enum", "const"})

// mostParts bounds the schemas that are put together for one.
const mostParts = 2000

// shaper puts a shape together.
type shaper struct {
	l      *lowering
	s      *shape
	seen   map[string]bool
	listed map[string]bool // texts that it may be
	kind   map[string]bool // those that it may be
	mixed  map[int]bool    // members of which alternatives say different things
	tags   bool            // a discriminator tells alternatives apart
	n      int
}

// shapeKey is a schema with a shape, or a component that schemas refer to.
type shapeKey struct {
	of       source.ObjectID
	referred bool
}

// shapeOf puts the shape of a schema together, once for all that refer to a component. Without work left, it is any.
func (l *lowering) shapeOf(at source.Part) *shape {
	if !l.work.Do(1) {
		l.fail(endFault(at))
		return &shape{at: at, kind: "any"}
	}
	if plain, fault := at.Plain(); fault == nil {
		at = plain
	}
	is := shapeKey{}
	if to, fault := l.d.files.Follow(at); fault == nil && len(to.Fields) > 0 && (len(at.Fields) == 1 || l.d.old) {
		is = shapeKey{to.ID(), true}
	} else if len(at.Fields) > 0 {
		is.of = at.ID()
	}
	if known, ok := l.shapes[is]; ok {
		if known.at = at; is.referred {
			known.named = &at
		}
		return &known
	}
	b := shaper{l: l, s: &shape{at: at, byName: map[string]int{}, required: map[string]bool{}}, seen: map[string]bool{}, listed: map[string]bool{},
		mixed: map[int]bool{}, kind: map[string]bool{}}
	b.s.named = soleRef(at)
	b.add(at, true, false)
	if b.settle(); b.s.lost != nil {
		b.s.named = nil
	} else if len(at.Fields) > 0 {
		l.shapes[is] = *b.s
	}
	return b.s
}

// soleRef is the reference that a schema is, or is but for words and null; nil if it is none.
func soleRef(at source.Part) *source.Part {
	for range source.Deepest {
		if at.Has("$ref") {
			return &at
		}
		branches := slices.Concat(at.ElementsOf("allOf"), at.ElementsOf("oneOf"), at.ElementsOf("anyOf"))
		branches = slices.DeleteFunc(branches, func(s source.Cursor) bool { return s.TextOf("type") == "null" })
		if len(branches) != 1 || at.Has("properties") {
			return nil
		}
		at = at.Of(branches[0])
	}
	return nil
}

// add adds what a schema says. All reports whether every value fits it, and not one alternative of several; base, whether what adds to it is left out.
func (b *shaper) add(at source.Part, all, base bool) {
	if b.n++; b.n > mostParts || at.Kind != ir.Object {
		return
	}
	at, fault := at.Plain()
	if fault != nil {
		b.s.lost = fault
		return
	}
	if at.Has("$ref") {
		target, fault := b.l.d.files.Follow(at)
		if fault != nil {
			b.s.lost = fault
			return
		}
		if is := placeOf(target); !b.seen[is] {
			b.seen[is] = true
			b.add(target, all, base)
		}
		if b.l.d.old {
			return
		}
	}
	if b.s.told == "" {
		b.s.told = at.TextOf("description")
	}
	f := b.l.familyOf(at)
	b.tags = b.tags || propertyOf(at) != "" || f != nil && f.discriminator.Kind == ir.Object
	b.l.tagMapping(at) // which notes what is not used
	for _, keyword := range []string{"allOf", "oneOf", "anyOf"} {
		branches := at.ElementsOf(keyword)
		for _, branch := range branches {
			b.add(at.Of(branch), all && keyword == "allOf", keyword == "allOf" && f != nil && f.child)
		}
		b.s.union = b.s.union || keyword != "allOf" && len(branches) > 1
	}
	b.s.expanded = b.s.expanded || at.Has("x-expansionResources")
	b.object(at, all)
	b.rest(at)
	if f == nil || base {
		return
	}
	for _, child := range b.l.additions(at) {
		if is := placeOf(child); !b.seen[is] {
			b.seen[is], b.s.union = true, true
			b.add(child, false, false)
		}
	}
}

// object adds the members of an object.
func (b *shaper) object(at source.Part, all bool) {
	properties, _ := at.Sub("properties")
	b.l.work.Do(source.OfJoined + len(properties.Fields))
	for _, p := range properties.Members() {
		if i, there := b.s.byName[p.Name]; there {
			if len(b.s.members[i].Fields) == 0 {
				b.s.members[i].Part = properties.Of(p.Cursor)
			} else if !all && b.tags {
				b.mix(i, properties.Of(p.Cursor))
			}
			continue
		}
		b.s.byName[p.Name] = len(b.s.members)
		b.s.members = append(b.s.members, shapeMember{properties.Of(p.Cursor), p.Name})
	}
	for _, name := range at.ElementsOf("required") {
		if all && name.Kind == ir.Text {
			b.s.required[name.Text] = true
		}
	}
	extra, ok := at.Sub("additionalProperties")
	b.s.closed = b.s.closed || extra.Text == "false"
	if ok && extra.Text != "false" && b.s.values == nil {
		b.s.values = &extra
		b.kind["object"] = true
	}
	if len(properties.Fields) > 0 {
		b.kind["object"] = true
	}
	b.s.ruled = b.s.ruled || source.HasAny(at.Cursor, wholeRules)
}

// mix adds what another alternative says of a member, where its type or its values are others.
func (b *shaper) mix(i int, p source.Part) {
	was := b.s.members[i].Part
	known := []ir.Value{was.Value}
	if b.mixed[i] {
		known = was.Value.Fields[0].Value.Items
	}
	lists := func(v ir.Value) bool { return source.HasAny(source.Cursor{Value: v}, []string{"enum", "const"}) }
	same := func(v ir.Value) bool {
		alike := source.Cursor{Value: v}.TextOf("type") == p.TextOf("type") && !(lists(v) && lists(p.Value))
		return alike || convert.SameValue(v, p.Value)
	}
	if was.File() != p.File() || len(known) > mostValues || slices.ContainsFunc(known, same) {
		return
	}
	v := object(p, member("anyOf", ir.Value{Pos: p.Pos, Kind: ir.Array, Items: append(slices.Clone(known), p.Value)}))
	b.mixed[i], b.s.members[i].Part = true, p.Of(source.Cursor{Value: v, Pointer: p.Pointer, Index: p.Index})
}

// rest adds kinds, items and values.
func (b *shaper) rest(at source.Part) {
	t, typed := at.Get("type")
	for _, item := range append(t.Elements(), t) {
		switch {
		case item.Kind != ir.Text, item.Text == "null":
		case item.Text == "file":
			b.kind["string"], b.s.file = true, true
		case !slices.Contains(scalars, item.Text) && item.Text != "object" && item.Text != "array":
			b.s.lost = &source.Fault{Pos: item.Pos, Message: source.Quote(item.Text) + " is not a type of JSON Schema"}
		default:
			b.kind[item.Text] = true
		}
	}
	if items, ok := at.Sub("items"); ok {
		b.kind["array"] = true
		if b.s.items == nil {
			b.s.items = &items
		}
	}
	if f := at.TextOf("format"); f == "binary" || at.Has("contentMediaType") && f == "" && at.TextOf("contentEncoding") == "" && at.TextOf("type") == "string" {
		b.s.file = true
	}
	values, _ := at.Get("enum")
	if one, ok := at.Get("const"); ok {
		values.Items = append(values.Items, one.Value)
	}
	b.s.anyText = b.s.anyText || len(values.Items) == 0 && slices.ContainsFunc(append(t.Elements(), t),
		func(c source.Cursor) bool { return c.Text == "string" || c.Text == "file" })
	for _, v := range asTyped(at, values.Value).Items {
		if !typed && v.Kind != ir.Null {
			b.kind[v.Kind.String()] = true
		}
		if v.Kind == ir.Text && !b.listed[v.Text] {
			b.listed[v.Text] = true
			b.s.enum = append(b.s.enum, v.Text)
		}
	}
}

// settle decides for a kind.
func (b *shaper) settle() {
	s := b.s
	if b.kind["number"] {
		delete(b.kind, "integer")
	}
	kinds := slices.Sorted(maps.Keys(b.kind))
	s.kinds = kinds
	switch {
	case len(kinds) == 1:
		s.kind = kinds[0]
	case slices.Equal(kinds, []string{"object", "string"}) && s.expanded:
		s.kind = "string"
	case slices.Equal(kinds, []string{"object", "string"}):
		s.kind = "string or object"
	default:
		s.kind = "any"
	}
	if s.kind == "object" && len(s.members) == 0 {
		s.kind = "map"
	}
}

// identityNames are the members that are kept of an object that lies deeper than an answer is followed.
var identityNames = []string{"id", "name", "login", "key", "number", "title", "state", "status", "type", "slug", "code", "email", "url", "html_url", "uid"}

// identifies reports whether a member of this name, in any case, is one of them.
func identifies(name string) bool { return slices.Contains(identityNames, strings.ToLower(name)) }

// titleNames are those of them that say to a person what an object is.
var titleNames = []string{"name", "login", "key", "title", "slug", "email", "url", "html_url"}

// tellingMember is the member that says what an object is, where none of those above does: a text that is called as the object is, such as domain in each of
// domains, or the only one that is not a time, an identifier or one of a few words. It is empty if there is none.
func (l *lowering) tellingMember(s *shape) string {
	if slices.ContainsFunc(s.members, func(m shapeMember) bool { return slices.Contains(titleNames, strings.ToLower(m.name)) }) {
		return ""
	}
	words := " " + strings.Join(wordsWithin(strings.Split(s.at.Pointer, "/")[1:]), " ")
	var texts []string
	for _, m := range s.members {
		is, called := l.shapeOf(m.Part), " "+strings.Join(wordsOf(m.name), " ")
		switch {
		case is.kind != "string" || identifies(m.name) || called == " ":
		case strings.HasSuffix(words, called), slices.Contains(l.listed[placeOf(s.at)], called):
			return m.name
		case len(is.enum) == 0 && !strings.HasPrefix(is.at.TextOf("format"), "date") && !strings.HasSuffix(called, " id") && !strings.HasSuffix(called, " at"):
			texts = append(texts, m.name)
		}
	}
	if len(texts) != 1 {
		return ""
	}
	return texts[0]
}

var scalars = []string{"string", "integer", "number", "boolean"}

// answer is a tolerant schema of an answer: nothing is required or null, and texts are any texts. It reports false if none is left, since it lies too deep.
func (l *lowering) answer(at source.Part, room int) (ir.Value, bool) {
	if !l.work.Do(source.OfValue) {
		l.fail(endFault(at))
		return boolean(true), true
	}
	s, is := l.shapeOf(at), at.File()+"#"+at.Pointer+" "+strconv.Itoa(room)
	if l.open[is] {
		s.kind, s.lost = "any", &source.Fault{Pos: at.Pos, Message: "what it lists or maps is itself"}
	} else {
		l.open[is] = true
		defer delete(l.open, is)
	}
	switch {
	case slices.Contains(scalars, s.kind):
		return l.scalar(s), true
	case s.kind == "any", s.kind == "string or object":
		return l.describe(object(at), s), room >= 0
	case s.kind == "array":
		v := l.describe(ofType(at, "array"), s)
		if s.items == nil {
			return v, room >= 0
		}
		items, ok := l.answer(*s.items, room)
		v.Fields = append(v.Fields, member("items", items))
		return v, ok
	case s.kind == "map":
		return l.answerMap(s, room)
	case room < 0:
		return ir.Value{}, false
	}
	if s.named != nil {
		v, d := l.reference(*s.named, role{answer: true, room: room})
		return v, d != nil && !d.empty
	}
	v, empty := l.answerObject(s, room)
	return v, !empty
}

// answerMap is a map by names that are not known.
func (l *lowering) answerMap(s *shape, room int) (ir.Value, bool) {
	v := l.describe(ofType(s.at, "object"), s)
	values := boolean(true)
	if s.values != nil && s.values.Kind == ir.Object && len(s.values.Fields) > 0 {
		var ok bool
		if values, ok = l.answer(*s.values, room); !ok {
			return v, false
		}
	}
	v.Fields = append(v.Fields, member("additionalProperties", values))
	return v, room >= 0
}

// answerObject is the object of an answer: without room, the members that identify it, or else all texts, numbers and booleans. It reports if none is left.
func (l *lowering) answerObject(s *shape, room int) (v ir.Value, empty bool) {
	if s.kind != "object" {
		v, ok := l.answerOther(s, room)
		return v, !ok
	}
	properties := object(s.at)
	identified := slices.ContainsFunc(s.members, func(m shapeMember) bool {
		return identifies(m.name) && slices.Contains(scalars, l.shapeOf(m.Part).kind)
	})
	telling := ""
	if room == 0 && identified {
		telling = l.tellingMember(s)
	}
	for _, m := range s.members {
		if m.IsTrue("writeOnly") {
			continue
		}
		if m.name == "" {
			l.said.Notes = append(l.said.Notes, "a member without a name, of "+nameAt(s.at)+", is left out of the answers")
			continue
		}
		if room == 0 && identified && !identifies(m.name) && m.name != telling {
			l.cutMember(s)
			continue
		}
		if items, ok := m.Sub("items"); ok && items.Has("$ref") {
			if to, fault := l.d.files.Follow(items); fault == nil {
				l.listed[placeOf(to)] = append(l.listed[placeOf(to)], singular(" "+strings.Join(wordsOf(m.name), " ")))
			}
		}
		is, ok := l.answer(m.Part, room-1)
		if !ok || room == 0 && !slices.Contains(scalars, l.shapeOf(m.Part).kind) {
			l.cutMember(s)
			continue
		}
		properties.Fields = append(properties.Fields, member(m.name, is))
	}
	v = l.describe(ofType(s.at, "object"), s)
	v.Fields = append(v.Fields, member("properties", properties))
	return v, len(properties.Fields) == 0
}

// answerOther is a component of an answer that is not an object.
func (l *lowering) answerOther(s *shape, room int) (ir.Value, bool) {
	at := s.at
	if next, fault := l.d.resolve(at); fault == nil {
		at = next
	}
	return l.answer(at, room)
}

// cutMember counts a member that is left out because it lies too deep.
func (l *lowering) cutMember(s *shape) {
	l.said.Cut++
	l.cuts[nameAt(s.at)]++
}

// mostValues is how many values a description lists.
const mostValues = 12

// scalar is a text, a number or a boolean of an answer.
func (l *lowering) scalar(s *shape) ir.Value {
	v := l.describe(l.answeredNumber(ofType(s.at, s.kind)), s)
	if n := len(s.enum); n > 0 && n <= mostValues {
		shown := slices.Clone(s.enum)
		if at := slices.Index(shown, ""); at >= 0 {
			shown[at] = `""`
		}
		list := "One of " + strings.Join(shown, ", ") + "."
		if n == 1 {
			list = "Always " + shown[0] + "."
		}
		if len(list) <= longestField {
			v.Fields = slices.DeleteFunc(v.Fields, func(m ir.Member) bool { return m.Name == "description" })
			if told := l.o.shorten(s.told, longestField); told != "" && slices.ContainsFunc(s.enum, func(v string) bool { return !strings.Contains(told, v) }) {
				list = lazy.Sentences(told, list)
			} else if told != "" {
				list = told
			}
			v.Fields = append(v.Fields, member("description", text(list)))
		}
	}
	return v
}

// answeredNumber is the schema of a number of an answer. That of a protobuf API may be a text, for values that JSON has no numbers for.
func (l *lowering) answeredNumber(v ir.Value) ir.Value {
	if !l.d.ours || (source.Cursor{Value: v}).TextOf("type") != "number" {
		return v
	}
	words := ir.Value{Kind: ir.Array, Items: []ir.Value{text("NaN"), text("Infinity"), text("-Infinity")}}
	either := []ir.Value{v, {Pos: v.Pos, Kind: ir.Object, Fields: []ir.Member{member("type", text("string")), member("enum", words)}}}
	return ir.Value{Pos: v.Pos, Kind: ir.Object, Fields: []ir.Member{member("anyOf", ir.Value{Pos: v.Pos, Kind: ir.Array, Items: either})}}
}

// describe adds what a schema says of its values. Of what it refers to and is not there, nothing is known.
func (l *lowering) describe(v ir.Value, s *shape) ir.Value {
	if s.lost != nil {
		if is := s.lost.Message + " (" + s.lost.Pos.String() + ")"; !slices.Contains(l.said.Unknown, is) {
			l.said.Unknown = append(l.said.Unknown, is)
		}
	}
	if told := l.o.shorten(s.told, longestField); told != "" {
		v.Fields = append(v.Fields, member("description", text(told)))
	}
	return v
}

// measure returns the size of a schema with all that it refers to, in bytes, how deep it is, how many members it has, and whether it contains itself.
func measure(v ir.Value, refs []*def) (size, depth int, recursive bool) {
	size = len(v.String())
	deep := map[*def]int{}
	var walk func(d *def) int
	const open = -1
	walk = func(d *def) int {
		if known, ok := deep[d]; ok {
			recursive = recursive || known == open
			return max(known, 0)
		}
		deep[d] = open
		size += d.size
		inner := 0
		for _, r := range d.refs {
			inner = max(inner, walk(r))
		}
		deep[d] = d.depth + inner
		return deep[d]
	}
	for _, r := range refs {
		depth = max(depth, walk(r))
	}
	return size, depth + depthOf(v), recursive
}
