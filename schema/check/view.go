package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// readView reads what of its output the callers of a tool get.
func readView(c *serverChecker, t *ir.Tool, entry syntax.Entry) {
	if !c.d.mapping(entry, "write {show: [a, b.c], budget: 24k}") {
		return
	}
	c.d.keys(entry.Value, "a view", grammar.Tool().Value("view"))
	v := &viewChecker{c: c, t: t, v: new(ir.View), entry: entry}
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "show":
			v.paths = c.d.words(e)
		case "budget":
			v.v.Budget = c.d.size(e)
		case "over":
			c.d.word(e, grammar.Tool().Value("view").Value("over").Words...)
		default:
			c.d.plain(e, map[string]any{"choose": &v.v.Choose, "items": &v.v.Items, "cursor": &v.v.Cursor, "next": &v.v.Next})
		}
	}
	t.View = v.v
	c.d.settle(v.settle)
}

// limitResult gives a tool without a view one with the budget of the server, if that has one. Results that are not objects with fields are not limited.
func limitResult(c *serverChecker, t *ir.Tool, name *syntax.Node) {
	if out, ok := ir.Underlying(t.Output).(*ir.Struct); resultBudget(c.doc) == 0 || !ok || c.d.faulty[out] {
		return
	}
	t.View = new(ir.View)
	v := &viewChecker{c: c, t: t, v: t.View, entry: syntax.Entry{Key: name, Value: &syntax.Node{Kind: syntax.Mapping, Span: name.Span}}}
	v.settle()
}

// resultBudget returns the greatest size of results in bytes; 0 if the server has none.
func resultBudget(doc *ir.Document) int {
	if doc.Server == nil {
		return 0
	}
	return doc.Server.Budget.Result
}

// size reads a number of bytes, with k for thousands and m for millions.
func (c *reader) size(e syntax.Entry) int {
	text := c.text(e)
	digits, unit := strings.TrimRight(text, "km"), 1
	switch text[min(len(digits), len(text)):] {
	case "k":
		unit = 1_000
	case "m":
		unit = 1_000_000
	case "":
	default:
		unit = 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 999_999_999 || unit == 0 || n > maxBudget/unit {
		if text != "" {
			c.report(diag.InvalidValue, valueSpan(e), "write a number of bytes such as 24000, 24k or 1m", "%s cannot be %s", e.Key.Text, sourceText(e.Value))
		}
		return 0
	}
	return n * unit
}

const maxBudget = 1_000_000_000

// viewChecker settles one view, once the input and the output of the tool are known.
type viewChecker struct {
	c     *serverChecker
	t     *ir.Tool
	v     *ir.View
	entry syntax.Entry
	paths []*syntax.Node // of show
}

func (v *viewChecker) report(code diag.Code, at diag.Span, help, format string, args ...any) {
	v.c.d.report(code, at, help, format, args...)
}

// at is where a key of the view stands, or the view.
func (v *viewChecker) at(key string) diag.Span {
	if e := v.entry.Value.Entry(key); e != nil {
		return valueSpan(*e)
	}
	return v.entry.Key.Span
}

func (v *viewChecker) settle() {
	if v.t.Output == nil {
		v.report(diag.MissingKey, v.entry.Key.Span, "add output:, or remove view:", "the tool %s has a view and no output", v.t.Name)
		return
	}
	out, ok := ir.Underlying(v.t.Output).(*ir.Struct)
	if !ok {
		if !v.c.d.faulty[ir.Underlying(v.t.Output)] {
			v.report(diag.ConflictingKeys, v.entry.Key.Span, "give output fields, or remove view:", "a view needs an output with fields, not %s", kindWord(v.t.Output))
		}
		return
	}
	v.over(out)
	shown := v.show(out)
	if v.v.Choose != "" {
		v.choose(out)
	}
	v.keep()
	v.v.Type = v.publishedType(out, shown)
}

// over finds out what becomes of a result over the budget, and where a list is continued.
func (v *viewChecker) over(out *ir.Struct) {
	e := v.entry.Value.Entry("over")
	readOnly := v.t.Hints.ReadOnly == ir.HintYes
	if v.v.Budget == 0 && v.entry.Value.Get("budget") != nil {
		return // it is reported
	}
	v.v.Budget = cmp.Or(v.v.Budget, resultBudget(v.c.doc))
	if v.v.Budget == 0 {
		for _, key := range []string{"over", "items", "cursor", "next"} {
			if v.entry.Value.Get(key) != nil {
				v.report(diag.MissingKey, v.at(key), "add budget: and a number of bytes such as 24k", "%s means nothing without a budget", key)
			}
		}
		return
	}
	problem := v.page(out)
	switch {
	case e == nil && !readOnly:
		v.v.Over = ir.OverOmit
	case e == nil && problem == nil && v.listShown():
		v.v.Over = ir.OverCut
	case e == nil && problem == nil:
	case e == nil:
		for _, key := range []string{"items", "cursor", "next"} {
			if v.entry.Value.Get(key) != nil {
				problem()
				return
			}
		}
	case e.Value.Text == "omit":
		v.v.Over = ir.OverOmit
	case !readOnly:
		help := "write over: omit, or hints: {readOnly: true} if the tool changes nothing"
		v.report(diag.ConflictingKeys, valueSpan(*e), help, "%s may change something: what was done is not answered as an error for its size, nor done "+
			"again to continue a list", v.t.Name)
	case e.Value.Text == "cut":
		if v.v.Over = ir.OverCut; problem != nil {
			problem()
		}
	}
	if v.v.Over != ir.OverCut {
		for _, key := range []string{"items", "cursor", "next"} {
			if v.entry.Value.Get(key) != nil {
				v.report(diag.ConflictingKeys, v.at(key), "write over: cut, or remove it", "%s means nothing where no list is cut", key)
			}
		}
		v.v.Items, v.v.Cursor, v.v.Next = "", "", ""
	}
}

// listShown reports whether the list that can be cut is among what is shown.
func (v *viewChecker) listShown() bool {
	return v.entry.Value.Get("show") == nil || slices.ContainsFunc(v.paths, func(path *syntax.Node) bool {
		return path.Text == v.v.Items || strings.HasPrefix(path.Text, v.v.Items+".")
	})
}

// page finds the list that is cut and the members that continue it. It returns what reports why there are none.
func (v *viewChecker) page(out *ir.Struct) func() {
	fail := func(key, help, format string, args ...any) func() {
		return func() { v.report(diag.InvalidPath, v.at(key), help, format, args...) }
	}
	var lists []string
	for _, f := range out.Fields {
		if _, ok := ir.NonNull(f.Type).(*ir.List); ok && !f.Go.Bound() {
			lists = append(lists, f.Name)
		}
	}
	switch {
	case v.v.Items != "" && !slices.Contains(lists, v.v.Items):
		return fail("items", "name a member of output that is a list", "%q is not a list of the output", v.v.Items)
	case len(lists) == 0:
		return fail("over", "write over: error", "the output has no list that can be cut")
	case v.v.Items == "" && len(lists) > 1:
		return fail("over", "name the one to cut: items: NAME", "the output has %d lists", len(lists))
	case v.v.Items == "":
		v.v.Items = lists[0]
	}
	if v.v.Cursor == "" {
		v.v.Cursor = "cursor"
	}
	if in := v.input(); in == nil || !isCursor(in.Field(v.v.Cursor), false) || !in.Field(v.v.Cursor).Optional {
		return fail("cursor", "declare "+v.v.Cursor+"?: string in input, without default, and without rules but a maxLength of 1000 or more",
			"the input has no optional text %q that continues a list", v.v.Cursor)
	}
	if v.v.Next == "" {
		if v.v.Next = "next"; out.Field("next") == nil {
			v.v.Next = "nextCursor"
		}
	}
	if !isCursor(out.Field(v.v.Next), true) {
		return fail("next", "declare "+v.v.Next+"?: string in output, without default, and without rules but a maxLength of 1000 or more",
			"the output has no text %q that holds the cursor of the next call", v.v.Next)
	}
	return nil
}

// isCursor reports whether a field holds any text, or null where that is allowed.
func isCursor(f *ir.Field, nullable bool) bool {
	if f == nil || f.Default != nil || f.Go.Bound() {
		return false
	}
	t := f.Type
	if null, ok := t.(*ir.Nullable); ok && nullable {
		t = null.Elem
	}
	text, ok := t.(*ir.String)
	return ok && !slices.ContainsFunc(text.Rules, func(r ir.Rule) bool {
		length, ok := r.(*ir.Length)
		return !ok || length.Min > 1 || length.Max >= 0 && length.Max < shortestCursor
	})
}

// shortestCursor is how many characters a cursor may have at least: the one that continues a list which was cut holds the one of the handler.
const shortestCursor = 1000

func (v *viewChecker) input() *ir.Struct {
	if v.t.Input == nil {
		return nil
	}
	s, _ := ir.Underlying(v.t.Input).(*ir.Struct)
	return s
}

// shownNode is a member that is shown: all of it, or some of its members.
type shownNode struct {
	all     bool
	members map[string]*shownNode
}

func (n *shownNode) at(name string) *shownNode {
	if n.members[name] == nil {
		if n.members == nil {
			n.members = map[string]*shownNode{}
		}
		n.members[name] = new(shownNode)
	}
	return n.members[name]
}

// show resolves the paths that are shown; nil if all is.
func (v *viewChecker) show(out *ir.Struct) *shownNode {
	if v.entry.Value.Get("show") == nil {
		return nil
	}
	root := new(shownNode)
	v.v.Show = []string{}
	for _, path := range v.paths {
		if slices.Contains(v.v.Show, path.Text) {
			v.report(diag.InvalidValue, path.Span, "name each path once", "%q is already there", path.Text)
			continue
		}
		if v.resolve(out, path, root) {
			v.v.Show = append(v.v.Show, path.Text)
		}
	}
	if v.v.Over == ir.OverCut {
		for _, name := range []string{v.v.Items, v.v.Next} {
			if root.members[name] == nil && name == v.v.Items {
				v.report(diag.InvalidPath, v.at("show"), "show "+name+", or members of it", "the list %q that is cut is not shown", name)
			} else if root.members[name] == nil {
				root.at(name).all = true
				v.v.Show = append(v.v.Show, name)
			}
		}
	}
	return root
}

// resolve follows one path through objects and lists.
func (v *viewChecker) resolve(out *ir.Struct, path *syntax.Node, node *shownNode) bool {
	var t ir.Type = out
	for name := range strings.SplitSeq(path.Text, ".") {
		s := v.members(t)
		if s == nil {
			v.report(diag.InvalidPath, path.Span, "end the path there", "%q leads into %s, which has no fields", path.Text, kindWord(t))
			return false
		}
		f := s.Field(name)
		if f == nil {
			v.report(diag.InvalidPath, path.Span, v.c.d.suggest(name, func() []string { return fieldNames(s) }), "%q leads nowhere: there is no member %q",
				path.Text, name)
			return false
		}
		node, t = node.at(name), f.Type
		if f.Go.Bound() {
			t = &ir.Any{}
		}
	}
	node.all = true
	return true
}

// members is the object that a path can lead into: t, or what its lists hold; nil if there is none.
func (v *viewChecker) members(t ir.Type) *ir.Struct {
	for range 10 { // lists of lists
		switch shape := ir.NonNull(t).(type) {
		case *ir.Struct:
			return shape
		case *ir.List:
			t = shape.Elem
		default:
			return nil
		}
	}
	return nil
}

// choose lists what callers may choose, and adds the member of the input in which they do.
func (v *viewChecker) choose(out *ir.Struct) {
	at := v.at("choose")
	in, ok := v.t.Input.(*ir.Struct)
	if v.t.Input == nil {
		in, ok = &ir.Struct{At: ir.At{Pos: v.entry.Key.Span.Pos}}, true
		v.t.Input = in
	}
	switch {
	case !ok:
		v.report(diag.ConflictingKeys, at, "write its fields in its place", "the input is a named type, which others may use: it cannot gain a member")
		return
	case v.t.Schema != nil:
		v.report(diag.ConflictingKeys, at, "remove inputSchema, or choose", "the published inputSchema does not have the member %q", v.v.Choose)
		return
	case in.Field(v.v.Choose) != nil:
		v.report(diag.ConflictingKeys, at, "choose another name", "the input has a member %q already", v.v.Choose)
		return
	}
	for _, f := range out.Fields {
		if v.v.Over == ir.OverCut && f.Name == v.v.Next || strings.Contains(f.Name, ".") {
			continue
		}
		inner := v.listedObject(f)
		if inner == nil {
			v.v.Paths = append(v.v.Paths, f.Name)
			continue
		}
		for _, m := range inner.Fields {
			if !strings.Contains(m.Name, ".") {
				v.v.Paths = append(v.v.Paths, f.Name+"."+m.Name)
			}
		}
	}
	if len(v.v.Paths) == 0 {
		v.report(diag.ConflictingKeys, at, "remove choose", "the output has no members to choose among")
		return
	}
	pos := at.Pos
	values := ir.Each(v.v.Paths, func(p string) ir.EnumValue {
		return ir.EnumValue{Meta: ir.Meta{Pos: pos}, Value: ir.Value{Pos: pos, Kind: ir.Text, Text: p}}
	})
	doc := "The members of the result to return. Without it, all are."
	if v.v.Show != nil {
		shown := slices.DeleteFunc(slices.Clone(v.v.Show), func(path string) bool { return v.v.Over == ir.OverCut && path == v.v.Next })
		doc = "The members of the result to return, in place of " + strings.Join(shown, ", ") + "."
	}
	in.Fields = append(in.Fields, &ir.Field{
		Meta: ir.Meta{Pos: pos, Doc: doc}, Name: v.v.Choose, Optional: true,
		Type: &ir.List{At: ir.At{Pos: pos}, Elem: &ir.Enum{At: ir.At{Pos: pos}, Values: values}, Rules: []ir.Rule{&ir.Count{Min: 1, Max: len(values)}, &ir.Unique{}}},
	})
}

// listedObject is the object that a member which is a list holds; nil for other members.
func (v *viewChecker) listedObject(f *ir.Field) *ir.Struct {
	if _, ok := ir.NonNull(f.Type).(*ir.List); !ok || f.Go.Bound() {
		return nil
	}
	return v.members(f.Type)
}

// keep adds the members that decide what is shown to those that select a result that is kept.
func (v *viewChecker) keep() {
	if v.t.Keep == nil || v.t.Keep.Keys == nil {
		return
	}
	for _, name := range []string{v.v.Choose, v.v.Cursor} {
		if name != "" && !slices.Contains(v.t.Keep.Keys, name) {
			v.t.Keep.Keys = append(v.t.Keep.Keys, name)
		}
	}
}

// publishedType is the type of what callers get. It is the output itself where nothing of it can be missing.
func (v *viewChecker) publishedType(out *ir.Struct, shown *shownNode) ir.Type {
	if shown == nil && v.v.Choose == "" && v.v.Over != ir.OverOmit && !v.shortened(out) {
		return v.t.Output
	}
	r := &reducer{v: v}
	s := r.object(out, shown, true)
	s.Pos = v.entry.Key.Span.Pos
	if v.v.Choose == "" && v.v.Over != ir.OverOmit {
		return s
	}
	for _, f := range s.Fields {
		if v.v.Over != ir.OverCut || f.Name != v.v.Next {
			f.Optional, f.Default = true, nil
		}
	}
	return s
}

// shortened reports whether the list that is cut has rules that a shorter one can break.
func (v *viewChecker) shortened(out *ir.Struct) bool {
	return v.v.Over == ir.OverCut && out.Field(v.v.Items) != nil && len(ir.AllRules(ir.NonNull(out.Field(v.v.Items).Type))) > 0
}

// reducer writes the types of what is left of an output.
type reducer struct{ v *viewChecker }

// object is a struct with the members that may be given: with choose those that can be chosen, too, and then they may be missing.
func (r *reducer) object(s *ir.Struct, shown *shownNode, root bool) *ir.Struct {
	less := &ir.Struct{At: ir.At{Pos: s.Pos, Note: withoutGoName(s.Note)}, Additional: s.Additional}
	if s.Additional == ir.AdditionalKept {
		less.Additional = ir.AdditionalIgnored
	}
	for _, f := range s.Fields {
		var node *shownNode
		if shown != nil {
			node = shown.members[f.Name]
		}
		offered := root && r.v.v.Choose != ""
		if shown != nil && node == nil && !offered {
			continue
		}
		own := *f
		own.From = nil
		switch {
		case offered && r.v.listedObject(f) != nil:
			own.Type = r.within(f.Type, func(s *ir.Struct) ir.Type { return r.reduce(s, cmp.Or(node, &shownNode{}), true) })
		case offered && node != nil && !node.all:
			own.Type = r.within(f.Type, func(s *ir.Struct) ir.Type { return r.reduce(s, node, false) })
		case node != nil && !node.all:
			own.Type = r.within(f.Type, func(s *ir.Struct) ir.Type { return r.object(s, node, false) })
		case root && f.Name == r.v.v.Items && r.v.v.Over == ir.OverCut:
			own.Type = r.dropRules(f.Type)
		}
		less.Fields = append(less.Fields, &own)
	}
	return less
}

// reduce is an object with all members of another, some of which are shown in part: those that are not always shown may be missing. Where callers choose
// members, missing is true: all may be missing, and those that are shown in part have members that may be, since who chooses them gets the whole.
func (r *reducer) reduce(s *ir.Struct, shown *shownNode, missing bool) ir.Type {
	less := &ir.Struct{At: ir.At{Pos: s.Pos, Note: withoutGoName(s.Note)}, Additional: s.Additional}
	if s.Additional == ir.AdditionalKept {
		less.Additional = ir.AdditionalIgnored
	}
	for _, f := range s.Fields {
		own := *f
		own.From = nil
		node := shown.members[f.Name]
		if missing || node == nil {
			own.Optional, own.Default = true, nil
		}
		if node != nil && !node.all {
			own.Type = r.within(f.Type, func(s *ir.Struct) ir.Type { return r.reduce(s, node, false) })
		}
		less.Fields = append(less.Fields, &own)
	}
	return less
}

// within is a type with the object that it holds, by itself or in lists, in another form. Rules of lists on what they hold do not stand for less of it.
func (r *reducer) within(t ir.Type, object func(*ir.Struct) ir.Type) ir.Type {
	switch t := t.(type) {
	case *ir.Nullable:
		return &ir.Nullable{At: t.At, Elem: r.within(t.Elem, object)}
	case *ir.Ref:
		return r.within(t.Decl.Type, object)
	case *ir.List:
		return &ir.List{At: t.At, Elem: r.within(t.Elem, object)}
	case *ir.Struct:
		return object(t)
	}
	return t
}

// dropRules is a list without rules.
func (r *reducer) dropRules(t ir.Type) ir.Type {
	switch shape := t.(type) {
	case *ir.Nullable:
		return &ir.Nullable{At: shape.At, Elem: r.dropRules(shape.Elem)}
	case *ir.Ref:
		return r.dropRules(shape.Decl.Type)
	case *ir.List:
		return &ir.List{At: shape.At, Elem: shape.Elem}
	}
	return t
}

// withoutGoName is a note without a name in Go, which belongs to another type.
func withoutGoName(note *ir.Meta) *ir.Meta {
	if note == nil {
		return nil
	}
	c := *note
	c.Go = ir.GoName{}
	return &c
}
