package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// structs compares two objects field by field. What both inherit from the same base is compared there.
func (c *typeComparer) structs(s scope, old, new *ir.Struct) {
	before := len(c.changes)
	olds, news := c.ownFields(old, new, true), c.ownFields(new, old, false)
	pairs := map[*ir.Field]*ir.Field{}
	pairUp(pairs, olds, news, func(f *ir.Field) string { return f.Name }, func(o, n *ir.Field) float64 { return c.fieldLikeness(old, new, o, n) })
	eachPair(pairs, olds, news,
		func(o *ir.Field) { c.fieldGone(s, o, new) },
		func(o, n *ir.Field) { c.field(s, o, n, old, new, "objects without `"+n.Name+"`") },
		func(n *ir.Field) { c.fieldAdded(s, n, old) })
	if s.ordered {
		c.positions(s, old, new, pairs, c.changes[before:])
	}
	c.additional(s, old, new)
	c.rules(s, old.Rules, new.Rules)
}

// ownFields lists the fields that are compared here: all but those that come from a base which both sides extend.
func (c *typeComparer) ownFields(t, counterpart *ir.Struct, old bool) []*ir.Field {
	return ir.Where(t.Fields, func(f *ir.Field) bool { return f.From == nil || !c.sharedBase(f.From, counterpart, old) })
}

// sharedBase reports whether a struct takes fields from the other version of a base.
func (c *typeComparer) sharedBase(base *ir.Decl, counterpart *ir.Struct, old bool) bool {
	same := func(d *ir.Decl) bool {
		if old {
			return c.pairing.types[d] == base
		}
		return c.pairing.types[base] == d && d != nil
	}
	return slices.ContainsFunc(counterpart.Extends, same) ||
		slices.ContainsFunc(counterpart.Fields, func(f *ir.Field) bool { return f.From != nil && same(f.From) })
}

// fieldLikeness says how sure it is that a field was renamed: its type is the same, and its name is close, its words are the same, or
// it stands alone in the same place.
func (c *typeComparer) fieldLikeness(old, new *ir.Struct, o, n *ir.Field) float64 {
	if ir.Describe(o.Type) != ir.Describe(n.Type) && c.fits(o.Type, n.Type)+c.fits(n.Type, o.Type) != "" || o.Optional != n.Optional {
		return 0
	}
	if name := closeness(o.Name, n.Name); name >= 0.4 {
		return 1 + name
	}
	if o.Doc != "" && o.Doc == n.Doc {
		return 1
	}
	if onlyNameDiffers(old, new, o, n) {
		return 0.5
	}
	return 0
}

// onlyNameDiffers reports whether two objects differ in the name of one field and in nothing else.
func onlyNameDiffers(old, new *ir.Struct, o, n *ir.Field) bool {
	if len(old.Fields) != len(new.Fields) {
		return false
	}
	for i, f := range old.Fields {
		if f == o {
			if new.Fields[i] != n {
				return false
			}
		} else if f.Name != new.Fields[i].Name {
			return false
		}
	}
	return true
}

func (c *typeComparer) fieldGone(s scope, f *ir.Field, new *ir.Struct) {
	name, held := c.names.old.Field(f)
	s = s.below(f.Name).at(f.Pos, diag.Pos{}).holds(held, "")
	s.new = diag.Pos{}
	r := relation{ignored: "`" + f.Name + "`"}
	if !f.Optional {
		r.gained, r.always = "objects without `"+f.Name+"`", true
	}
	if why := c.fitter().furtherMember(f.Type, new); why != "" {
		r.lost, r.ignored = "`"+f.Name+"`", ""
	} else if new.Additional == ir.AdditionalKept {
		r.ignored = ""
	}
	c.emit(s, FieldRemoved, fieldText(f), "", "the "+presence(f)+" field is gone", r, goneInGo(name, held))
}

// goneInGo judges the loss of a field of a name, as Go held it.
func goneInGo(name, held string) Judgement {
	if held == "" {
		return Judgement{OK, "it had no Go field"}
	}
	return Judgement{Break, "the field " + name + " is gone"}
}

func (c *typeComparer) fieldAdded(s scope, f *ir.Field, old *ir.Struct) {
	name, held := c.names.new.Field(f)
	s = s.below(f.Name).at(diag.Pos{}, f.Pos).holds("", held)
	s.old = diag.Pos{}
	r := relation{unseen: "`" + f.Name + "`", always: !f.Optional}
	if !f.Optional {
		r.lost = "objects without `" + f.Name + "`"
	}
	if why := c.fitter().furtherMember(f.Type, old); why != "" {
		r.gained, r.unseen = "`"+f.Name+"`", ""
	} else if old.Additional == ir.AdditionalKept {
		r.unseen = ""
	}
	c.emit(s, FieldAdded, "", fieldText(f), "a new "+presence(f)+" field of type "+typeWords(f.Type), r, newInGo(f, name, held))
}

// newInGo judges a new field of a name, as Go holds it.
func newInGo(f *ir.Field, name, held string) Judgement {
	switch {
	case held == "":
		return Judgement{OK, "the codec writes and checks it; there is no Go field"}
	case f.Complete:
		return Judgement{Warning, "handlers that do not embed the Unimplemented type lack what completes it"}
	case !f.Optional:
		return Judgement{Warning, "literals still compile, and send the zero value of " + name + " until it is set"}
	}
	return Judgement{OK, "it only adds a field"}
}

// fieldText is a field as it would be written.
func fieldText(f *ir.Field) string {
	mark := ""
	if f.Optional {
		mark = "?"
	}
	return f.Name + mark + ": " + typeWords(f.Type)
}

// field compares two versions of one field, or of an element of a tuple, which no objects are around. Without is what lacks it.
func (c *typeComparer) field(s scope, o, n *ir.Field, before, after *ir.Struct, without string) {
	old, new := inGo(c.names.old, o), inGo(c.names.new, n)
	s = s.below(n.Name).at(o.Pos, n.Pos).holds("", "")
	if old.around() != new.around() {
		s = s.holds(old.held, new.held)
	}
	switch {
	case o.Name != n.Name && before != nil:
		c.fieldRenamed(s, o, n, before, after, judgeRename(old.name, new.name))
	case old.name != new.name && old.name != "" && new.name != "":
		c.emit(s, NameInGo, old.name, new.name, changeWords("its name in Go", old.name, new.name), relation{}, judgeRename(old.name, new.name)).Script = sameScript
	}
	c.meta(s, o.Meta, n.Meta)
	if o.Optional != n.Optional {
		c.presence(s, o, n, without)
	}
	c.defaults(s, o, n)
	c.fieldSettings(s, o, n)
	if o.Go.Type != n.Go.Type || o.Go.Import != n.Go.Import {
		c.emit(s.holds(old.held, new.held), NameInGo, old.held, new.held, changeWords("its type in Go", old.held, new.held), relation{}).Script = sameScript
	}
	c.compare(s.holds(old.whole(new)), o.Type, n.Type)
}

// goField is a field in Go.
type goField struct{ name, held, typ string }

// whole is how Go holds two versions of a field: each with what is around its type if the types differ.
func (g goField) whole(is goField) (old, new string) {
	if g.typ == is.typ {
		return g.typ, is.typ
	}
	return g.held, is.held
}

func inGo(names Names, f *ir.Field) goField {
	g := goField{typ: names.Type(f.Type)}
	if g.name, g.held = names.Field(f); g.held == "" {
		g.typ = "" // a constant, which the codec alone knows
	}
	return g
}

// around is how the field is held, whatever its type: that is compared by itself.
func (g goField) around() string {
	if g.typ == "" {
		return g.held
	}
	return strings.ReplaceAll(g.held, g.typ, "T")
}

func (c *typeComparer) fieldRenamed(s scope, o, n *ir.Field, before, after *ir.Struct, judged Judgement) {
	r := relation{ignored: "`" + o.Name + "`", unseen: "`" + n.Name + "`"}
	if c.fitter().furtherMember(o.Type, after) != "" {
		r.lost = "`" + o.Name + "`"
	}
	if c.fitter().furtherMember(n.Type, before) != "" {
		r.gained = "`" + n.Name + "`"
	}
	if !o.Optional {
		r = relation{lost: "objects without `" + n.Name + "`", gained: "objects without `" + o.Name + "`", always: true}
	}
	c.emit(s, FieldRenamed, o.Name, n.Name, "it was called "+o.Name, r, judged)
}

// presence reports that a field, or an element of a tuple, may be absent now, or no longer; without are the values that lack it.
func (c *typeComparer) presence(s scope, o, n *ir.Field, without string) {
	r := relation{gained: without}
	if o.Optional {
		r = relation{lost: without}
	}
	c.emit(s, FieldPresence, presence(o), presence(n), fmt.Sprintf("it is %s now, and was %s", presence(n), presence(o)), r)
}

// positions looks at params that may be given by position: a field that no longer stands where it stood is another param. Of
// changes that have been reported anyway, the first that moves others says so; else the order itself has changed.
func (c *typeComparer) positions(s scope, old, new *ir.Struct, pairs map[*ir.Field]*ir.Field, reported []*Change) {
	moved := ""
	for i, f := range old.Fields {
		if i >= len(new.Fields) {
			break
		}
		n := new.Fields[i]
		if o := pairs[n]; o != f && (o == nil || n.Name != f.Name) && !(n.From != nil && n.Name == f.Name) {
			moved = fmt.Sprintf("params by position from %d on", i+1)
			break
		}
	}
	if moved == "" {
		return
	}
	r := relation{lost: moved, gained: moved}
	for _, change := range reported {
		if change.Kind == FieldAdded || change.Kind == FieldRemoved {
			change.Wire = worse(change.Wire, c.judge(s.uses, r))
			change.Text += "; it moves the params that follow it"
			return
		}
	}
	c.emit(s.holds("", ""), ParamsOrder, names(old), names(new), "the order of params has changed, which may be given by position", r)
}

// worse takes the worse judgement of each direction.
func worse(a, b []Direction) []Direction {
	for i := range a {
		if i < len(b) && b[i].Received.Verdict > a[i].Received.Verdict {
			a[i].Received = b[i].Received
		}
		if i < len(b) && b[i].Sent.Verdict > a[i].Sent.Verdict {
			a[i].Sent = b[i].Sent
		}
	}
	return a
}

func names(s *ir.Struct) string {
	return listWords(len(s.Fields), func(i int) string { return s.Fields[i].Name })
}

// additional compares what happens to members that are not named.
func (c *typeComparer) additional(s scope, old, new *ir.Struct) {
	if old.Additional == ir.AdditionalKept && new.Additional == ir.AdditionalKept {
		c.compare(c.element(s, "additional", old.Extra, new.Extra), old.Extra, new.Extra)
		return
	}
	if old.Additional == new.Additional {
		return
	}
	was, is := old.Additional.String(), new.Additional.String()
	r := relation{lost: lostMembers(old, new), gained: lostMembers(new, old)}
	if r.lost == "" && old.Additional == ir.AdditionalKept {
		r.ignored = "further members"
	}
	judged := Judgement{OK, "the Go types stay as they are"}
	switch {
	case old.Additional == ir.AdditionalKept:
		judged = Judgement{Break, "the field Extra is gone"}
	case new.Additional == ir.AdditionalKept:
		judged = Judgement{OK, "it only adds the field Extra"}
	}
	c.emit(s.below("additional").holds("", ""), AdditionalChanged, was, is, changeWords("what happens to further members", was, is), r, judged)
}

// lostMembers returns which further members one object takes and the other does not.
func lostMembers(from, to *ir.Struct) string {
	switch {
	case from.Additional == ir.AdditionalRejected:
		return ""
	case to.Additional == ir.AdditionalRejected:
		return "further members"
	case to.Additional == ir.AdditionalKept && kindOf(to.Extra) != "any":
		return "further members that are not " + typeWords(to.Extra)
	}
	return ""
}
