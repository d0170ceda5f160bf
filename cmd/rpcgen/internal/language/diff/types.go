package diff

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// typeGone reports a type that is gone. What used it is reported where it is used, so that nothing is lost on the wire here.
func (c *comparer) typeGone(o *ir.Decl) {
	s := scope{path: c.doc.path("types", o.Name), old: o.Pos, uses: uses{moved: true}}
	judged := Judgement{OK, "it had no Go type"}
	if name := c.names.old.Declared(o); name != "" {
		judged = Judgement{Break, name + " is gone"}
	}
	c.emit(s, TypeRemoved, kindOf(o.Type), "", "the type is gone", relation{}, judged)
}

func (c *comparer) typeAdded(n *ir.Decl) {
	s := scope{path: c.doc.path("types", n.Name), new: n.Pos, uses: uses{moved: true}}
	c.emit(s, TypeAdded, "", kindOf(n.Type), "a new "+kindOf(n.Type), relation{}, Judgement{OK, "it only adds to the package"})
}

// declaration compares two versions of one type.
func (c *comparer) declaration(o, n *ir.Decl) {
	s := scope{path: c.doc.path("types", n.Name), old: o.Pos, new: n.Pos, uses: c.traffic.commonUses(o, n)}
	before, after := c.names.old.Declared(o), c.names.new.Declared(n)
	c.rename(s.holds(before, after), TypeRenamed, o.Name, n.Name, before, after, relation{})
	c.types.ownJSON(s, c.names.old.Tags(o, nil), c.names.new.Tags(n, nil))
	s = s.holds(c.names.old.Under(o), c.names.new.Under(n))
	s.ordered = slices.ContainsFunc(c.doc.new.Methods, func(m *ir.Method) bool {
		ref, ok := m.Params.(*ir.Ref)
		return ok && ref.Decl == n && c.pairing.methods[m] != nil && c.doc.byPosition(c.pairing.methods[m], m)
	})
	if s.uses.unreached && (ir.IsContextual(o.Type) != ir.IsContextual(n.Type)) {
		s.uses = uses{moved: true} // it stood for messages that no method names
	}
	c.meta(s, o.Meta, n.Meta)
	c.types.compare(s, o.Type, n.Type)
}

// ownJSON compares what encoding/json adds to a value that no message holds. Messages stay as they are.
func (c *typeComparer) ownJSON(s scope, was, is string) {
	if was != is && was != "" && is != "" {
		c.emit(s.below("json"), OwnJSON, was, is, changeWords("what json.Marshal adds to it", was, is), relation{},
			Judgement{Break, "a value by itself is another text, which matters where it is kept; runtime.MarshalUnion writes it as messages have it"})
	}
}

// rename compares the names of something: was and is in the schemas, before and after in Go. It returns the change of its name in the schema, if that is one.
func (c *recorder) rename(s scope, kind Kind, was, is, before, after string, r relation) *Change {
	switch judged := judgeRename(before, after); {
	case was != is:
		return c.emit(s, kind, was, is, "it was called "+was, r, judged)
	case before != after:
		c.emit(s, NameInGo, before, after, changeWords("its name in Go", before, after), relation{}, judged)
	}
	return nil
}

func judgeRename(before, after string) Judgement {
	switch {
	case before == after:
		return Judgement{OK, "its name in Go stays"}
	case before == "":
		return Judgement{OK, "it only adds to the package"}
	case after == "":
		return Judgement{Break, before + " is gone"}
	}
	return Judgement{Break, "it is " + after + " in Go, and was " + before}
}

// typeComparer compares types, wherever they stand: it knows no documents.
type typeComparer struct {
	*recorder
	pairing *pairing
	names   bothNames
}

// compare compares two types. Neither may be nil.
func (c *typeComparer) compare(s scope, old, new ir.Type) {
	c.note(s, old, new)
	switch o := old.(type) {
	case *ir.Nullable:
		if n, ok := new.(*ir.Nullable); ok {
			c.compare(s, o.Elem, n.Elem)
		} else if takesNull(new) {
			c.reportReplacement(s, old, new)
		} else {
			c.emit(s, NullChanged, "null", "", "it may no longer be null", relation{lost: "null"})
			c.compare(s.holds("", ""), o.Elem, new)
		}
		return
	case *ir.Ref:
		if n, ok := new.(*ir.Ref); ok && c.pairing.types[n.Decl] == o.Decl {
			c.rules(s, o.Rules, n.Rules)
			return
		}
	}
	if n, ok := new.(*ir.Nullable); ok && !takesNull(old) {
		c.emit(s, NullChanged, "", "null", "it may be null now", relation{gained: "null"})
		c.compare(s.holds("", ""), old, n.Elem)
		return
	}
	c.alike(s, old, new)
}

// note compares what is said of a type that nothing else carries.
func (c *typeComparer) note(s scope, old, new ir.Type) {
	was, is := cmp.Or(ir.NoteOf(old), &ir.Meta{}), cmp.Or(ir.NoteOf(new), &ir.Meta{})
	c.meta(s.at(was.Pos, is.Pos), *was, *is)
}

// alike compares types of one kind part by part, and others as a whole.
func (c *typeComparer) alike(s scope, old, new ir.Type) {
	if c.tuples(s, old, new) || c.unions(s, old, new) {
		return
	}
	if holdsMany(old) && ir.Word(old) == ir.Word(new) {
		what := "values"
		if ir.IsArray(old) {
			what = "items"
		}
		o, n := ir.Elem(old), ir.Elem(new)
		c.rules(s, ir.RulesOf(old), ir.RulesOf(new))
		c.compare(c.element(s, what, o, n), o, n)
		return
	}
	switch o := old.(type) {
	case *ir.Struct:
		if n, ok := new.(*ir.Struct); ok {
			c.structs(s, o, n)
			return
		}
	case *ir.Enum:
		if n, ok := new.(*ir.Enum); ok && o.Values[0].Value.Kind == n.Values[0].Value.Kind {
			c.enums(s, o, n)
			return
		}
	default:
		if plain(old) && plain(new) && typeWords(old) == typeWords(new) {
			c.rules(s, ir.RulesOf(old), ir.RulesOf(new))
			return
		}
	}
	if c.moved(s, old, new) {
		return
	}
	c.reportReplacement(s, old, new)
}

// moved looks at a type that was written in place and has a name now, or the other way round, or that a type which only one side declares stands for: its
// parts are compared here, as no declaration of both sides is there to compare them. The parts of one pair of declarations are compared once.
func (c *typeComparer) moved(s scope, old, new ir.Type) bool {
	o, n := declOf(old), declOf(new)
	if o == nil && n == nil || kindOf(ir.Underlying(old)) != kindOf(ir.Underlying(new)) || plain(ir.Underlying(old)) {
		return false
	}
	if o != nil && n != nil && c.pairing.types[n] != nil && slices.Contains(slices.Collect(maps.Values(c.pairing.types)), o) || holds(new, o) || holds(old, n) {
		return false
	}
	was, is := placeWords(o), placeWords(n)
	c.emit(s, TypeChanged, was, is, changeWords("the type", was, is), relation{}, c.assigns(s, old, new)).Script = Judgement{Warning,
		"TypeScript that names the type may want another name; values stay assignable"}
	pair := [2]*ir.Decl{o, n}
	if o != nil && n != nil && c.opened[pair] {
		return true
	}
	c.opened[pair] = true
	s = s.holds("", "")
	c.rules(s, rulesOn(old), rulesOn(new))
	c.alike(s, ir.Underlying(old), ir.Underlying(new))
	return true
}

// assigns judges that a list or a map got a name, or lost it: values of either assign to the other.
func (c *typeComparer) assigns(s scope, old, new ir.Type) Judgement {
	judged := c.compiles(s)
	if holdsMany(ir.Underlying(new)) && judged.Verdict == Break && (declOf(old) == nil) != (declOf(new) == nil) {
		return Judgement{Warning, judged.Reason + "; values still assign to it, and lists and maps of them do not"}
	}
	return judged
}

// holdsMany reports whether t is a list or a map.
func holdsMany(t ir.Type) bool { return ir.Elem(t) != nil && ir.Word(t) != "" }

// holds reports whether a union written in place has a declaration for a branch.
func holds(t ir.Type, d *ir.Decl) bool {
	return d != nil && slices.ContainsFunc(ir.Branches(t), func(b *ir.Branch) bool {
		known := declOf(b.Type)
		return known != nil && known.Name == d.Name
	})
}

// rulesOn are rules added where a declared type is used.
func rulesOn(t ir.Type) []ir.Rule {
	if ref, ok := t.(*ir.Ref); ok {
		return ref.Rules
	}
	return nil
}

func declOf(t ir.Type) *ir.Decl {
	if ref, ok := t.(*ir.Ref); ok {
		return ref.Decl
	}
	return nil
}

// placeWords says where the parts of a type are written.
func placeWords(d *ir.Decl) string {
	if d == nil {
		return "written in place"
	}
	return d.Name
}

func (c *typeComparer) element(s scope, name string, old, new ir.Type) scope {
	return s.below(name).at(old.Position(), new.Position()).holds(c.names.old.Type(old), c.names.new.Type(new))
}

// reportReplacement reports that one type stands where another stood.
func (c *typeComparer) reportReplacement(s scope, old, new ir.Type) {
	was, is := typeWords(old), typeWords(new)
	r := relation{lost: c.fits(old, new), gained: c.fits(new, old)}
	r.always = r.gained != "" && kindOf(ir.Underlying(old)) != kindOf(ir.Underlying(new)) && r.lost != ""
	judged := c.compiles(s)
	if judged.Verdict == OK && s.held[0] != "" && goKind(old) != goKind(new) {
		judged = Judgement{Break, s.held[1] + " is now " + text.Article(kindOf(ir.Underlying(new))) + " in Go"}
	}
	text := changeWords("the type", was, is)
	if r.lost == "" && r.gained == "" {
		if judged.Verdict == OK {
			return // another name of the same thing
		}
		text += ", of the same values"
	}
	change := c.emit(s, TypeChanged, was, is, text, r, judged)
	if scriptType(old) == scriptType(new) {
		change.Script = sameScript
	}
}

// goKind is the form of Go type that a type becomes; what has no name of its own is known by how it is held.
func goKind(t ir.Type) string {
	t = ir.Underlying(t)
	if _, isEnum := t.(*ir.Enum); isEnum || ir.HasFields(t) || ir.Branches(t) != nil {
		return kindOf(t)
	}
	return ""
}

// plain reports whether a type has no parts.
func plain(t ir.Type) bool {
	_, constant := t.(*ir.Literal)
	return constant || ir.Scalar(t)
}
